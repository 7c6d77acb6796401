// `kubeseq check` as CI jobs rely on it: exit statuses, reports, what is refused before anything is judged. What verdicts there are is
// tried row by row in check.test.ts.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { JSDOM } from 'jsdom';
import { afterAll, describe, expect, it } from 'vitest';
import { STATUSES } from '../kit/check-rows.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { parseMermaid } from '../kit/mermaid.js';
import { pcap } from '../kit/packetiser.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-check-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
const PLAIN = 'fixtures/run-nginx-http1/capture.pcap.gz';
const TLS = 'fixtures/run-nginx-tls/capture.pcap.gz';
const EXPECTED = 'fixtures/check/expected-run-nginx.mmd';
const ARTICLE = 'fixtures/check/article-flow.mmd';
const BUDGET = 'fixtures/check/budget.yaml';
const NEVER_READ = join(FOLDER, 'no-such.pcap');

function file(name: string, content: string | Uint8Array): string {
  const path = join(FOLDER, name);
  writeFileSync(path, content);
  return path;
}

const expected = readFileSync(join(ROOT, EXPECTED), 'utf8');
const flow = (arrow: string): string => `sequenceDiagram\n  ${arrow}\n`;
const NOWHERE = flow('kubectl ->> kube-apiserver: [REQ] GET /none');

interface Statement {
  readonly name: string;
  readonly args: readonly string[];
  readonly verdict: keyof typeof STATUSES;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

const RUNS: readonly Statement[] = [
  {
    name: 'holds, with a key log',
    args: [EXPECTED, TLS, '--keylog', 'fixtures/run-nginx-tls/keys.log.gz', '--budget', BUDGET],
    verdict: 'pass',
    stdout:
      /^pass {2}fixtures\/check\/expected-run-nginx\.mmd:1: diagram expected-run-nginx: 12 arrows(?:.*\n)pass {2}fixtures\/check\/budget\.yaml:2: /,
  },
  {
    name: 'nothing could be read, of expectations and budgets',
    args: [EXPECTED, TLS, '--budget', BUDGET],
    verdict: 'undecided',
    stdout: /^undecided .*(?:\n {2}.*\nundecided .*){3}\n {2}.*\nmissing in the capture: .*\n$/,
    stderr: /expected-run-nginx\.mmd:1: nothing of the capture could be read: .*--keylog FILE/,
  },
  {
    name: 'a capture without packets',
    args: [EXPECTED, file('empty.pcap', pcap([]))],
    verdict: 'undecided',
    stderr: /there is no request and no answer in the capture/,
  },
  {
    name: 'names without a participant, in diagram and budget, each with its line',
    args: [
      file(
        'names.mmd',
        NOWHERE + '  kubletl ->> kube-apiserver: [REQ] GET /\n  sheduler ->> kube-apiserver: [REQ] GET /\n',
      ),
      PLAIN,
      '--budget',
      file('names.yaml', 'budget:\n  - { from: kubectl|kubelett, max: 1 }\n'),
      ...['-o', 'json'],
    ],
    verdict: 'unreadable',
    stderr:
      /^kubeseq: \S+names\.mmd:3: no participant is called kubletl, .*; nearest: kubelet\nkubeseq: \S+names\.mmd:4: no participant is called sheduler, .*\nkubeseq: \S+names\.yaml:2: no participant is called kubelett, .*; nearest: kubelet\n$/,
  },
  {
    name: 'a name that only --participants has',
    args: [
      file('own.mmd', flow('shop ->> kube-apiserver: [REQ] GET /shop')),
      PLAIN,
      '--participants',
      file('own.yaml', 'participants:\n  - { name: shop, userAgent: shop/* }\n'),
    ],
    verdict: 'FAIL',
  },
  {
    name: 'a kind that is none, before anything is read',
    args: [file('kind.mmd', flow('kubectl ->> kube-apiserver: [RQ] GET /')), NEVER_READ],
    verdict: 'unreadable',
    stderr: /kind\.mmd:2: \[RQ\] is no kind of message; nearest: \[REQ\]$/m,
  },
  {
    name: 'a broken diagram, with its line',
    args: [file('broken.mmd', flow('A ->> B: [REQ] GET /\n  A ->>')), NEVER_READ],
    verdict: 'unreadable',
    stderr: /broken\.mmd:3: .*expected an arrow/,
  },
  {
    name: 'a page without a diagram',
    args: [file('page.md', '# Nothing\n\n```js\n1\n```\n'), NEVER_READ],
    verdict: 'unreadable',
    stderr: /page\.md:1: expected a mermaid fence/,
  },
  {
    name: 'an expectation that is not there',
    args: [join(FOLDER, 'none.mmd'), PLAIN],
    verdict: 'unreadable',
    stderr: /none\.mmd: no such file/,
  },
  {
    name: 'a budget that cannot be read',
    args: [EXPECTED, PLAIN, '--budget', file('bad.yaml', 'budget:\n  - verb: create\n    colour: red\n    max: 3\n')],
    verdict: 'unreadable',
    stderr: /bad\.yaml:2: colour: expected one of name, max/,
  },
  {
    name: 'a report of no format',
    args: [EXPECTED, PLAIN, '--report', 'report.pdf'],
    verdict: 'unreadable',
    stderr: /^kubeseq: --report report\.pdf: [^\n]+\.xml[^\n]*\n$/,
  },
  {
    name: 'an expectation without arrows holds on anything, and is a reason to look',
    args: [file('drawn-later.mmd', '%% not drawn yet\nsequenceDiagram\n  participant A as kubectl\n'), PLAIN],
    verdict: 'pass',
    stderr: /drawn-later\.mmd:2: without arrows, it passes on any/,
  },
  {
    name: '--follow of what is not there leaves nothing to compare',
    args: [
      file('events.mmd', flow('kubelet ->> kube-apiserver: [REQ] POST /api/v1/namespaces/*/events - **')),
      ...[PLAIN, '--follow', 'pod/none'],
    ],
    verdict: 'FAIL',
    stderr: /pod\/none: no message in the capture is about it/,
  },
];

it.each(RUNS)('$name: $verdict', ({ args, verdict, stdout, stderr }) => {
  const quiet = args.includes('--follow') ? [] : ['-q'];
  const ran = kubeseq(['check', ...args, ...quiet]);
  expect([ran.status, ran.stderr]).toEqual([STATUSES[verdict], expect.stringMatching(stderr ?? /^$/)]);
  if (verdict === 'unreadable') expect(ran.stdout).toBe('');
  if (stdout !== undefined) expect(ran.stdout).toMatch(stdout);
});

it.each([
  ['diagram', [PLAIN]],
  ['check', ['fixtures/check/run-nginx.md', PLAIN]],
  ['diff', [PLAIN, 'fixtures/check/run-nginx.md#a-pod-is-run']],
])('a name in the order of --participants without a participant, %s: status 2', (command, args) => {
  const path = file('order.yaml', 'order: [etcd, kubectl, kube-apisrver]\n');
  const { status, stdout, stderr } = kubeseq([command, ...args, '--participants', path, '-q']);
  expect(stderr).toMatch(
    /--participants \S+order\.yaml: order: no participant is called kube-apisrver, .*; nearest: kube-apiserver$/m,
  );
  expect([status, stdout]).toEqual([2, '']);
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

describe('reports of a page, of which one flow fails', () => {
  const page = file('flows.md', PAGE);
  const failing = PAGE.split('\n').findIndex((line) => line.includes('PUT /')) + 1;
  const summary = file('summary.md', 'before\n');
  const [xml, json, txt, md] = ['xml', 'json', 'txt', 'md'].map((ending) => join(FOLDER, `report.${ending}`));
  const reports = [xml, json, txt, md].flatMap((one) => ['--report', one]);
  const { status, stdout } = kubeseq(['check', page, PLAIN, '-q', '-o', 'github', ...reports], {
    env: { GITHUB_STEP_SUMMARY: summary },
  });

  it('-o github annotates the line of the expectation', () => {
    const [annotation, ...others] = stdout.trimEnd().split('\n');
    expect(annotation).toMatch(
      new RegExp(`^::error file=${page.replaceAll('.', '\\.')},line=${failing},title=A Pod is replaced <b>::`),
    );
    expect(annotation).toContain('%0Anearest: frame');
    expect([others, status]).toEqual([['2 checked, 1 failure'], 1]);
  });

  it('and adds a summary with diagrams, which --report writes, too', async () => {
    const text = readFileSync(summary, 'utf8');
    expect(text).toBe(`before\n${readFileSync(md, 'utf8')}`);
    expect(text).toMatch(/^before\n## kubeseq check\n/);
    const [, passed, , diagram] =
      /✅[\s\S]*```mermaid\n([\s\S]*?)\n```([\s\S]*)❌[\s\S]*```mermaid\n([\s\S]*?)\n```/.exec(text) ?? [];
    expect((await parseMermaid(passed)).messages).toHaveLength(12);
    const { messages, notes } = await parseMermaid(diagram);
    expect(messages).toHaveLength(2);
    expect(notes[0]).toMatch(/^not matched; nearest: frame/);
  });

  it('JUnit has a test case an expectation, and is XML', () => {
    const { window } = new JSDOM(readFileSync(xml, 'utf8'), { contentType: 'text/xml' });
    const suites = window.document.documentElement;
    const counts = ['tests', 'failures', 'errors'].map((name) => suites.getAttribute(name));
    expect([suites.tagName, ...counts]).toEqual(['testsuites', '2', '1', '0']);
    const cases = [...suites.querySelectorAll('testcase')];
    expect(cases.map((one) => one.getAttribute('name'))).toEqual(['A Pod is run', 'A Pod is replaced <b>']);
    expect(cases.map((one) => one.querySelectorAll('failure').length)).toEqual([0, 1]);
    expect(suites.querySelector('failure')?.getAttribute('message')).toContain(`line ${failing} not matched`);
  });

  it('text has the line, the nearest message and the difference', () => {
    const text = readFileSync(txt, 'utf8');
    expect(text).toMatch(/^pass {2}\S+flows\.md:6: diagram A Pod is run: 12 arrows/m);
    expect(text).toMatch(new RegExp(`flows\\.md:${failing}: not matched: kubectl → kube-apiserver: \\[REQ\\] PUT`));
    expect(text).toMatch(/its method is (?:GET|DELETE), not PUT/);
  });

  it('JSON has both', () => {
    const { met, expectations } = JSON.parse(readFileSync(json, 'utf8'));
    expect([met, expectations]).toMatchObject([
      false,
      [
        { name: 'A Pod is run', line: 6, result: 'pass' },
        { name: 'A Pod is replaced <b>', result: 'FAIL', failures: [{ line: failing }] },
      ],
    ]);
  });

  it('-w chooses the format by its ending, -o says it: the same as --report', () => {
    const path = join(FOLDER, 'written.xml');
    const args = ['check', page, PLAIN, '-q', '--report', join(FOLDER, 'again.txt')];
    expect(kubeseq([...args, '-w', path]).status).toBe(1);
    expect(readFileSync(path, 'utf8')).toBe(readFileSync(xml, 'utf8'));
    expect(kubeseq([...args, '-o', 'json']).stdout).toBe(readFileSync(json, 'utf8'));
    expect(kubeseq(args).stdout).toBe(readFileSync(txt, 'utf8'));
    expect(readFileSync(join(FOLDER, 'again.txt'), 'utf8')).toBe(readFileSync(txt, 'utf8'));
  });
});

it('several expectations are held against one reading: of standard input there is no other', () => {
  const input = gunzipSync(readFileSync(fixturePath('run-nginx-http1/capture.pcap.gz')));
  const { status, stdout } = kubeseq(['check', EXPECTED, ARTICLE, EXPECTED, '-', '-o', 'json', '-q'], { input });
  const { expectations } = JSON.parse(stdout) as { expectations: { file: string; result: string }[] };
  expect(status).toBe(1);
  expect(expectations.map(({ file: name, result }) => [name, result])).toEqual([
    [EXPECTED, 'pass'],
    [ARTICLE, 'FAIL'],
  ]);
});
