// action.yml: its steps run one after the other as a runner runs them, with inputs, outputs and summary, on a PATH without Node.js.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Ran, ROOT } from '../kit/command.js';
import { parseMermaid } from '../kit/mermaid.js';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly shell?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Acted extends Ran {
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Name and path of what was uploaded. */
  readonly artifact: readonly string[] | null;
}

const { inputs, outputs, runs } = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { default: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: Step[] };
};
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-action-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
/** kubeseq as an executable: it finds no other Node.js. Each call is a line of the log. */
const [KUBESEQ, LOG] = ['kubeseq', 'calls.log'].map((name) => join(FOLDER, name));
const SCRIPT = `#!/bin/sh\necho "$1" >> '${LOG}'\nexec '${process.execPath}' '${ROOT}/bin/kubeseq.js' "$@"\n`;
writeFileSync(KUBESEQ, SCRIPT, { mode: 0o755 });
const PATH = join(FOLDER, 'bin');
mkdirSync(PATH);
for (const tool of 'basename bash cat chmod cmp cp curl dirname head mkdir mktemp mv rm sed sha256sum stat tar tee gzip uname wc'.split(
  ' ',
)) {
  const at = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim();
  if (at !== '') execFileSync('ln', ['-s', at, join(PATH, tool)]);
}

const PLAIN = 'fixtures/run-nginx-http1/capture.pcap.gz';
const TLS = 'fixtures/run-nginx-tls/capture-with-secrets.pcapng.gz';
const EXPECTED = 'fixtures/check/expected-run-nginx.mmd';
const ARTICLE = 'fixtures/check/article-flow.mmd';

/** A job of its own, with its temporary folder. */
function job(): string {
  return mkdtempSync(join(FOLDER, 'job-'));
}

/** docs.github.com, "Metadata syntax for GitHub Actions": defaults, expressions, the environment of a step. */
function act(given: Record<string, string>, temporary = job(), more: Record<string, string> = {}, cwd = ROOT): Acted {
  const results: Record<string, Record<string, string>> = {};
  const evaluated = (expression: string): string => {
    const [, input] = /^inputs\.([a-z0-9-]+)$/.exec(expression) ?? [];
    if (input !== undefined) return given[input] ?? inputs[input].default;
    const [, step, output] = /^steps\.(\w+)\.outputs\.(\w+)$/.exec(expression) ?? [];
    if (step !== undefined) return results[step]?.[output] ?? '';
    const context: Record<string, string> = {
      'github.job': 'flows',
      'strategy.job-index || 0': '0',
      'github.action_repository': 'owner/kubeseq',
      'github.token': 'token-of-the-job',
    };
    return context[expression];
  };
  const filled = (text: string): string =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => evaluated(expression));
  const summaryFile = join(mkdtempSync(join(temporary, 'step-')), 'summary.md');
  let ran: Ran = { status: 0, stdout: '', stderr: '' };
  let artifact: string[] | null = null;
  for (const { id = '', uses, run = '', env = {}, if: condition, with: options = {} } of runs.steps) {
    if (uses !== undefined) {
      expect(condition).toBe("always() && steps.check.outputs.corrected != ''");
      if (evaluated('steps.check.outputs.corrected') !== '')
        artifact = [options['name'], options['path']].map((one) => filled(String(one)));
      continue;
    }
    if (ran.status !== 0) continue;
    const outputFile = join(temporary, `output-${id}-${Math.random()}`);
    writeFileSync(outputFile, '');
    const { status, stdout, stderr } = spawnSync(
      '/bin/bash',
      ['--noprofile', '--norc', '-eo', 'pipefail', '-c', filled(run)],
      {
        cwd,
        env: {
          PATH,
          GITHUB_ACTION_PATH: ROOT,
          GITHUB_OUTPUT: outputFile,
          GITHUB_STEP_SUMMARY: summaryFile,
          GITHUB_SERVER_URL: 'https://github.invalid',
          RUNNER_TEMP: temporary,
          ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)])),
          ...more,
        },
        encoding: 'utf8',
      },
    );
    ran = { status, stdout: ran.stdout + stdout, stderr: ran.stderr + stderr };
    results[id] = Object.fromEntries(
      readFileSync(outputFile, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split(/=(.*)/s, 2) as [string, string]),
    );
  }
  const summary = existsSync(summaryFile) ? readFileSync(summaryFile, 'utf8') : '';
  const values = Object.entries(outputs).map(([name, { value }]) => [name, filled(value)]);
  return { ...ran, outputs: Object.fromEntries(values) as Record<string, string>, summary, artifact };
}

describe('checks', () => {
  const given = { kubeseq: KUBESEQ };

  it('several files at one reading, with a report, a summary and what would pass', () => {
    writeFileSync(LOG, '');
    const before = readFileSync(join(ROOT, ARTICLE), 'utf8');
    const junit = join(FOLDER, 'reports');
    const ran = act({ ...given, expected: `${EXPECTED}\n${ARTICLE}\n`, captures: `${TLS}\n`, junit });
    expect(readFileSync(LOG, 'utf8')).toBe('check\n');
    expect(ran.status).toBe(1);
    expect(ran.stdout.match(/^::error /gm)).toHaveLength(2);
    expect(ran.outputs).toMatchObject({ status: 'fail', report: join(junit, 'kubeseq-flows-0-1.xml'), diagram: '' });
    expect(readFileSync(ran.outputs['report'], 'utf8').match(/<testsuite /g)).toHaveLength(2);
    expect(ran.summary).toMatch(
      /^## kubeseq check\n[\s\S]*### ✅ expected[\s\S]*```mermaid[\s\S]*### ❌ article[\s\S]*```mermaid[\s\S]*```diff\n/,
    );
    expect(ran.artifact).toEqual(['kubeseq-corrected-flows-0-1', ran.outputs['corrected']]);
    expect(act({ ...given, expected: join(ran.outputs['corrected'], ARTICLE), captures: TLS })).toMatchObject({
      status: 0,
      artifact: null,
      outputs: { status: 'pass', report: '', corrected: '' },
    });
    expect(readFileSync(join(ROOT, ARTICLE), 'utf8')).toBe(before);
  });

  it('patterns, and names reports of one job by its uses', () => {
    const [temporary, junit] = [job(), join(FOLDER, 'twice')];
    const patterns = {
      expected: 'fixtures/check/expected-*.mmd',
      captures: 'fixtures/**/capture-with-secrets.pcapng.gz',
    };
    for (const _ of [1, 2]) expect(act({ ...given, ...patterns, junit }, temporary)).toMatchObject({ status: 0 });
    expect(readdirSync(junit).sort()).toEqual(['kubeseq-flows-0-1.xml', 'kubeseq-flows-0-2.xml']);
    const none = act({ ...given, ...patterns, captures: 'fixtures/none/*.pcap' });
    expect([none.status, none.stdout, none.outputs['status']]).toEqual([
      2,
      '::error title=kubeseq::no file matches fixtures/none/*.pcap (input captures)\n',
      'undecided',
    ]);
  });

  it('a budget alone, and what is selected', () => {
    const budget = 'fixtures/check/budget.yaml';
    expect(act({ ...given, captures: PLAIN, budget })).toMatchObject({ status: 0, outputs: { status: 'pass' } });
    const nobody = act({ ...given, expected: EXPECTED, captures: PLAIN, follow: 'pod/none', namespace: 'other' });
    expect([nobody.status, nobody.outputs['status']]).toEqual([1, 'fail']);
    expect(act({ ...given, expected: EXPECTED, captures: PLAIN, where: 'verb ==' }).status).toBe(2);
  });

  it('draws a diagram where nothing is expected', async () => {
    const ran = act({ ...given, captures: PLAIN, follow: 'pod/nginx', where: 'verb != "get"' });
    expect([ran.status, ran.outputs['status']]).toEqual([0, 'pass']);
    const [, diagram] = /^## pod\/nginx\n\n`{10}mermaid\n([\s\S]*)`{10}\n/.exec(ran.summary) ?? [];
    expect((await parseMermaid(diagram)).messages.length).toBeGreaterThan(10);
    expect(readFileSync(ran.outputs['diagram'], 'utf8')).toBe(diagram);
    const all = act({ ...given, captures: PLAIN, where: 'true', follow: 'node/node-1' });
    expect(all.status).toBe(0);
  });

  it('pages whose diagrams are stale, which stay, and as they would be', () => {
    const folder = join(FOLDER, 'pages');
    mkdirSync(folder);
    const page = join(folder, 'nginx.md');
    copyFileSync(join(ROOT, PLAIN), join(folder, 'plain.pcap.gz'));
    const comment = `<!-- kubeseq capture=plain.pcap.gz follow=pod/nginx until=7.4s where='verb != "get"' -->`;
    writeFileSync(page, `# A page\n\n${comment}\n`);
    const stale = act({ ...given, pages: `${folder}/*.md` });
    expect([stale.status, stale.outputs['status']]).toEqual([1, 'fail']);
    expect(stale.summary).toMatch(/^## Stale pages\n\n`{10}diff\n[\s\S]*\n\+ {4}participant C as kubectl\n/);
    expect(readFileSync(page, 'utf8')).toBe(`# A page\n\n${comment}\n`);
    const fresh = join(stale.outputs['corrected'], page);
    copyFileSync(join(ROOT, PLAIN), join(dirname(fresh), 'plain.pcap.gz'));
    expect(act({ ...given, pages: fresh })).toMatchObject({ status: 0, summary: '', artifact: null });
  });

  it('pages with names that look like options, or like two', () => {
    const folder = join(FOLDER, 'odd');
    mkdirSync(folder);
    copyFileSync(join(ROOT, PLAIN), join(folder, 'plain.pcap.gz'));
    const names = ['--help.md', '-p.md', 'a b.md', 'one\ntwo.md'];
    const text = '<!-- kubeseq capture=plain.pcap.gz follow=pod/nginx -->\n';
    for (const name of names) writeFileSync(join(folder, name), text);
    const ran = act({ ...given, pages: '*.md' }, job(), {}, folder);
    expect([ran.status, ran.outputs['status']]).toEqual([1, 'fail']);
    expect(ran.stderr.match(/ is stale; /g)).toHaveLength(names.length);
    expect(readdirSync(ran.outputs['corrected']).sort()).toEqual(names);
    expect(names.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(names.map(() => text));
  });

  it('says what a summary has no room for', () => {
    const temporary = job();
    const summary = join(temporary, 'full.md');
    writeFileSync(summary, 'x'.repeat(999_990));
    const more = { GITHUB_STEP_SUMMARY: summary };
    const drawn = act({ ...given, captures: PLAIN, follow: 'pod/nginx' }, temporary, more);
    expect([drawn.status, drawn.stdout]).toEqual([
      0,
      'diagram: not shown here, as the summary of a step has 1 MiB at most\n\n',
    ]);
    expect(readFileSync(summary, 'utf8').length).toBeLessThan(1024 * 1024);
  });

  it.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['no captures', { expected: EXPECTED }],
  ])('needs more than %s', (_, what) => {
    const ran = act({ ...given, ...what });
    expect([ran.status, ran.outputs['status']]).toEqual([2, 'undecided']);
    expect(ran.stdout).toMatch(/^::error title=kubeseq::name [^\n]+\n$/);
  });
});

describe('installs', () => {
  const releases = join(FOLDER, 'releases');
  const release = join(releases, `v${version}`);
  mkdirSync(release, { recursive: true });
  const name = `kubeseq-linux-${process.arch === 'x64' ? 'amd64' : 'arm64'}.tar.gz`;
  execFileSync('tar', ['-czf', join(release, name), '-C', FOLDER, 'kubeseq']);
  const sha256 = createHash('sha256')
    .update(readFileSync(join(release, name)))
    .digest('hex');
  writeFileSync(join(release, 'checksums.txt'), `${'0'.repeat(64)}  other\n${sha256}  ${name}\n`);
  const more = { KUBESEQ_RELEASES: `file://${releases}` };
  const given = { captures: PLAIN, expected: EXPECTED };

  it.each<[string, number, RegExp]>([
    ['true', 0, /^(?!.*attestation)/s],
    ['false', 2, /^::error title=kubeseq::kubeseq-linux-\w+\.tar\.gz of \S+ has no attestation of owner\/kubeseq\n$/],
  ])('what has an attestation, where gh is there: %s', (verified, status, says) => {
    const bin = join(FOLDER, `gh-${verified}`);
    mkdirSync(bin);
    const log = join(bin, 'log');
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\necho "$@" "$GH_TOKEN" > '${log}'\n${verified}\n`, { mode: 0o755 });
    const ran = act(given, job(), { ...more, PATH: `${bin}:${PATH}` });
    expect([ran.status, readFileSync(log, 'utf8')]).toEqual([
      status,
      expect.stringMatching(/^attestation verify \S+\.tar\.gz --repo owner\/kubeseq token-of-the-job\n$/),
    ]);
    expect(ran.stdout).toMatch(says);
  });

  it('the release of its own version, once a job', () => {
    const temporary = job();
    const first = act(given, temporary, more);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toContain(`::notice title=kubeseq::the attestation of ${name} is not checked`);
    expect(
      act({ ...given, version: `v${version}`, sha256 }, temporary, { KUBESEQ_RELEASES: 'file:///nowhere' }),
    ).toMatchObject({ status: 0 });
    expect(readdirSync(temporary).filter((one) => one.startsWith('kubeseq-'))).toEqual([`kubeseq-${version}`]);
  });

  it.each<[string, Record<string, string>, Record<string, string>, RegExp]>([
    ['another hash', { sha256: '1'.repeat(64) }, {}, /has not the SHA-256 that it should have: 1{64}\n$/],
    ['no such version', { version: '9.9.9' }, {}, /could not get file:\S+\/v9\.9\.9\/kubeseq-linux-\w+\.tar\.gz\n$/],
    ['no such command', { kubeseq: '/nowhere/kubeseq' }, {}, /::\/nowhere\/kubeseq is no command/],
  ])('nothing: %s', (_, what, environment, message) => {
    const ran = act({ ...given, ...what }, job(), { ...more, ...environment });
    expect([ran.status, ran.outputs['status']]).toEqual([2, '']);
    expect(ran.stdout).toMatch(/^::error title=kubeseq::[^\n]+\n$/);
    expect(ran.stdout).toMatch(message);
  });

  it('nothing on another system, and names what it needs', () => {
    const folder = join(FOLDER, 'darwin');
    mkdirSync(folder);
    writeFileSync(join(folder, 'uname'), '#!/bin/sh\n[ "$1" = -s ] && echo Darwin || echo arm64\n', { mode: 0o755 });
    const ran = act(given, job(), { ...more, PATH: `${folder}:${PATH}` });
    expect([ran.status, ran.stdout]).toEqual([
      2,
      expect.stringMatching(/no executable for Darwin on arm64: use a Linux runner/),
    ]);
  });
});

it("is what this repository's own workflow uses, on files that are there", () => {
  const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows/ci.yml'), 'utf8')) as {
    jobs: Record<string, { steps: { uses?: string; with?: Record<string, string> }[] }>;
  };
  const uses = jobs['flows'].steps.filter(({ uses: one }) => one === './');
  expect(uses.length).toBeGreaterThan(0);
  for (const { with: given = {} } of uses) {
    expect(Object.keys(given).filter((name) => inputs[name] === undefined)).toEqual([]);
    expect(given['kubeseq']).toBe('executables/kubeseq-linux-amd64');
    expect(act({ ...given, junit: join(FOLDER, 'own'), kubeseq: KUBESEQ })).toMatchObject({ status: 0 });
  }
});
