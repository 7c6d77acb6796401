// Every output that the program has, found out from the program itself: commands from its help, formats from its answer to
// one that does not exist. So a new output is judged by the tests of secrets and of injection before anybody thinks of it.

import { kubeseq } from './command.js';

export interface Output {
  readonly command: string;
  readonly format: string;
  /** Arguments, without captures. */
  readonly args: readonly string[];
  /** Arguments behind captures: none as a rule. */
  readonly behind: readonly string[];
}

export interface Subject {
  /** KIND/NAME that `object` is asked about. */
  readonly object: string;
  readonly namespace?: string;
  /** Message that `explain` is asked about. */
  readonly seq: number;
  /** Expectation that the capture does not meet, for `check`: a failure shows what there was instead. */
  readonly expectation: string;
  /** Capture or messages that `diff` compares with. */
  readonly other: string;
}

/** Commands that print what captures hold; null: the command reads none. A new command needs a row. */
const COMMANDS: Readonly<Record<string, ((subject: Subject) => Variants) | null>> = {
  diagram: () => ({
    before: [],
    extra: {
      '': [['--all', '--layers', 'all'], [], ['--no-overview']],
      mermaid: [['--frames', '--all']],
      text: [['--labels', 'changes', '--answers', 'folded']],
    },
  }),
  messages: () => ({ before: [], extra: { '': [[]], ndjson: [['--bodies']] } }),
  top: () => ({ before: [], extra: { '': [['--by', 'client,agent,user,verb,resource,namespace,name,flowschema']] } }),
  summary: () => ({ before: [], extra: { '': [['--streams']] } }),
  object: ({ object, namespace = 'default' }) => ({ before: [object], extra: { '': [['-n', namespace]] } }),
  // The name twice: statistics over several objects.
  path: ({ object, namespace = 'default' }) => ({
    before: [object],
    extra: {
      '': [
        ['-n', namespace],
        ['-n', namespace, object],
      ],
    },
  }),
  explain: ({ seq }) => ({ before: [String(seq)], extra: { '': [[]] } }),
  check: ({ expectation }) => ({ before: [expectation], extra: { '': [['--all-failures']] } }),
  diff: ({ other }) => ({ before: [other], extra: { '': [[]] } }),
  export: () => ({ before: [], extra: { '': [[]] } }),
  query: () => ({ before: [], extra: { '': [[]] }, behind: ['SELECT * FROM messages'] }),
  docs: null,
  // Its answers are looked into by test/commands/mcp.test.ts.
  mcp: null,
  // Its screens are looked into by test/commands/view.test.ts.
  view: null,
  keys: null,
  doctor: null,
  record: null,
};

interface Variants {
  /** Arguments before the captures. */
  readonly before: readonly string[];
  /** Arguments behind the captures. */
  readonly behind?: readonly string[];
  /** Options by format; '' for all. */
  readonly extra: Readonly<Record<string, readonly (readonly string[])[]>>;
}

/**
 * Pixels need a browser, and hold what the SVG holds. A capture with comments holds the original packets: its comments are labels, which
 * the other formats hold, too (test/commands/annotated.test.ts).
 */
const IMAGES = new Set(['svg', 'png', 'pcapng']);

export const HELP = [...kubeseq(['--help']).stdout.matchAll(/^ {2}(\w+) \[options\]/gm)].map(([, name]) => name);

/** Commands without a row above. */
export const UNKNOWN = HELP.filter((command) => COMMANDS[command] === undefined);

/** @param capture any readable capture: the formats are asked for with it. */
export function outputs(capture: string, subject: Subject): Output[] {
  return HELP.flatMap((command) => {
    const variants = COMMANDS[command]?.(subject);
    if (variants === undefined) return [];
    const { before, extra, behind = [] } = variants;
    return formatsOf(command, [...before, capture, ...behind]).flatMap((format) =>
      [...(extra[''] ?? []), ...(extra[format] ?? [])].map((options) => ({
        command,
        format,
        args: [command, ...(hasFormats(command) ? ['-o', format] : []), ...options, ...before],
        behind,
      })),
    );
  });
}

/** Commands that print text alone have no such option. */
function hasFormats(command: string): boolean {
  return /^ {2}-o, --output/m.test(kubeseq([command, '--help']).stdout);
}

function formatsOf(command: string, args: readonly string[]): string[] {
  if (!hasFormats(command)) return ['text'];
  const { stderr } = kubeseq([command, '-o', 'no-such-format', ...args]);
  const list = /expected (?:one of )?([a-z, ]+)/.exec(stderr)?.[1];
  if (list !== undefined) return list.split(/, | or /).filter((format) => !IMAGES.has(format));
  const only = /is (?:an? )?(ndjson|text|json|markdown)/.exec(stderr)?.[1];
  if (only === undefined) throw new Error(`${command} does not say its formats: ${stderr}`);
  return [only];
}
