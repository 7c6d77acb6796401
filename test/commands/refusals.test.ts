// Requests that were refused or failed for a reason that stands elsewhere in the capture: "went wrong" has it.

import { expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { exists } from '../kit/fixtures.js';

const UPGRADE = 'Connection: Upgrade';
/** openssl x509: notAfter=Nov 25 22:26:40 2026 GMT. */
const EXPIRED = "the client's certificate (system:node:node-7, issued by kubernetes) expired 2026-11-25T22:26:40Z";

interface Problem {
  readonly count: number;
  readonly what: string;
}

function wentWrong(folder: string): string[] {
  const keys = exists(`refusals/${folder}/keys.log`) ? ['--keylog', `fixtures/refusals/${folder}/keys.log.gz`] : [];
  const { stdout } = kubeseq(['summary', '-o', 'json', `fixtures/refusals/${folder}/capture.pcap.gz`, ...keys]);
  const { problems } = JSON.parse(stdout) as { readonly problems: readonly Problem[] };
  return problems.map(({ count, what }) => (count === 1 ? what : `${count} times: ${what}`));
}

it.each<[string, string[]]>([
  ['etcd-full', ['etcd: Txn: RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded']],
  ['etcd-full-api', ['kubectl: create deployments default/late: 500: etcdserver: mvcc: database space exceeded']],
  [
    'gave-up',
    [
      'kubectl: list pods in shop: given up after 2.0 s without an answer of kube-apiserver (192.0.2.10:6443) (RST_STREAM CANCEL)',
    ],
  ],
  [
    'plain-http',
    [
      'connection from 192.0.2.30 to 192.0.2.10:5000: TLS is not agreed on: the server speaks plain HTTP: 400 Bad Request',
    ],
  ],
  [
    'upgrade-dropped',
    [
      ...[
        ['kubectl (192.0.2.20): get', `the proxy 192.0.2.20 port 8080 did not forward ${UPGRADE}`],
        ['kubectl: get', `the request has ${UPGRADE}, which a proxy did not forward`],
        ['kubectl (192.0.2.20): create', `the proxy 192.0.2.20 port 8080 did not forward ${UPGRADE}`],
        ['kubectl: create', `the request has ${UPGRADE}, which a proxy did not forward`],
      ].map(([who, why]) => `${who} pods/exec shop/web: 400 BadRequest: Upgrade request required; ${why}`),
    ],
  ],
  [
    // tshark: frames 42 to 46; the answer (45) came after the FIN (44), and the API server reset the connection for it.
    'late-verdict',
    [
      'kubectl: create configmaps default/slow-failed: 500 InternalError: Internal error occurred: failed calling webhook "configmaps.policy.example.com": failed to call webhook: Post "https://192.0.2.30:9443/validate?timeout=10s": context deadline exceeded',
      '2 times: kube-apiserver: POST /validate?timeout=10s (configmaps default/slow-ignored, configmaps default/slow-failed): given up after 10 s without an answer of webhook 192.0.2.30:9443, connection closed (close_notify)',
    ],
  ],
  ['expired-certificate', [`3 times: kubelet (node-7): list pods in shop: 401 Unauthorized: Unauthorized; ${EXPIRED}`]],
])('%s', (folder, lines) => expect(wentWrong(folder)).toEqual(lines));

it('a verdict that came after the API server had gone is none', () => {
  const folder = 'fixtures/refusals/late-verdict';
  const args = ['-q', `${folder}/capture.pcap.gz`, '--keylog', `${folder}/keys.log.gz`];
  const arrows = kubeseq(['diagram', ...args]).stdout.match(/^ +\S+ -\S+ .*: \[(?:RESP|END)\].*$/gm);
  expect(arrows?.map((line) => line.trim())).toEqual([
    'AS --x W: [END] gave up after 10 s: close_notify',
    'AS -->>- C: [RESP] 201 Created',
    'AS --x W: [END] gave up after 10 s: close_notify',
    'AS -->>- C: [RESP] 500 Internal Server Error',
  ]);
  expect(kubeseq(['summary', ...args]).stdout).toContain(
    '\nrequests      4: 2 with a response, 0 without a response, 2 broken off before a response\n',
  );
});

it('explain says why a request failed, of the request and of the response', () => {
  const folder = 'fixtures/refusals/expired-certificate';
  for (const seq of ['1', '2']) {
    const { stdout } = kubeseq(['explain', seq, `${folder}/capture.pcap.gz`, '--keylog', `${folder}/keys.log.gz`]);
    expect(stdout).toContain(`\nfailed: message 2: 401 Unauthorized: Unauthorized; ${EXPIRED}\n`);
  }
});
