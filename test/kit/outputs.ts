// Every output that the program has, found out from the program itself: commands from its help, formats from its answer to one that does
// not exist. So a new output is judged by the tests of secrets, names and hostile text before anybody thinks of it.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeseq } from './command.js';
import { searchable } from './page-data.js';
import { TRIES_ALL } from './runs.js';

export interface Output {
  /** As it is typed, without captures. */
  readonly name: string;
  readonly command: string;
  /** `files`: what it writes is looked at, not what it prints. */
  readonly format: string;
  /** Arguments before captures; `FOLDER` stands for a folder of its own. */
  readonly args: readonly string[];
  /** Arguments behind captures: none as a rule. */
  readonly behind: readonly string[];
  /** What has to be installed beside the program: it is tried in files of their own. */
  readonly needs?: 'duckdb' | 'browser';
  /** Files in its folder beforehand. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Subject {
  /** KIND/NAME and namespace of objects that are asked about. */
  readonly objects: readonly (readonly [name: string, namespace: string])[];
  /** Message that `explain` is asked about. */
  readonly seq: number;
  /** Arrows that the captures do not have, for `check`: a failure shows what there was instead. */
  readonly expected: readonly string[];
  /** Who sends them; default: kubectl. */
  readonly client?: string;
  /** Capture or messages that `diff` compares with. */
  readonly other: string;
}

/** What one output is printed with. */
interface Variants {
  /** Options by format; '' for all. */
  readonly extra?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Arguments before the captures. */
  readonly before?: readonly string[];
  readonly behind?: readonly string[];
  /** Options with which it writes files. */
  readonly written?: readonly (readonly string[])[];
  readonly files?: Readonly<Record<string, string>>;
  readonly needs?: Output['needs'];
}

/** Commands that print what captures hold; null: the command reads none. A new command needs a row. */
const COMMANDS: Readonly<Record<string, ((subject: Subject) => Variants) | null>> = {
  diagram: ({ objects }) => ({
    extra: {
      '': [['--all', '--layers', 'all']],
      ...Object.fromEntries(['markdown', 'plantuml', 'json'].map((format) => [format, [[]]])),
      mermaid: [[], ['--frames', '--all'], ['--no-overview'], ...followed(objects)],
      text: [[], ['--labels', 'changes', '--answers', 'folded'], ['--no-overview']],
    },
  }),
  messages: () => ({ extra: { '': [[]], ndjson: [['--bodies']] } }),
  top: () => ({ extra: { '': [['--by', 'client,agent,user,verb,resource,namespace,name,flowschema']] } }),
  summary: () => ({ extra: { '': [['--streams']] } }),
  object: ({ objects }) => ({
    extra: { '': [named(objects[0])], json: objects.slice(1).map((one) => ['--all', ...named(one)]) },
  }),
  // The name twice: statistics over several objects.
  path: ({ objects: [one] }) => ({ extra: { '': [named(one), [...named(one), one[0]]] } }),
  explain: ({ seq }) => ({ before: [String(seq)], extra: { '': [[]] } }),
  check: ({ expected, client = 'kubectl' }) => ({
    before: ['FOLDER/expected.mmd'],
    extra: { '': [['--all-failures']] },
    files: { 'expected.mmd': expectationOf(expected, client) },
    written: [
      ['--update'],
      [
        '--all-failures',
        '--corrected',
        'FOLDER/corrected',
        ...['a.txt', 'a.json', 'a.xml', 'a.md'].flatMap((name) => ['--report', `FOLDER/${name}`]),
      ],
    ],
  }),
  diff: ({ other }) => ({ before: [other], extra: { '': [[]] } }),
  export: () => ({ extra: { '': [[]] }, written: [['-w', 'FOLDER/a.ndjson']] }),
  query: () => ({ extra: { '': [[]] }, behind: ['SELECT * FROM messages'], needs: 'duckdb' }),
  docs: () => ({
    before: ['FOLDER/page.md'],
    written: ['yaml', 'json'].map((bodies) => ['--new', '--all', '--layers', 'all', ...PAGE_PARTS, '--bodies', bodies]),
  }),
  // Its answers are looked into by test/commands/mcp.test.ts.
  mcp: null,
  // Its screens are looked into by test/commands/view.test.ts.
  view: null,
  keys: null,
  doctor: null,
  record: null,
};

const named = ([name, namespace]: readonly [string, string]): string[] => [name, '-n', namespace];
/** Histories as JSON hold what a diagram of an object has. */
function followed(objects: Subject['objects']): string[][] {
  return objects.slice(0, TRIES_ALL ? objects.length : 2).map((one) => ['--follow', ...named(one), '--layers', 'all']);
}

const PAGE_PARTS = ['--steps', '--evidence', '--provenance', '--frames'];

function expectationOf(arrows: readonly string[], client: string): string {
  const lines = [
    `participant A as ${client}`,
    'participant B as kube-apiserver',
    ...arrows.map((one) => `A->>B: ${one}`),
  ];
  return `sequenceDiagram\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

/**
 * Pixels hold what the SVG holds. A capture with comments holds the original packets: its comments are labels, which the other formats
 * hold, too (test/commands/annotated.test.ts).
 */
const IMAGES = new Set(['png', 'pcapng']);

const COMMANDS_OF_HELP = [...kubeseq(['--help']).stdout.matchAll(/^ {2}(\w+) \[options\]/gm)].map(([, name]) => name);

/** Commands without a row above. */
export const UNKNOWN = COMMANDS_OF_HELP.filter((command) => COMMANDS[command] === undefined);

/** @param capture any readable capture: the formats are asked for with it. */
export function outputs(capture: string, subject: Subject): Output[] {
  return COMMANDS_OF_HELP.flatMap((command) => {
    const variants = COMMANDS[command]?.(subject);
    if (variants === undefined) return [];
    const { before = [], extra = {}, behind = [], written = [], files, needs } = variants;
    const output = (format: string, options: readonly string[]): Output => {
      const args = [command, ...options, ...before];
      return {
        name: args.join(' '),
        command,
        format,
        args,
        behind,
        files,
        needs: format === 'svg' ? 'browser' : needs,
      };
    };
    const hasFormats = /^ {2}-o, --output/m.test(kubeseq([command, '--help']).stdout);
    const formats = hasFormats
      ? formatsOf(command, [...before, ...(extra[''] ?? [[]])[0], capture, ...behind])
      : ['text'];
    return [
      ...formats.flatMap((format) =>
        [...(extra[''] ?? []), ...(extra[format] ?? [])].map((options) =>
          output(format, hasFormats ? ['-o', format, ...options] : options),
        ),
      ),
      ...written.map((options) => output('files', options)),
    ];
  });
}

function formatsOf(command: string, args: readonly string[]): string[] {
  const { stderr } = kubeseq([command, '-o', 'no-such-format', ...args]);
  const list = /expected (?:one of )?([a-z, ]+)/.exec(stderr)?.[1];
  if (list !== undefined) return list.split(/, | or /).filter((format) => !IMAGES.has(format));
  const only = /is (?:an? )?(ndjson|text|json|markdown)/.exec(stderr)?.[1];
  if (only === undefined) throw new Error(`${command} does not say its formats: ${stderr}`);
  return [only];
}

export interface Said {
  readonly status: number | null;
  /** What it printed and what it wrote, unpacked, by where it was found: nothing else of it is seen by anybody. */
  readonly texts: readonly (readonly [where: string, text: string])[];
}

/** A folder for captures and what is written of them: pages name files below their repository alone. */
export function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `kubeseq-${name}-`));
  mkdirSync(join(folder, '.git'));
  return folder;
}

/** What an output says of captures, with every notice. @param more options and captures. @param base folder of the captures. */
export function said({ args, behind, files = {} }: Output, more: readonly string[], base: string): Said {
  const folder = mkdtempSync(join(base, 'output-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const command = args.map((one) => one.replace('FOLDER', folder));
  const { status, stdout, stderr } = kubeseq([...command, '-v', ...more, ...behind]);
  const written = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .map((path) => [path.slice(folder.length + 1), textOf(path)] as const);
  rmSync(folder, { recursive: true });
  return { status, texts: [['standard output', searchable(args, stdout)], ['standard error', stderr], ...written] };
}

function textOf(path: string): string {
  const isTable = path.endsWith('.parquet');
  return searchable(isTable ? ['parquet'] : [], readFileSync(path, isTable ? 'latin1' : 'utf8'));
}
