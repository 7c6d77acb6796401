// The command line as scripts rely on it: exit statuses, one clear line for every trouble, formats, selections.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';

const NGINX = 'fixtures/run-nginx-http1/capture.pcap.gz';
const ERRORS = 'fixtures/errors-http1/capture.pcap.gz';
const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-'));

function file(name: string, content: string | Uint8Array): string {
  const path = join(FOLDER, name);
  writeFileSync(path, content);
  return path;
}

type Line = Record<string, unknown>;
const lines = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

describe('bad input', () => {
  const cases: [string, string[], RegExp][] = [
    ['a missing file', ['summary', join(FOLDER, 'none.pcap')], /none\.pcap: no such file; check the path/],
    [
      'a directory without captures',
      ['messages', fileURLToPath(new URL('../../bin', import.meta.url))],
      /: no capture \(pcap or/,
    ],
    ['an empty file', ['diagram', file('empty.pcap', '')], /is empty: nothing was captured/],
    [
      'what is no capture',
      ['messages', file('notes.txt', 'these are no packets at all\n')],
      /is not a packet capture .*tcpdump -w/,
    ],
    ['an unknown option', ['messages', '--frobnicate', NGINX], /'--frobnicate'; see 'kubeseq messages --help'\n$/],
    ['an unknown option of the command without a name', ['--frobnicate', NGINX], /see 'kubeseq diagram --help'\n$/],
    [
      'rings for a recording, before its command runs',
      ['record', '--watch', '--', 'touch', join(FOLDER, 'was-run')],
      /'--watch'; see 'kubeseq record --help'\n$/,
    ],
    ...[['check', 'fixtures/check/run-nginx.md'], ['diff', NGINX], ['explain', '300'], ['view']].map(
      (args): [string, string[], RegExp] => [
        `comments of a diagram that ${args[0]} does not draw`,
        [...args, NGINX, '--frames'],
        /unknown option '--frames' .*; see 'kubeseq \w+ --help'\n$/,
      ],
    ),
    ['no argument', ['explain'], /missing required argument 'message'; see 'kubeseq explain --help'\n$/],
    ['standard input twice', ['messages', '-', '-'], /standard input \(-\) is named twice, .*read only once/],
    ['standard input twice, for check', ['check', '-', '-'], /standard input \(-\) is named twice/],
    ['standard input twice, for diff', ['diff', '-', '-'], /standard input \(-\) is named twice/],
    [
      'a day that is none',
      ['messages', '--since', '2026-02-31T00:00:00Z', NGINX],
      /--since 2026-02-31T.*: expected RFC 3339/,
    ],
    ['a time that is none', ['messages', '--until', '2026-02-28T24:00:00Z', NGINX], /--until .*: expected RFC 3339/],
    ['no capture', ['messages'], /name a capture, - for standard input, or -i INTERFACE/],
    ['an unknown format', ['messages', '-o', 'xml', NGINX], /-o xml: expected one of ndjson, table, csv/],
    ['a bad expression', ['messages', '--where', 'verb ==', NGINX], /--where: .*CEL/],
    ['an unknown field', ['messages', '--where', 'colour == "red"', NGINX], /--where: Unknown variable: colour/],
    [
      'an expression that gives no answer',
      ['messages', '--where', 'verb', NGINX],
      /--where: it is of type string, not/,
    ],
    [
      'one that compares what cannot be',
      ['diagram', '--where', 'status == "409"', NGINX],
      /--where: .*int == string; /,
    ],
    ['one that shows it at a message', ['diagram', '--where', 'object.kind > 3', NGINX], /--where: at message \d+: /],
    [
      'one that would hold an expectation against nothing',
      ['check', 'fixtures/check/run-nginx.md', NGINX, '--where', 'object.kind > 3', '-q'],
      /--where: at message \d+: no such overload/,
    ],
    ['a bad time', ['messages', '--since', 'yesterday', NGINX], /--since yesterday: expected RFC 3339 .* or an offset/],
    ['a bad object', ['diagram', '--follow', 'nginx', NGINX], /--follow nginx: expected KIND\/NAME/],
    [
      'a bad layer',
      ['diagram', '--layers', 'api,moon', NGINX],
      /is invalid: expected layers, separated by commas: api, etcd/,
    ],
    ['an unknown notice', ['summary', '--fail-on', 'tcp.holes', NGINX], /--fail-on tcp\.holes: no such notice/],
    ['a missing participants file', ['diagram', '--participants', join(FOLDER, 'none.yaml'), NGINX], /no such file/],
  ];

  it.each(cases)('%s: status 2, one line with what to do, nothing on stdout', (_, args, message) => {
    const { status, stdout, stderr } = kubeseq(args);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/^kubeseq: /);
    expect([status, stdout]).toEqual([2, '']);
  });

  it('a name that is not UTF-8: it is there, and cannot be opened by it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubeseq-names-'));
    const command = `cp ${NGINX} ${folder}/$'caf\\xe9.pcap.gz' && node bin/kubeseq.js summary ${folder}/caf*`;
    const { status, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/: a file whose name is not UTF-8 .*rename it, or/)]);
  });

  it('no such message: first why there are so few', () => {
    const { status, stdout, stderr } = kubeseq(['explain', '1', 'fixtures/run-nginx-tls/capture.pcap.gz']);
    expect([status, stdout]).toEqual([2, '']);
    const said = stderr.trimEnd().split('\n');
    expect(said[0]).toMatch(/^kubeseq: tls\.no-secret: .*no key log was given/);
    expect(said[said.length - 1]).toBe('kubeseq: no message 1: the capture has 0, numbered from 1');
  });

  it('a cut capture is decoded as far as it goes, with a notice, status 0', () => {
    const whole = fixture('run-nginx-http1/capture.pcap');
    const { status, stdout, stderr } = kubeseq([
      'messages',
      '-o',
      'ndjson',
      file('cut.pcap', whole.subarray(0, 500_000)),
    ]);
    expect(status).toBe(0);
    expect(lines(stdout).length).toBeGreaterThan(300);
    expect(stderr).toMatch(/capture\.truncated/);
  });

  it('a capture cut inside gzip is decoded as far as it goes, status 0', () => {
    const gz = readFileSync(NGINX);
    const { status, stdout } = kubeseq([
      'messages',
      '-o',
      'ndjson',
      file('cut.pcap.gz', gz.subarray(0, gz.length >> 1)),
    ]);
    expect(status).toBe(0);
    expect(lines(stdout).length).toBeGreaterThan(100);
  });

  it('--fail-on exits 1 if such a notice occurred, else 0', () => {
    const cut = file('cut2.pcap', fixture('run-nginx-http1/capture.pcap').subarray(0, 500_000));
    expect(kubeseq(['summary', '--fail-on', 'capture.truncated', cut]).status).toBe(1);
    expect(kubeseq(['summary', '--fail-on', 'tcp.gap', NGINX]).status).toBe(0);
  });
});

describe('inputs', () => {
  it('reads standard input, gzipped or not', () => {
    const byName = kubeseq(['messages', '-o', 'ndjson', NGINX]).stdout;
    const plain = kubeseq(['messages', '-o', 'ndjson', '-'], { input: fixture('run-nginx-http1/capture.pcap') });
    const gzipped = kubeseq(['messages', '-o', 'ndjson', '-'], { input: readFileSync(NGINX) });
    const identity = ({ seq, label, time, from, to }: Line): unknown[] => [seq, label, time, from, to];
    expect(lines(plain.stdout).map(identity)).toEqual(lines(byName).map(identity));
    expect(lines(gzipped.stdout).map(identity)).toEqual(lines(byName).map(identity));
  });

  it('merges several captures by time and names the file of each message', () => {
    const { stdout } = kubeseq(['messages', '-o', 'ndjson', ERRORS, NGINX]);
    const all = lines(stdout);
    const times = all.map((line) => line['time'] as string);
    expect(times).toEqual([...times].sort());
    expect(new Set(all.map((line) => line['capture']))).toEqual(new Set([ERRORS, NGINX]));
    expect(all.length).toBe(
      lines(kubeseq(['messages', '-o', 'ndjson', NGINX]).stdout).length +
        lines(kubeseq(['messages', '-o', 'ndjson', ERRORS]).stdout).length,
    );
  });

  it('reads a dozen captures without a message', () => {
    const { status, stderr } = kubeseq(['summary', '-q', ...Array<string>(12).fill(ERRORS)]);
    expect([status, stderr]).toEqual([0, '']);
  });

  it('counts a capture given twice once', () => {
    const once = lines(kubeseq(['messages', '-o', 'ndjson', NGINX]).stdout);
    const twice = lines(kubeseq(['messages', '-o', 'ndjson', NGINX, NGINX]).stdout);
    expect(twice.map((line) => line['label'])).toEqual(once.map((line) => line['label']));
  });
});

describe('selections', () => {
  const all = lines(kubeseq(['messages', '-o', 'ndjson', NGINX]).stdout);
  const select = (...args: string[]): Line[] => lines(kubeseq(['messages', '-o', 'ndjson', ...args, NGINX]).stdout);

  it('--where keeps request and response together and numbers unchanged', () => {
    const selected = select('--where', 'verb == "create" && resource == "pods"');
    expect(selected.map((line) => line['kind']).sort()).toEqual(['request', 'request', 'response', 'response']);
    for (const line of selected) expect(all[(line['seq'] as number) - 1]).toEqual(line);
    const failed = select('--where', 'status == 404');
    const exchanges = new Set(failed.map((line) => line['exchange']));
    expect(failed.length).toBe(exchanges.size * 2);
    expect(exchanges.size).toBe(
      fixtureLines('run-nginx-http1/capture.truth.jsonl').filter((t) => t['kind'] === 'request' && t['status'] === 404)
        .length,
    );
  });

  it('--where selects by how sure a cause is', () => {
    const causeOf = (line: Line): Record<string, unknown> => (line['cause'] ?? {}) as Record<string, unknown>;
    const wanted: [string, (cause: Record<string, unknown>) => boolean][] = [
      ['cause.certain == false', ({ certain }) => certain === false],
      [
        'cause.how == "notification" && cause.certain',
        ({ how, certain }) => how === 'notification' && certain === true,
      ],
      ['cause.seq == 926', ({ seq }) => seq === 926],
      ['has(cause.others) && size(cause.others) > 1', ({ others }) => Array.isArray(others) && others.length > 1],
      ['922 in cause.others', ({ others }) => Array.isArray(others) && others.includes(922)],
    ];
    for (const [expression, fits] of wanted) {
      const chosen = all.filter((line) => fits(causeOf(line)));
      const exchanges = new Set(chosen.filter(({ kind }) => kind === 'request').map(({ exchange }) => exchange));
      const kept = all.filter((line) => chosen.includes(line) || exchanges.has(line['exchange']));
      expect(chosen.length, expression).toBeGreaterThan(0);
      expect(select('--where', expression), expression).toEqual(kept);
    }
  });

  it('--from and --to take components and participants', () => {
    const kubelet = select('--from', 'kubelet');
    expect(kubelet).toHaveLength(all.filter((line) => (line['from'] as string).startsWith('kubelet')).length);
    expect(kubelet.length).toBe(59);
    expect(select('--to', 'kubectl').every((line) => line['to'] === 'kubectl')).toBe(true);
    expect(select('--from', 'kube-controller-manager').some((line) => line['from'] === 'node-controller')).toBe(true);
  });

  it('--since and --until take RFC 3339 and offsets from the first frame', () => {
    const late = select('--since', '7s');
    expect(late.length).toBeGreaterThan(0);
    expect(late.length).toBeLessThan(all.length);
    const first = late[0]['time'] as string;
    expect(select('--since', first)).toEqual(late);
    expect(select('--until', '7s').length + late.length).toBe(all.length);
  });
});

describe('outputs', () => {
  it('-w writes the whole file or nothing, its ending chooses the format', () => {
    const path = join(FOLDER, 'diagram.md');
    expect(kubeseq([NGINX, '-w', path]).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(/^```mermaid\nsequenceDiagram\n/);
    const none = join(FOLDER, 'nothing.mmd');
    expect(kubeseq([file('bad.pcap', 'x'.repeat(100)), '-w', none]).status).toBe(2);
    expect(existsSync(none)).toBe(false);
    expect(readdirSync(FOLDER).filter((name) => name.endsWith('.part'))).toEqual([]);
    const { status, stderr } = kubeseq([NGINX, '-w', join(FOLDER, 'no', 'such', 'folder.mmd')]);
    expect([status, stderr.split('\n').length]).toEqual([2, 2]);
  });

  it('-w writes into a pipe, and to standard output by its names', () => {
    const run = (command: string): string =>
      spawnSync('bash', ['-c', command.replace(/^kubeseq/, 'node bin/kubeseq.js')], { encoding: 'utf8' }).stdout;
    const expected = run(`kubeseq ${NGINX} -q --follow pod/nginx`);
    expect(expected).toContain('sequenceDiagram');
    const before = file('before.txt', 'before\n');
    expect(run(`kubeseq ${NGINX} -q --follow pod/nginx -w /dev/stdout | cat`)).toBe(expected);
    expect(run(`kubeseq ${NGINX} -q --follow pod/nginx -w >(cat); sleep 0.1`)).toBe(expected);
    run(`kubeseq ${NGINX} -q --follow pod/nginx -w /dev/stdout >>${before}`);
    expect(readFileSync(before, 'utf8')).toBe(`before\n${expected}`);
  });

  it('a closed pipe ends quietly', () => {
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', `set -o pipefail; node bin/kubeseq.js messages -o ndjson ${NGINX} | head -1 >/dev/null`],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, '']);
  });

  it('json has all messages accounted for', () => {
    const diagram = JSON.parse(kubeseq([NGINX, '-o', 'json', '--follow', 'pod/nginx']).stdout) as {
      participants: Line[];
      messages: Line[];
      notes: Line[];
      folded: Record<string, number>;
    };
    const all = lines(kubeseq(['messages', '-o', 'ndjson', NGINX]).stdout);
    const folded = Object.values(diagram.folded).reduce((sum, count) => sum + count, 0);
    expect(diagram.messages.length + folded).toBe(all.length);
    expect(diagram.participants.map((one) => one['name'])).toEqual([
      'kubectl',
      'kube-apiserver',
      'kube-scheduler',
      'kubelet (node-1)',
    ]);
    for (const one of diagram.participants) expect((one['evidence'] as string[]).length).toBeGreaterThan(0);
    for (const message of diagram.messages) expect(all[(message['seq'] as number) - 1]['label']).toBe(message['label']);
  });

  it('--participants names, orders and groups', () => {
    const rules = file(
      'participants.yaml',
      'participants:\n  - name: the node\n    userAgent: kubelet/*\n    group: nodes\norder: [the node, kubectl]\n',
    );
    const { stdout } = kubeseq([NGINX, '--participants', rules]);
    expect(stdout).toMatch(
      /box transparent nodes\n\s+participant \S+ as the node\n\s+end\n\s+participant C as kubectl/,
    );
  });

  it('--participants with many wildcards in a pattern are answered soon', () => {
    const pattern = (end: string): string => `${'*'.repeat(40)}e*${end}`;
    const rules = file(
      'wildcards.yaml',
      `participants:\n  - { name: nobody, userAgent: '${pattern('§')}' }\n  - { name: the node, userAgent: 'kube${pattern('')}et*/*' }\n`,
    );
    const started = performance.now();
    const { stdout } = kubeseq([NGINX, '--participants', rules]);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(stdout).toMatch(/ as the node\n/);
    expect(stdout).not.toContain('nobody');
  });

  it('prints its version and its options', () => {
    expect(kubeseq(['--version']).stdout.trim()).toBe(
      (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version,
    );
    expect(kubeseq(['diagram', '--help']).stdout).toContain('--follow');
    expect(kubeseq(['--help']).status).toBe(0);
  });
});
