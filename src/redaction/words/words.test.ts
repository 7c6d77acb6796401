import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measured } from '../../../test/kit/measured.js';
import { ELLIPSIS } from '../shown.js';
import { MAX_TEXT_LENGTH, showText, showWords } from './words.js';

const NO_NAMES: ReadonlySet<string> = new Set();
const named = (...names: string[]): ReadonlySet<string> => new Set(names);
const UID = 'c9458e66-6a82-48bf-a0ac-311bf46a642e';
const ID = '535b293dd07876c8c6c7f9170c50a860abda1dfbe7793da8b6d2ca44f3142156';

const MESSAGES = [
  'Failed to pull image "registry.example.com:5000/shop/web:1.2": rpc error: code = NotFound desc = failed to pull and unpack image "registry.example.com:5000/shop/web:1.2": failed to resolve reference "registry.example.com:5000/shop/web:1.2": registry.example.com:5000/shop/web:1.2: not found',
  'Successfully pulled image "nginx" in 22ms (22ms including waiting). Image size: 5093463 bytes.',
  `Back-off restarting failed container crash in pod crash_default(${UID})`,
  `back-off 5m0s restarting failed container=crash pod=crash_default(${UID})`,
  "0/3 nodes are available: 1 Insufficient example.com/gpu, 1 node(s) had untolerated taint {dedicated: batch}, 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
  'Error creating: pods "two-5c654cd894-nncrg" is forbidden: exceeded quota: team, requested: pods=1,requests.cpu=200m, used: pods=1,requests.cpu=1, limited: pods=1,requests.cpu=1',
  'Multi-Attach error for volume "pvc-2aa0185d" Volume is already used by pod(s) db-0, db-1',
  'Liveness probe failed: HTTP probe failed with statuscode: 503',
  'Readiness probe failed: Get "http://10.1.2.3:8080/healthz": dial tcp 10.1.2.3:8080: connect: connection refused',
  'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].imagePullPolcy", duplicate field "spec.nodeName"',
  'Internal error occurred: failed calling webhook "guard.lab.example": failed to call webhook: Post "https://guard.lab.svc:443/validate?timeout=5s": dial tcp 192.0.2.10:9443: connect: connection refused'.replace(
    'guard.lab.svc',
    '192.0.2.10',
  ),
  'configmaps "settings" is forbidden: User "system:serviceaccount:shop:web" cannot get resource "configmaps" in API group "" in the namespace "shop"',
  `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "${ID}": plugin type="calico" failed (add): failed to find plugin "calico" in path [/opt/cni/bin]`,
  `error killing pod: failed to "KillPodSandbox" for "${UID}" with KillPodSandboxError: "rpc error: code = Unknown desc = failed to destroy network for sandbox \\"${ID}\\": plugin type=\\"calico\\" failed (delete): failed to find plugin \\"calico\\" in path [/opt/cni/bin]"`,
  'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas',
  'Pod resize started: {"containers":[{"name":"web","resources":{"limits":{"cpu":"1500m"},"requests":{"cpu":"1500m"}}}],"generation":2}',
  'The node was low on resource: memory. Threshold quantity: 100Mi, available: 53Mi. Container web was using 412Mi, request is 64Mi, has larger consumption of memory.',
  'x509: certificate is valid for web.shop.svc, localhost, not api.shop.svc',
];

describe('messages of Kubernetes are shown whole', () => {
  it.each(MESSAGES)('%s', (text) => expect(showText(text, NO_NAMES)).toBe(text));
});

describe('words, numbers and names stay where no template fits', () => {
  it.each<[string, ReadonlySet<string>, string]>([
    ['the database of web-1 is not ready after 30s', named('web-1'), 'the database of web-1 is not ready after 30s'],
    ['the database of web-1 is not ready', NO_NAMES, `the database of ${ELLIPSIS} is not ready`],
    ['shop/web-1 lost its volume', named('web-1', 'shop'), 'shop/web-1 lost its volume'],
    ['restarted pod/web-1', named('web-1'), 'restarted pod/web-1'],
    ['wants nginx:1.27@sha256:ab', named('nginx:1.27@sha256:ab'), 'wants nginx:1.27@sha256:ab'],
    ['no answer of 192.0.2.7:6443 (exit code 137)', NO_NAMES, 'no answer of 192.0.2.7:6443 (exit code 137)'],
    ["didn't find spec.containers[0].image", NO_NAMES, "didn't find spec.containers[0].image"],
    ['node.kubernetes.io/not-ready was added', NO_NAMES, 'node.kubernetes.io/not-ready was added'],
  ])('%s', (text, names, shown) => expect(showText(text, names)).toBe(shown));
});

describe('unknown text becomes an ellipsis', () => {
  it.each([
    ['Liveness probe failed: token s3cr3t rejected', `Liveness probe failed: token ${ELLIPSIS} rejected`],
    // A text of another program is no message of Kubernetes, even if it looks like one.
    ['Liveness probe failed: Created pod: s3cr3t', `Liveness probe failed: Created pod: ${ELLIPSIS}`],
    [
      'admission webhook "a.example" denied the request: Created pod: s3cr3t',
      `admission webhook "a.example" denied the request: Created pod: ${ELLIPSIS}`,
    ],
    [
      'admission webhook "a.example" denied the request: password s3cr3t is weak',
      `admission webhook "a.example" denied the request: password ${ELLIPSIS} is weak`,
    ],
    [
      `Exec lifecycle hook ([/bin/sh -c curl -u a:s3cr3t http://x]) for Container "c" in Pod "p_default(${UID})" failed - error: command '/bin/sh -c curl -u a:s3cr3t http://x' exited with 7: , message: "s3cr3t"`,
      `Exec lifecycle hook ([${ELLIPSIS}]) for Container "c" in Pod "p_default(${UID})" failed - error: command '${ELLIPSIS}' exited with 7: , message: "${ELLIPSIS}"`,
    ],
    [
      'Pod "p" is invalid: spec.x: Invalid value: "s3cr3t": too short',
      `Pod "p" is invalid: spec.x: Invalid value: "${ELLIPSIS}": too short`,
    ],
    [
      'Head "https://u:s3cr3t@r.example.com/v2/x?X-Amz-Signature=s3cr3t": EOF',
      `Head "https://REDACTED@${ELLIPSIS}/v2/${ELLIPSIS}?${ELLIPSIS}": EOF`,
    ],
    ['key "s3cr3t" not found', `key "${ELLIPSIS}" not found`],
    ['config {"user":"admin","token":"s3cr3t"} is bad', `config ${ELLIPSIS} is bad`],
    ['pre-kubernetes-secret-17 is used', `${ELLIPSIS} is used`],
    ['card 4111 1111 1111 1111 is refused', `card ${ELLIPSIS} is refused`],
    ['value aGVsbG8/d29ybGQ+Zm9v= given', `value ${ELLIPSIS} given`],
    ['key 12:ab34:56 used', `key ${ELLIPSIS} used`],
  ])('%s', (text, shown) => expect(showText(text, NO_NAMES)).toBe(shown));

  it('showWords tries no template', () => {
    expect(showWords('Created pod: s3cr3t', NO_NAMES)).toBe(`Created pod: ${ELLIPSIS}`);
    expect(showText('Created pod: web-1', NO_NAMES)).toBe('Created pod: web-1');
  });
});

const SECRET = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9+/]{12,40}={0,2}$/),
  fc.stringMatching(/^[a-z]{3,8}[0-9]{2,6}[!@#$%^&*]{1,2}[a-zA-Z0-9]{2,8}$/),
  fc.stringMatching(/^[0-9a-f]{16,64}$/),
  fc.stringMatching(/^[a-z0-9]{4,8}(?:-[a-z0-9]{4,8}){2,4}$/),
  fc.stringMatching(/^[0-9]{6,19}$/),
);
/** Texts in which a program or a user has the word: nothing of it is a name. */
const PLACES = [
  (secret: string) => `Readiness probe failed: ${secret}`,
  (secret: string) => `Readiness probe failed: login failed: ${secret}: denied`,
  (secret: string) => `admission webhook "x.example" denied the request: ${secret}`,
  (secret: string) => `admission webhook "x.example" denied the request: Failed to pull image "${secret}"`,
  (secret: string) => `Secret "a" is invalid: data: Invalid value: "${secret}": must be valid`,
  (secret: string) => `Get "https://a:${secret}@192.0.2.7/v2/?token=${secret}": EOF`,
  (secret: string) => `couldn't parse "${secret}"`,
  (secret: string) => `password=${secret}`,
  (secret: string) => `{"password":"${secret}"}`,
  (secret: string) => `Error: the server said (${secret})`,
  (secret: string) => `etcdserver: ${secret}`,
  (secret: string) => `json: cannot unmarshal string "${secret}" into Go value of type int`,
  (secret: string) =>
    `mount failed: exit status 32\nMounting command: mount\nMounting arguments: -o password=${secret} //s /m\nOutput: bad`,
  (secret: string) => `command '/bin/sh -c ${secret}' exited with 1: ${secret}`,
];

describe('properties', () => {
  it('a secret where a program or a user speaks never comes out', () => {
    fc.assert(
      fc.property(SECRET, fc.constantFrom(...PLACES), (secret, place) => {
        expect(showText(place(secret), NO_NAMES)).not.toContain(secret);
      }),
      { numRuns: 3000 },
    );
  });

  it('a secret in place of a word of a message comes out through a hole of a row alone', () => {
    const words = MESSAGES.map((text) => text.split(/(?<=[\s"'()[\]{},;=])|(?=[\s"'()[\]{},;=])/));
    fc.assert(
      fc.property(fc.nat(), fc.nat(), SECRET, (which, where, secret) => {
        const pieces = [...words[which % words.length]];
        pieces[where % pieces.length] = secret;
        const rows: string[] = [];
        const out = showText(pieces.join(''), NO_NAMES, ({ template }, content) => {
          if (content.includes(secret)) rows.push(template);
        });
        if (rows.length === 0) expect(out).not.toContain(secret);
      }),
      { numRuns: 3000 },
    );
  });

  it('shown twice is shown once', () => {
    const piece = fc.oneof(
      SECRET,
      fc.constantFrom(
        'Created pod: ',
        'Failed to pull image "',
        '": ',
        'error ',
        '…',
        '{"a":',
        '}',
        '\\"',
        "'",
        ' (',
        ')',
        '\n',
        'https://',
        '/v2/',
        '?a=',
        '1 ',
        '12 34 56',
        ', ',
        '[',
        ']',
        '=',
        'Invalid value: "',
      ),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const once = showText(pieces.join(''), NO_NAMES);
        expect(showText(once, NO_NAMES)).toBe(once);
      }),
      { numRuns: 5000 },
    );
  });

  it('only characters of the text, ellipses and the words of the second fence come out', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        const rest = showText(text, NO_NAMES).replaceAll(ELLIPSIS, '').replaceAll('REDACTED', '');
        for (const one of rest) expect(text).toContain(one);
      }),
    );
  });
});

describe('hostile texts', () => {
  const PIECES = [
    'a',
    '"',
    '{"',
    '[',
    'error ',
    'a: ',
    'failed to pull image "',
    'AttachVolume.Attach failed for volume "x" : ',
    '1 ',
    '… : ',
    '\\"',
    'not ready: a, ',
    'a.',
    'http://',
    '0/3 nodes are available: ',
    "didn't ",
    'spec.a[0]',
  ];
  const million = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length));

  it.each(PIECES)('of a million characters of %j as many are shown as may be', (piece) => {
    const shown = showText(million(piece), NO_NAMES);
    expect(shown.length).toBeLessThanOrEqual(MAX_TEXT_LENGTH + 2);
    expect(showText(shown, NO_NAMES)).toBe(shown);
  });

  for (const piece of PIECES)
    measured(`a million characters of ${JSON.stringify(piece)} are read in a moment`, () => {
      const text = million(piece);
      const began = performance.now();
      showText(text, NO_NAMES);
      expect(performance.now() - began).toBeLessThan(1500);
    });

  it('text beyond the limit becomes an ellipsis', () => {
    expect(showText(`${'error '.repeat(6000)}s3cr3t`, NO_NAMES).endsWith(` ${ELLIPSIS}`)).toBe(true);
  });
});
