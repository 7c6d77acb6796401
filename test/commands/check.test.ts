// `kubeseq check` as CI jobs rely on it: which expectations hold, which arrow is named when one does not, exit statuses,
// reports.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { JSDOM } from 'jsdom';
import { describe, expect, it } from 'vitest';
import { kubeseq, type Ran, ROOT } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { parseMermaid } from '../kit/mermaid.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-check-'));
const PLAIN = 'fixtures/run-nginx-http1/capture.pcap.gz';
const TLS = 'fixtures/run-nginx-tls/capture.pcap.gz';
const EXPECTED = 'fixtures/check/expected-run-nginx.mmd';
const ARTICLE = 'fixtures/check/article-flow.mmd';

function file(name: string, text: string): string {
  const path = join(FOLDER, name);
  writeFileSync(path, text);
  return path;
}

const expected = readFileSync(join(ROOT, EXPECTED), 'utf8');
const KEYS = file('keys.log', gunzipSync(readFileSync(fixturePath('run-nginx-tls/keys.log.gz'))).toString('latin1'));

interface Failure {
  readonly kind: string;
  readonly line: number;
  readonly arrow: string;
  readonly nearest: { readonly label: string; readonly frames: number[]; readonly differences: string[] } | null;
  readonly matched: { readonly line: number; readonly frames: number[] }[];
}

function checked(...args: string[]): Ran & { readonly failures: Failure[]; readonly met: boolean } {
  const ran = kubeseq(['check', ...args, '-o', 'json', '-q']);
  if (ran.status === 2) return { ...ran, failures: [], met: false };
  const { met, expectations } = JSON.parse(ran.stdout) as { met: boolean; expectations: { failures: Failure[] }[] };
  return { ...ran, met, failures: expectations.flatMap(({ failures }) => failures) };
}

/** 1-based lines of the arrows of a diagram. */
function arrowLines(text: string): number[] {
  return text.split('\n').flatMap((line, i) => (line.includes('->>') ? [i + 1] : []));
}

describe('the expected flow', () => {
  const captures: [string, string[]][] = [
    ['over HTTP/1.1', [PLAIN]],
    ['over TLS', [TLS, '--keylog', KEYS]],
    ['in a pcapng with its secrets', ['fixtures/run-nginx-tls/capture-with-secrets.pcapng.gz']],
  ];
  it.each(captures)('holds %s', (_, args) => {
    const { status, stdout } = kubeseq(['check', EXPECTED, ...args, '-q']);
    expect(stdout).toMatch(
      /^pass {2}fixtures\/check\/expected-run-nginx\.mmd:1: diagram expected-run-nginx: 12 arrows/,
    );
    expect(status).toBe(0);
  });

  it('is not met by a capture of something else', () => {
    expect(checked(EXPECTED, 'fixtures/errors-http1/capture.pcap.gz').status).toBe(1);
  });
});

describe("the article's own text", () => {
  const lines = arrowLines(readFileSync(join(ROOT, ARTICLE), 'utf8'));

  it('fails first at its third arrow, with what was matched before and what came nearest', () => {
    const { status, failures } = checked(ARTICLE, PLAIN);
    expect(status).toBe(1);
    expect(failures.map(({ line }) => line)).toEqual([lines[2]]);
    const [{ nearest, matched }] = failures;
    expect(matched.map(({ line }) => line)).toEqual(lines.slice(0, 2));
    // Frames as tshark numbers them: the scheduler's watch and its answer, the kubelet's watch.
    expect(matched.map(({ frames }) => frames[0])).toEqual([150, 249]);
    expect(nearest?.frames).toEqual([745, 745]);
    expect(nearest?.differences).toEqual([
      'its fieldSelector is spec.nodeName=node-1, not fieldSelector=spec.nodeName=node-1',
    ]);
  });

  it('with --all-failures fails at the third and the eleventh and at no other', () => {
    const { status, failures } = checked('--all-failures', ARTICLE, PLAIN);
    expect(status).toBe(1);
    expect(failures.map(({ line }) => line)).toEqual([lines[2], lines[10]]);
    expect(failures[1].nearest?.label).toBe('[REQ] PATCH /api/v1/namespaces/default/pods/nginx/status');
    expect(failures[1].nearest?.differences).toEqual(['its method is PATCH, not PUT']);
  });

  it('is rewritten by --update so that it holds, and nothing but those two arrows changes', () => {
    const path = join(FOLDER, 'article.mmd');
    copyFileSync(join(ROOT, ARTICLE), path);
    const { status } = kubeseq(['check', '--update', path, PLAIN, '-q']);
    expect(status).toBe(0);
    const [before, after] = [readFileSync(join(ROOT, ARTICLE), 'utf8'), readFileSync(path, 'utf8')].map((text) =>
      text.split('\n'),
    );
    const changed = before.flatMap((line, i) => (line === after[i] ? [] : [i + 1]));
    expect(changed).toEqual([lines[2], lines[10]]);
    expect(kubeseq(['check', '--update', path, PLAIN, '-q']).status).toBe(0);
    expect(readFileSync(path, 'utf8').split('\n')).toEqual(after);
  });
});

describe('what is not so', () => {
  const line = (pattern: RegExp): number => expected.split('\n').findIndex((one) => pattern.test(one)) + 1;
  const post = line(/POST .*pods - nginx/);
  const binding = line(/binding/);
  const told = line(/AS ->> S: \[RESP-CHUNK\]/);
  const replaced = (at: number, by: (old: string) => string): string =>
    expected
      .split('\n')
      .map((one, i) => (i + 1 === at ? by(one) : one))
      .join('\n');
  const swapped = (a: number, b: number): string =>
    expected
      .split('\n')
      .map((one, i, all) => (i + 1 === a ? all[b - 1] : i + 1 === b ? all[a - 1] : one))
      .join('\n');

  const cases: [string, string, number][] = [
    [
      'an arrow that never happens',
      replaced(post, (old) => `${old}\n    C ->> AS: [REQ] DELETE /api/v1/namespaces/default/pods/apache`),
      post + 1,
    ],
    ['a request above the event that it answers to', swapped(told, binding), post + 2],
    ['an event above the write that made it', swapped(post, told), told],
    ['an answer above its request', swapped(binding, binding + 2), binding + 2],
    ['two writes to one object swapped', swapped(post, binding), post + 1],
    ['a wrong status', replaced(post + 2, (old) => old.replace('201 Created', '409 Conflict')), post + 2],
    ['another wrong status', replaced(binding + 2, (old) => old.replace('201 Created', '200 OK')), binding + 2],
    ['a wrong component', replaced(binding, (old) => old.replace('S ->>+ AS', 'L ->>+ AS')), binding],
    ['a wrong receiver', replaced(told, (old) => old.replace('AS ->> S', 'AS ->> C')), told],
    ['a participant that is not there', expected.replace('as kubelet', 'as etcd'), line(/L ->>\+ AS: \[REQ\] GET/)],
    ['a wrong method', replaced(binding, (old) => old.replace('POST', 'PUT')), binding],
    ['a wrong object', replaced(told, (old) => old.replace('nginx', 'web')), told],
    ['a wrong type of event', replaced(told, (old) => old.replace('ADDED', 'DELETED')), binding],
    ['a parameter that is not there', expected.replace('spec.nodeName=node-1', 'spec.nodeName=node-2'), 9],
  ];
  it.each(cases)('%s: status 1, and it is named', (name, text, at) => {
    const { status, failures } = checked(file(`${name.replaceAll(' ', '-')}.mmd`, text), PLAIN);
    expect(failures.map((one) => one.line)).toEqual([at]);
    expect(status).toBe(1);
  });

  it('the same arrows in another order are, where they race', () => {
    const created = line(/AS -->>- C: \[RESP\] 201/);
    const raced = swapped(told, created);
    expect(checked(file('raced.mmd', raced), PLAIN).status).toBe(0);
  });
});

describe('what cannot be read', () => {
  const cases: [string, string, RegExp][] = [
    ['no diagram', 'hello\n', /no-diagram\.mmd:1: "hello": expected sequenceDiagram/],
    ['a broken arrow', 'sequenceDiagram\n  A ->> B: [REQ] GET /\n  A ->>\n', /:3: .*expected an arrow/],
    ['an open block', 'sequenceDiagram\n  opt maybe\n  A ->> B: [REQ] GET /\n', /:2: opt is not closed; expected end/],
    ['an end too many', 'sequenceDiagram\n  A ->> B: [REQ] GET /\n  end\n', /:3: end without a block/],
    [
      'a time that is none',
      'sequenceDiagram\n  A ->> B: [REQ] GET /\n  %% within: soon\n',
      /:3: "soon": expected a time/,
    ],
    ['a never without arrow', 'sequenceDiagram\n  %% never: A\n', /:2: "A": expected an arrow behind never:/],
  ];
  it.each(cases)('%s: status 2, with its line', (name, text, message) => {
    const { status, stdout, stderr } = kubeseq(['check', file(`${name.replaceAll(' ', '-')}.mmd`, text), PLAIN]);
    expect(stderr).toMatch(message);
    expect([status, stdout]).toEqual([2, '']);
  });

  it('a page without a diagram, a file that is not there, a bad budget: status 2', () => {
    const page = kubeseq(['check', file('page.md', '# Nothing\n\n```js\n1\n```\n'), PLAIN]);
    expect([page.status, page.stderr]).toEqual([2, expect.stringMatching(/page\.md:1: expected a mermaid fence/)]);
    expect(kubeseq(['check', join(FOLDER, 'none.mmd'), PLAIN]).stderr).toMatch(/none\.mmd: no such file/);
    const budget = file('bad.yaml', 'budget:\n  - verb: create\n    colour: red\n    max: 3\n');
    const ran = kubeseq(['check', EXPECTED, PLAIN, '--budget', budget]);
    expect([ran.status, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/bad\.yaml:2: colour: expected one of name, max/),
    ]);
  });

  it('more work than the bound is status 2, with a message', () => {
    // Each name can be any part of an account's name: more ways to read a label than are looked at.
    const arrow = 'M ->> AS: [REQ] POST /api/v1/namespaces/kube-system/serviceaccounts/{a}{b}{c}{d}/token';
    const text = `sequenceDiagram\n  participant M as kube-controller-manager\n  participant AS as kube-apiserver\n  ${arrow}\n`;
    const { status, stderr } = kubeseq(['check', file('work.mmd', text), PLAIN]);
    expect(stderr).toMatch(/work\.mmd:1: READINGS_LIMIT: one label can be read in more than 256 ways/);
    expect(status).toBe(2);
  });
});

const PAGE = `# Flows

## A Pod is run

\`\`\`mermaid
${expected.trimEnd()}
\`\`\`

## A Pod is replaced <b>

\`\`\`mermaid
sequenceDiagram
    participant C as kubectl
    participant AS as kube-apiserver
    C ->> AS: [REQ] PUT /api/v1/namespaces/default/pods/nginx
    AS -->> C: [RESP] 200 OK
\`\`\`
`;

describe('reports', () => {
  const page = file('flows.md', PAGE);
  const failing = PAGE.split('\n').findIndex((line) => line.includes('PUT /')) + 1;

  it('-o junit has a test case an expectation, and is XML', () => {
    const { status, stdout } = kubeseq(['check', page, PLAIN, '-o', 'junit', '-q']);
    const { window } = new JSDOM(stdout, { contentType: 'text/xml' });
    const suites = window.document.documentElement;
    expect([suites.tagName, suites.getAttribute('tests'), suites.getAttribute('failures')]).toEqual([
      'testsuites',
      '2',
      '1',
    ]);
    const cases = [...suites.querySelectorAll('testcase')];
    expect(cases.map((one) => one.getAttribute('name'))).toEqual(['A Pod is run', 'A Pod is replaced <b>']);
    expect(cases.map((one) => one.querySelectorAll('failure').length)).toEqual([0, 1]);
    expect(suites.querySelector('failure')?.getAttribute('message')).toContain(`line ${failing} not matched`);
    expect(status).toBe(1);
  });

  it('-o github annotates the line of the expectation and writes a summary with a diagram', async () => {
    const summary = file('summary.md', 'before\n');
    const { status, stdout } = kubeseq(['check', page, PLAIN, '-o', 'github', '-q'], {
      env: { GITHUB_STEP_SUMMARY: summary },
    });
    const [annotation, ...others] = stdout.trimEnd().split('\n');
    expect(annotation).toMatch(
      new RegExp(`^::error file=${page.replaceAll('.', '\\.')},line=${failing},title=A Pod is replaced <b>::`),
    );
    expect(annotation).toContain('%0Anearest: frame');
    expect(others).toEqual(['2 checked, 1 failure']);
    expect(status).toBe(1);
    const text = readFileSync(summary, 'utf8');
    expect(text).toMatch(/^before\n## kubeseq check\n/);
    const [, passed, , diagram] =
      /✅[\s\S]*```mermaid\n([\s\S]*?)\n```([\s\S]*)❌[\s\S]*```mermaid\n([\s\S]*?)\n```/.exec(text) ?? [];
    expect((await parseMermaid(passed)).messages).toHaveLength(12);
    const { messages, notes } = await parseMermaid(diagram);
    expect(messages).toHaveLength(2);
    expect(notes[0]).toMatch(/^not matched; nearest: frame/);
  });

  it('-o github shows ten annotations at most, the last with a count of the rest', () => {
    const arrows = Array.from({ length: 25 }, (_, i) => `  kubectl ->> kube-apiserver: [REQ] GET /none/${i}`).join(
      '\n',
    );
    const many = file('many.mmd', `sequenceDiagram\n${arrows}\n`);
    const { stdout } = kubeseq(['check', '--all-failures', many, PLAIN, '-o', 'github', '-q']);
    const annotations = stdout.split('\n').filter((line) => line.startsWith('::error '));
    expect(annotations).toHaveLength(10);
    expect(annotations[9]).toContain('16 more');
  });

  it('-o text has the line, the nearest message and the difference', () => {
    const { stdout } = kubeseq(['check', page, PLAIN, '-q']);
    expect(stdout).toMatch(/^pass {2}\S+flows\.md:6: diagram A Pod is run: 12 arrows/m);
    expect(stdout).toMatch(new RegExp(`flows\\.md:${failing}: not matched: kubectl → kube-apiserver: \\[REQ\\] PUT`));
    expect(stdout).toMatch(/its method is (?:GET|DELETE), not PUT/);
  });

  it('-w chooses the format by its ending', () => {
    const path = join(FOLDER, 'report.xml');
    expect(kubeseq(['check', page, PLAIN, '-q', '-w', path]).status).toBe(1);
    expect(readFileSync(path, 'utf8')).toMatch(/^<\?xml /);
  });
});

describe('several expectations', () => {
  const input = gunzipSync(readFileSync(fixturePath('run-nginx-http1/capture.pcap.gz')));

  it('are held against one reading: of standard input there is no other', () => {
    const { status, stdout } = kubeseq(['check', EXPECTED, ARTICLE, EXPECTED, '-', '-o', 'json', '-q'], { input });
    const { expectations } = JSON.parse(stdout) as { expectations: { file: string; result: string }[] };
    expect(status).toBe(1);
    expect(expectations.map(({ file: name, result }) => [name, result])).toEqual([
      [EXPECTED, 'pass'],
      [ARTICLE, 'FAIL'],
    ]);
  });

  it('--report: the same reports beside the output', () => {
    const reports = ['xml', 'json', 'txt', 'md'].map((ending) => join(FOLDER, `report.${ending}`));
    const args = ['check', ARTICLE, EXPECTED, '-', '-q'];
    const { stdout } = kubeseq([...args, ...reports.flatMap((one) => ['--report', one])], { input });
    const [junit, json, text, summary] = reports.map((one) => readFileSync(one, 'utf8'));
    for (const [format, written] of [
      ['junit', junit],
      ['json', json],
    ])
      expect(kubeseq([...args, '-o', format], { input }).stdout).toBe(written);
    expect(text).toBe(stdout);
    expect(summary).toMatch(/^## kubeseq check\n\n### ❌ article/);
    expect(kubeseq([...args, '--report', 'report.pdf'], { input }).stderr).toMatch(
      /^kubeseq: --report report\.pdf: [^\n]+\.xml[^\n]*\n$/,
    );
  });

  it('--corrected: those that fail as they would pass, into a folder; they stay as they are', () => {
    const before = readFileSync(join(ROOT, ARTICLE), 'utf8');
    const folder = join(FOLDER, 'corrected');
    const summary = join(FOLDER, 'corrected.md');
    const args = ['check', ARTICLE, EXPECTED, PLAIN, '-q', '--corrected', folder, '--report', summary];
    expect(kubeseq(args).status).toBe(1);
    expect(readFileSync(join(ROOT, ARTICLE), 'utf8')).toBe(before);
    expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.mmd'))).toEqual([ARTICLE]);
    expect(kubeseq(['check', join(folder, ARTICLE), PLAIN, '-q']).status).toBe(0);
    // The patch in the summary is what leads from the one to the other.
    const [, patch] = /\n```diff\n([\s\S]*?)\n```\n/.exec(readFileSync(summary, 'utf8')) ?? [];
    const patched = join(FOLDER, 'patched.mmd');
    writeFileSync(patched, before);
    spawnSync('patch', [patched], { input: `${patch}\n` });
    expect(readFileSync(patched, 'utf8')).toBe(readFileSync(join(folder, ARTICLE), 'utf8'));
  });
});

describe('time, and what must not be', () => {
  const withLine = (after: RegExp, line: string): string =>
    expected.replace(new RegExp(`^.*${after.source}.*$`, 'm'), (found) => `${found}\n    ${line}`);

  it('within: limits the time since the arrow above', () => {
    // From the event at 7.180600 to the binding at 7.183… as tshark times frames 1789 and 1791.
    const slow = withLine(/AS ->> S: \[RESP-CHUNK\]/, '%% within: 10s');
    expect(checked(file('slow.mmd', slow), PLAIN).status).toBe(0);
    const fast = withLine(/S ->>\+ AS: \[REQ\] POST/, '%% within: 10us');
    const { status, failures } = checked(file('fast.mmd', fast), PLAIN);
    expect(status).toBe(1);
    expect(failures[0].nearest?.differences[0]).toMatch(/it came \d.* after line 15, not within 10 µs/);
    const last = `${expected.trimEnd()}\n    %% within: 1us\n`;
    expect(checked(file('last.mmd', last), PLAIN).failures[0].line).toBe(arrowLines(expected)[11]);
  });

  it('never: names the line and the message that occurred', () => {
    const text = withLine(/After k8s setup/, '%% never: C ->> AS: [REQ] DELETE /api/v1/namespaces/default/pods/nginx');
    const { status, failures } = checked(file('never.mmd', text), PLAIN);
    expect(status).toBe(1);
    expect(failures.map(({ kind, line }) => [kind, line])).toEqual([['never', 12]]);
    expect(failures[0].nearest?.label).toBe('[REQ] DELETE /api/v1/namespaces/default/pods/nginx');
    const fine = withLine(/After k8s setup/, '%% never: L ->> AS: [REQ] DELETE /api/v1/nodes/**');
    expect(checked(file('never-fine.mmd', fine), PLAIN).status).toBe(0);
  });

  it('budgets: at most so many, in all or in a time, for each of a group', () => {
    const generous = file('generous.yaml', 'budget:\n  - { from: kubelet, verb: patch, resource: pods, max: 10 }\n');
    expect(kubeseq(['check', EXPECTED, PLAIN, '--budget', generous, '-q']).status).toBe(0);
    const tight = file(
      'tight.yaml',
      'budget:\n  - name: patches\n    from: kubelet\n    verb: patch\n    resource: pods\n    max: 1\n  - status: 409|429\n    max: 0\n',
    );
    const { status, stdout } = kubeseq(['check', EXPECTED, PLAIN, '--budget', tight, '-o', 'json', '-q']);
    const { budgets } = JSON.parse(stdout) as {
      budgets: { name: string; line: number; met: boolean; count: number }[];
    };
    expect(status).toBe(1);
    // As many as the API server's own audit log has.
    const patches = 4;
    expect(budgets[0]).toMatchObject({ name: 'patches', line: 2, met: false, count: patches });
  });

  it('budgets find storms of refusals', () => {
    const storm = file('storm.yaml', 'budget:\n  - { status: 429, per: resource, max: 3, within: 2s }\n');
    const any = file(
      'any.mmd',
      'sequenceDiagram\n  participant C as curl\n  participant AS as kube-apiserver\n  C ->> AS: [REQ] GET **\n',
    );
    const keys = file(
      'throttle.log',
      gunzipSync(readFileSync(fixturePath('throttle-tls/keys.log.gz'))).toString('latin1'),
    );
    const { status, stdout } = kubeseq([
      'check',
      any,
      'fixtures/throttle-tls/capture.pcap.gz',
      '--keylog',
      keys,
      '--budget',
      storm,
      '-q',
    ]);
    expect(stdout).toMatch(/FAIL {2}\S+storm\.yaml:2: status 429: at most 3/);
    expect(status).toBe(1);
  });
});

describe('--update', () => {
  it('draws a new expectation whose generated names are open, and which holds', () => {
    const path = join(FOLDER, 'web.mmd');
    const keys = file(
      'web.log',
      gunzipSync(readFileSync(fixturePath('deployment-tls/keys.log.gz'))).toString('latin1'),
    );
    const captures = ['fixtures/deployment-tls/control-plane.pcap.gz', '--keylog', keys, '-q'];
    expect(kubeseq(['check', '--update', path, '--follow', 'deployment/web', ...captures]).status).toBe(0);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain('[RESP-CHUNK] Pod ADDED - web-{hash}-{suffix}');
    expect(text).not.toMatch(/web-[bcdfghjklmnpqrstvwxz2456789]{8,10}\b/);
    expect(kubeseq(['check', path, ...captures]).status).toBe(0);
  });

  it('keeps notes, aliases and patterns, mends what changed, moves what was elsewhere, removes what is gone', async () => {
    const path = file(
      'mine.mmd',
      [
        'sequenceDiagram',
        '    participant People as kubectl',
        '    participant AS as kube-apiserver',
        '    participant S as kube-scheduler',
        '    Note over People: my own words',
        '    People ->>+ AS: [REQ] POST /api/*/namespaces/{ns}/pods - {pod}',
        '    AS -->>- People: [RESP] 202 Accepted',
        '    S ->>+ AS: [REQ] POST /api/v1/namespaces/{ns}/pods/{pod}/binding',
        '    AS ->> S: [RESP-CHUNK] Pod Added - {pod}',
        '    AS -->>- S: [RESP] 2xx',
        '    S ->>+ AS: [REQ] GET /no/such/thing/at/all/in/this/capture',
        '    AS -->>- S: [RESP] 418',
        '',
      ].join('\n'),
    );
    const { status } = kubeseq(['check', '--update', path, PLAIN, '-q']);
    const text = readFileSync(path, 'utf8');
    expect(status).toBe(0);
    expect(text).toContain('Note over People: my own words');
    expect(text).toContain('[REQ] POST /api/*/namespaces/{ns}/pods - {pod}');
    expect(text).toContain('AS -->>- People: [RESP] 201 Created');
    expect(text).not.toContain('no/such/thing');
    expect(text.indexOf('Pod Added - {pod}')).toBeLessThan(text.indexOf('binding'));
    await parseMermaid(text);
  });
});

describe('--follow of what is not in the capture', () => {
  const NOBODY = ['--follow', 'pod/none'];

  it('leaves nothing to compare with an expectation, and reports that', () => {
    const events =
      'sequenceDiagram\n  participant AS as kube-apiserver\n  kubelet ->> AS: [REQ] POST /api/v1/namespaces/*/events - **\n';
    const path = file('events.mmd', events);
    expect(kubeseq(['check', path, PLAIN, '-q']).status).toBe(0);
    const ran = kubeseq(['check', path, PLAIN, ...NOBODY]);
    expect([ran.status, ran.stderr]).toEqual([
      1,
      expect.stringMatching(/pod\/none: no message in the capture is about it/),
    ]);
  });

  it.each([
    ['a new expectation', null],
    ['one that waits for its diagram', 'sequenceDiagram\n'],
    ['one whose arrows all would go', 'sequenceDiagram\n  kubectl ->> kube-apiserver: [REQ] GET /none\n'],
  ])('is no reason for --update to write %s without arrows', (name, before) => {
    const path = join(FOLDER, `${name.replaceAll(' ', '-')}.mmd`);
    if (before !== null) writeFileSync(path, before);
    const ran = kubeseq(['check', '--update', path, PLAIN, ...NOBODY, '-q']);
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([2, '', expect.stringMatching(/:1: not written: .*no arrow/)]);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before);
  });
});

it('reports that an expectation without arrows holds on anything', () => {
  const path = file('none.mmd', '%% not drawn yet\nsequenceDiagram\n  participant A as kubectl\n');
  const ran = kubeseq(['check', path, PLAIN]);
  expect([ran.status, ran.stderr]).toEqual([0, expect.stringMatching(/none\.mmd:2: without arrows, it passes on any/)]);
});
