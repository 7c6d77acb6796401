// No command takes an option that it ignores: each changes an output of each command that has it, or a test of a terminal, a host or
// a live capture holds it.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubeseq, ROOT, ranInThread } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { NO_TERMINAL, TerminalSession } from '../kit/terminal.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-options-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const FILE = at('capture.ndjson');
const OTHER = at('other.ndjson');
const [FIGHT, STARTING, OWNED] = [at('fight.ndjson'), at('starting.ndjson'), at('owned.ndjson')];
const [EXPECTED, REVIEW] = [at('expected.mmd'), at('review.mmd')];
const COMMANDS = [...kubeseq(['--help']).stdout.matchAll(/^ {2}(\w+) (?:\[options\]|<)/gm)].map(([, name]) => name);
const [VIEW, KEYS, RECORD] = [
  'test/commands/view.test.ts',
  'test/commands/keys-live.test.ts',
  'test/commands/record.test.ts',
];
const PAINTED = ['diagram', 'messages', 'check', 'diff', 'object'];
const ESCAPE = '\x1b[';
/** Made anew for each run; what is written here belongs to its output. */
const OUT = at('out');
const EXEC = '[REQ] GET /api/v1/namespaces/shop/pods/web-0/exec?command=no';

/** What is hidden stands in the files, and is redacted as they are read. */
beforeAll(() => {
  mkdirSync(at('.git'));
  const planted = [fixturePath('planted/capture.pcap.gz'), '--keylog', fixturePath('planted/keys.log.gz')];
  const starting = [
    fixturePath('not-starting-tls/control-plane.pcap.gz'),
    '--keylog',
    fixturePath('not-starting-tls/keys.log.gz'),
  ];
  const save = (file: string, args: readonly string[]): void =>
    expect(kubeseq(['export', ...args, '-q', '--show-secrets', '-w', file]).stderr).toBe('');
  save(FILE, [...planted, '--where', PART]);
  save(STARTING, [...starting, '--follow', 'pod/denied']);
  save(OWNED, [...starting, '--follow', 'deployment/two', '-n', 'team']);
  writeFileSync(STARTING, readFileSync(STARTING, 'utf8').replaceAll('no basic auth', 'no basirox auth'));
  const saved = readFileSync(FILE, 'utf8').replace(
    '"[RESP] 200 OK, denied"',
    '"[RESP] 200 OK, denied: no basirox here"',
  );
  writeFileSync(FILE, saved);
  const lines = saved.trimEnd().split('\n');
  const [head] = lines;
  // As it ends: its participants, connections and reports.
  const rest = lines.slice(lines.findLastIndex((line) => line.startsWith('{"seq"')) + 1);
  writeFileSync(FIGHT, [head, ...fight(), ...rest].map((line) => `${line}\n`).join(''));
  writeFileSync(OTHER, [head, ...fight('other'), ...rest].map((line) => `${line}\n`).join(''));
  writeFileSync(EXPECTED, `sequenceDiagram\n kubectl->>kube-apiserver: ${EXEC}\n kubectl->>kube-apiserver: ${EXEC}\n`);
  writeFileSync(REVIEW, 'sequenceDiagram\n webhook hook.example.com->>kube-apiserver: [RESP] 200 OK, denied: no\n');
  writeFileSync(at('key'), 'ring of a dozen letters, no more!', { mode: 0o600 });
  writeFileSync(at('names.yaml'), "participants:\n  - name: me\n    userAgent: 'ku*'\n");
});

/** Two clients that undo each other's change of a command, a text and an annotation of one Pod. */
function fight(word = 'one'): string[] {
  return Array.from({ length: 12 }, (_, i) => {
    const [turn, isRequest] = [i >> 1, i % 2 === 0];
    const value = turn % 2 === 0 ? `is ${word}rixel` : 'is secondrox';
    const body = {
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: { name: 'web-0', namespace: 'shop', annotations: { 'a.example/b': value } },
      spec: { containers: [{ name: 'app', image: 'app', args: ['serve', value] }] },
      status: { conditions: [{ type: 'Ready', status: 'False', message: value }] },
    };
    return JSON.stringify({
      ...{ seq: i + 1, time: `2026-11-24T15:08:${20 + i}.000000Z`, kind: isRequest ? 'request' : 'response' },
      protocol: 'kubernetes',
      from: isRequest ? AGENTS[turn % 2] : 'kube-apiserver',
      to: isRequest ? 'kube-apiserver' : AGENTS[turn % 2],
      label: isRequest ? '[REQ] PATCH /api/v1/namespaces/shop/pods/web-0' : '[RESP] 200 OK',
      ...{ exchange: turn + 1, connection: `10.0.0.${1 + (turn % 2)}:1-10.0.0.10:6443`, stream: null },
      ...{ frames: [i + 1, i + 1], complete: true },
      ...(isRequest
        ? {
            ...{ method: 'PATCH', target: '/api/v1/namespaces/shop/pods/web-0', userAgent: AGENTS[turn % 2] },
            ...{ verb: 'patch', apiGroup: '', apiVersion: 'v1', resource: 'pods', namespace: 'shop', name: 'web-0' },
          }
        : {
            ...{ status: 200, causedBy: i, cause: { seq: i, how: 'response', certain: true } },
            object: {
              kind: 'Pod',
              apiVersion: 'v1',
              namespace: 'shop',
              name: 'web-0',
              uid: 'u',
              resourceVersion: `${i}`,
            },
          }),
      ...{ headers: [], body },
    });
  });
}

const AGENTS = ['first', 'second'];
const PART = [
  'seq >= 247 && seq <= 256',
  'resource == "databases"',
  'name == "web-0" && (verb == "create" || verb == "patch" || verb == "watch")',
  'seq >= 1504 && seq <= 1520',
  'seq >= 1753 && seq <= 1777',
].join(' || ');

const BASES: Readonly<Record<string, readonly string[]>> = {
  diagram: ['diagram', FILE],
  page: ['diagram', FIGHT, '-o', 'html'],
  'object of a fight': ['object', 'pod/web-0', FIGHT, '-n', 'shop'],
  messages: ['messages', FILE],
  export: ['export', FILE],
  query: ['query', FILE, 'SELECT * FROM messages'],
  summary: ['summary', FILE],
  top: ['top', FILE],
  'top of a fight': ['top', FIGHT],
  check: ['check', EXPECTED, FILE],
  'check of an answer': ['check', REVIEW, FILE],
  'check of nothing': ['check', join(OUT, 'empty.mmd'), FILE, '--update'],
  diff: ['diff', FILE, FIGHT],
  'diff of hidden values': ['diff', FIGHT, OTHER],
  object: ['object', 'pod/web-0', FILE, '-n', 'shop'],
  path: ['path', 'pod/denied', STARTING],
  'path of a part': ['path', 'pod/web-0', FILE, '-n', 'shop'],
  'diagram of a start': ['diagram', STARTING],
  'explain of a start': ['explain', 'arrow:12', STARTING],
  'diagram of controllers': ['diagram', OWNED],
  'check of controllers': ['check', join(OUT, 'empty.mmd'), OWNED, '--update'],
  'diff of controllers': ['diff', OWNED, STARTING, '--all'],
  'docs of controllers': ['docs', '--new', join(OUT, 'new.md'), OWNED],
  explain: ['explain', 'arrow:1', FILE],
  'explain of a patch': ['explain', '1754', FILE],
  'explain of an answer': ['explain', '1776', FILE],
  'docs of a page without a diagram': ['docs', join(OUT, 'other.md')],
  'docs of a new page': ['docs', '--new', join(OUT, 'new.md'), FILE],
  docs: ['docs', join(OUT, 'page.md')],
};
const CAPTURES = 'diagram, messages, export, query, summary, top, check, diff, object, path, explain';
const NOISY = CAPTURES.replace('path', 'path of a part');
const DRAWN = 'diagram, check of nothing, diff, explain, docs of a new page';
const CHOOSING = `${DRAWN}, messages, export, top`;

/** Options, the commands that have them, and what else is given. */
const ROWS: readonly (readonly [option: readonly string[], commands: string, also?: readonly string[]])[] = [
  [['--keylog', at('none.log')], `${CAPTURES}, docs of a new page`],
  [['--participants', at('names.yaml')], `${CAPTURES}, docs of a new page`],
  [['--watch'], CAPTURES],
  [['-i', 'lo'], 'diagram, messages, top'],
  [['--filter', 'port 1'], 'diagram, messages, top'],
  [['-w', join(OUT, 'written')], CAPTURES],
  [['--anonymize'], CAPTURES],
  [['--anonymize-key', at('key')], CAPTURES],
  [['--map', join(OUT, 'map.json')], CAPTURES, ['--anonymize-key', at('key')]],
  [['-o', 'json'], 'diagram, summary, top, check, diff, object, path'],
  [['-o', 'csv'], 'messages'],
  [['-o', 'parquet'], 'export'],
  [['-o', 'table'], 'query'],
  [['-q'], NOISY, ['-v']],
  [['-v'], NOISY],
  [['--show', 'commands'], 'diagram, messages, export, query, summary, top of a fight, check, diff, object, explain'],
  [
    ['--show', 'text'],
    `diagram, messages, export, query, summary, object, path, top of a fight, check of an answer, diff of hidden values, explain of an answer`,
  ],
  [
    ['--show', 'secrets'],
    'diagram, messages, export, query, summary, top of a fight, check, diff, object, path, explain',
  ],
  [['--show', 'field=pods.metadata.annotations.*'], 'page, top of a fight, diff of hidden values, object of a fight'],
  [['--show', 'field=configmaps.metadata.annotations.*'], 'messages, query, explain of a patch'],
  [['--show', 'field=databases.spec.*'], 'export'],
  [['--from', 'etcd'], CHOOSING],
  [['--to', 'etcd'], CHOOSING],
  [['--since', '9s'], CHOOSING],
  [['--until', '1s'], CHOOSING],
  [['--where', 'verb == "create"'], CHOOSING],
  [['--follow', 'databases/orders'], CHOOSING],
  [['-n', 'shop'], CHOOSING, ['--follow', 'databases/orders']],
  [['-A'], CHOOSING, ['--follow', 'databases/orders']],
  [['--all'], `${DRAWN}, object`.replace('explain', 'explain of a start')],
  [['--layers', 'net'], DRAWN],
  [['--by', 'component'], 'diagram of controllers, check of controllers, diff of controllers, docs of controllers'],
  [['--frames'], 'diagram, docs of a new page'],
  [['--overview'], 'diagram'],
  [['--no-overview'], 'diagram', ['--overview']],
  [['--answers', 'folded'], 'diagram'],
  [['--detail', 'low'], 'diagram'],
  [['--labels', 'short'], 'diagram'],
  [['--path'], 'diagram of a start', ['--follow', 'pod/denied']],
  [['--users'], 'diagram of a start'],
  [['--wide'], 'diagram', ['-o', 'text']],
  [['--trace', 'story'], 'diagram, messages', ['-o', 'otlp']],
  [['--bodies'], 'messages'],
  [['--streams'], 'summary'],
  [['--fail-on', 'tcp.late-start'], 'summary'],
  [['--limit', '1'], 'summary, top'],
  [['--by', 'agent'], 'top'],
  [['--sort', 'p99'], 'top'],
  [['--threshold', 'fight-turns=100'], 'top of a fight'],
  [['--all-failures'], 'check'],
  [['--update'], 'check'],
  [['--corrected', join(OUT, 'corrected')], 'check of an answer'],
  [['--report', join(OUT, 'report.json')], 'check'],
  [['--budget', at('none.yaml')], 'check'],
  [['--stat'], 'diff'],
  [['--ignore-nondeterminism'], 'diff'],
  [['-A'], 'path'],
  [['-n', 'other'], 'path, object'],
  [['-l', 'a=b'], 'path'],
  [['--pods'], 'path'],
  [['--goal', 'gone'], 'path'],
  [['--chain'], 'explain'],
  [['--check'], 'docs'],
  [['--steps', '1'], 'docs of a new page'],
  [['--evidence'], 'docs of a new page'],
  [['--path'], 'docs of a new page', ['--follow', 'databases/orders']],
  [['--provenance'], 'docs of a new page'],
  [['--bodies', 'json'], 'docs of a new page'],
  // They are refused without --new.
  [['--by', 'component'], 'docs'],
  [['-n', 'shop'], 'docs'],
  [['-A'], 'docs'],
  [['--new'], 'docs'],
  [['-v'], 'docs'],
  [['-q'], 'docs of a page without a diagram'],
];

/** What a command prints and writes without the option, by its name and what else is given. */
const plain = new Map<string, string>();

function run(command: string, options: readonly string[]): string {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT);
  writeFileSync(join(OUT, 'page.md'), `# Page\n\n<!-- kubeseq capture=${FILE} -->\n<!-- /kubeseq -->\n`);
  writeFileSync(join(OUT, 'other.md'), '# Page\n');
  writeFileSync(join(OUT, 'empty.mmd'), 'sequenceDiagram\n');
  const { status, stdout, stderr } = ranInThread([...BASES[command], ...options], { ...process.env, COLUMNS: '80' });
  const written = readdirSync(OUT, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => `${name}\n${readFileSync(join(parentPath, name), 'latin1')}`);
  return [status, stdout, stderr, ...written].join('\n');
}

it.each(ROWS.map(([option, commands, also = []]) => ({ option: option.join(' '), commands, also, given: option })))(
  '$option changes $commands',
  ({ commands, also, given }) => {
    const same = commands.split(', ').filter((one) => {
      const key = [one, ...also].join(' ');
      const before = plain.get(key) ?? run(one, also);
      plain.set(key, before);
      return run(one, [...also, ...given]) === before;
    });
    expect(same).toEqual([]);
  },
);

/** Options that show on a terminal, on a host, in a live capture, or of a finding alone: the test that holds them. */
const ELSEWHERE: readonly (readonly [command: string, options: string, test: string])[] = [
  // Session reads the one for all, main.ts the other.
  ...COMMANDS.map((command) => [command, '--no-progress', 'src/cli/output/progress.test.ts'] as const),
  ...COMMANDS.map((command) => [command, '--no-pager', 'test/commands/pager.test.ts'] as const),
  ...COMMANDS.map((command) => [command, '--live', 'test/commands/live.test.ts'] as const),
  ...COMMANDS.map((command) => [command, '--decode', 'test/captures/forms-of-files.test.ts'] as const),
  ...['diagram', 'object', 'diff'].map((one) => [one, '--no-sandbox', 'test/commands/image.test.ts'] as const),
  ['mcp', '--keylog --participants --quiet --below', 'test/commands/mcp.test.ts'],
  ['mcp', '--anonymize --anonymize-key --map', 'test/hostile/anonymize.test.ts'],
  ['view', '--anonymize --anonymize-key --map', 'test/hostile/anonymize.test.ts'],
  ['view', `--keylog --participants --quiet --no-color --show`, VIEW],
  ['view', '--from --to --since --until --where --follow --namespace --all-namespaces --all --layers --by', VIEW],
  ['doctor', '--output', 'test/commands/doctor.test.ts'],
  ['keys', '--pid --binary --component --wait --open-connections --print --output --write --quiet', KEYS],
  ['record', '--keylog --output --write --participants --show', RECORD],
  ['record', '--quiet --verbose --from --to --since --until --where --follow --namespace --all-namespaces', RECORD],
  ['record', '--all --layers --by --frames --interface --filter --keys --keep-keys --open-connections --for', RECORD],
  ['record', '--anonymize --anonymize-key --map', RECORD],
  ['record', '--ring --size', 'test/commands/flight-recorder.test.ts'],
];

it.each(COMMANDS)('each option of %s is among them', (command) => {
  const help = kubeseq([command, '--help']).stdout;
  const options = [...help.matchAll(/^ {2}(?:(-\w), )?(--[a-z-]+)/gm)].filter(([, , long]) => long !== '--help');
  const isHeld = ([, short, long]: RegExpExecArray): boolean =>
    (long === '--no-color' && PAINTED.includes(command)) ||
    ROWS.some(
      ([[option], commands]) =>
        (option === short || option === long) && commands.split(', ').some((one) => BASES[one][0] === command),
    ) ||
    ELSEWHERE.some(([one, all]) => one === command && all.split(' ').includes(long));
  expect(options.filter((one) => !isHeld(one)).map(([, , long]) => long)).toEqual([]);
});

it.each([...new Set(ELSEWHERE.map(([, , test]) => test))])('%s is there', (test) =>
  expect(existsSync(join(ROOT, test))).toBe(true),
);

it.skipIf(NO_TERMINAL !== '').each(PAINTED)('--no-color changes %s', async (command) => {
  const written = async (...options: readonly string[]): Promise<string> => {
    const session = new TerminalSession([...BASES[command], ...options, '-q', '--no-pager'], {
      rows: 50,
      columns: 120,
    });
    await session.ended;
    return session.written;
  };
  expect(await written()).toContain(ESCAPE);
  expect(await written('--no-color')).not.toContain(ESCAPE);
});
