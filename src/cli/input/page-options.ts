// Defines what the comment of a page takes, which is what `kubeseq docs --new` takes: options of a diagram, and the parts of a page.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Block, Message, Sequence, Setting } from '../../index.js';
import { CliError } from '../cli-error.js';
import type { Renderers } from '../formats.js';
import { addDrawingOptions, collected, type DiagramCliOptions } from '../options.js';

export interface PageOptions extends DiagramCliOptions {
  readonly capture?: readonly string[];
  readonly evidence?: true;
  /** true: all arrows. */
  readonly steps?: true | string;
  readonly bodies?: 'yaml' | 'json';
  readonly provenance?: true;
}

/** A diagram of a page, for its parts. */
export interface DrawnPage {
  readonly sequence: Sequence;
  /** All messages of the captures. */
  readonly messages: readonly Message[];
  /** ns since the epoch: the first frame. */
  readonly first: bigint;
  readonly options: PageOptions;
  /** As the page names them. */
  readonly captures: readonly string[];
  /** The command that draws the diagram, in the folder of the page. */
  readonly command: string;
  /** SHA-256 of the captures, in hexadecimal digits. */
  hashes(): Promise<readonly string[]>;
}

/** What may stand below a diagram, where it is asked for. */
interface OptionalPart {
  readonly option: Option;
  /** Heads and bodies of messages are needed. */
  readonly hasBodies?: true;
  /** A new page has it only where it is asked for. */
  readonly isRare?: true;
  readonly render: (by: Renderers, page: DrawnPage) => string | Promise<string>;
}

/** In the order of a page. */
const PARTS: readonly OptionalPart[] = [
  {
    option: new Option('--evidence', 'page: add a table of the participants with the evidence for each'),
    render: (by, { sequence }) => by.renderParticipants(sequence),
  },
  {
    option: new Option('--steps [numbers]', 'page: add annotations of all arrows, or of some: 1-12,20').argParser(
      ranges,
    ),
    hasBodies: true,
    render: (by, { sequence, captures, options: { steps, bodies } }) =>
      by.renderSteps(sequence, {
        ...{ wanted: typeof steps === 'string' ? within(steps) : undefined, bodies },
        captures: captures.length > 1 ? captures : undefined,
      }),
  },
  {
    option: new Option(
      '--path',
      'page: add a table of where the time went until the followed object was ready or deleted',
    ),
    ...{ hasBodies: true, isRare: true },
    render(by, { messages, first, options: { follow = '', namespace, allNamespaces } }) {
      const followed = by.parseFollow(follow, allNamespaces === true ? null : namespace);
      if (followed === null) throw new CliError('path is that of one object: follow=KIND/NAME');
      const history = new by.HistoryBuilder(followed);
      for (const message of messages) history.feed(message);
      const life = history.result();
      const paths = by.criticalPaths(messages, life, { story: by.messagesAbout(messages, followed) });
      if (paths.length > 0) return by.reportMarkdown(by.pathReport(paths, first));
      return by.reportMarkdown([{ lines: [`${follow}: ${by.whyNoPath(follow, life)}`] }]);
    },
  },
  {
    option: new Option('--provenance', 'page: add the version, the command, and the SHA-256 of the captures'),
    render: async (by, { captures, command, hashes }) => {
      const sums = await hashes();
      const files = captures.map((file, i) => ({ file, sha256: sums[i] }));
      return by.provenanceText({ version: by.VERSION, command, captures: files });
    },
  },
];

/** Options of `docs --new`, which the comment of the new page gets. */
export function addPageOptions(command: Command): Command {
  addDrawingOptions(command)
    .option('--keylog <file>', '--new: NSS key log; repeatable', collected)
    .option('--participants <file>', '--new: YAML with names, order, groups, address and user-agent rules');
  for (const { option } of PARTS) command.addOption(option);
  return command.addOption(new Option('--bodies <how>', 'page: bodies in annotations').choices(['yaml', 'json']));
}

/** What a comment asks for. @param name of the page. Throws CliError with the line of a setting that cannot be. */
export function pageOptionsOf({ settings, line }: Block, name: string): PageOptions {
  const command = pageCommand();
  const given = new Set<string>();
  for (const setting of settings) {
    const { key, value } = setting;
    const refuse = (why: string): never => {
      throw new CliError(`${name}:${setting.line}: ${why}`);
    };
    const option = optionOf(setting, command);
    if (option === undefined) return refuse(`unknown key ${key}; expected one of ${keysOf(command).join(', ')}`);
    if (option.isBoolean() && value !== null) refuse(`${key} takes no value`);
    if (option.required && (value === null || value === '')) refuse(`${key} needs a value: ${key}=…`);
    if (given.has(option.name()) && option.parseArg !== collected) refuse(`${key} is there twice`);
    given.add(option.name());
    try {
      command.parseOptions([value === null ? `${option.long}` : `${option.long}=${value}`]);
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      refuse(
        `${key}=${value}: ${error.message.replace(/^.* is invalid\. A?/s, (text) => (text.endsWith('A') ? 'a' : ''))}`,
      );
    }
  }
  const options: PageOptions = command.opts();
  if (options.capture === undefined) throw new CliError(`${name}:${line}: no capture; expected capture=FILE`);
  return { ...options, color: false, quiet: true };
}

/** What the command line gives of a new page, as settings of its comment: `follow=pod/nginx`. @param path of a file, as the page names it. */
export function settingsOf(options: PageOptions, path: (file: string) => string): string[] {
  const settings = givenOf(options).flatMap((option) => {
    const value: unknown = options[option.attributeName() as keyof PageOptions];
    if (value === true) return [option.name()];
    const texts = option.parseArg === collected ? (value as string[]) : [String(value)];
    return texts.map((text) => `${option.name()}=${quoted(option.flags.endsWith('<file>') ? path(text) : text)}`);
  });
  return partsOf(options).length > 0
    ? settings
    : [...settings, ...PARTS.filter((one) => one.isRare !== true).map(({ option }) => option.name())];
}

/** The options of a new page that are given. */
export function givenOf(options: PageOptions): readonly Option[] {
  return pageCommand().options.filter((option) => {
    const value: unknown = options[option.attributeName() as keyof PageOptions];
    return value !== undefined && value !== option.defaultValue;
  });
}

/** The parts of a page that are asked for. */
export function partsOf(options: PageOptions): readonly OptionalPart[] {
  return PARTS.filter(({ option }) => options[option.attributeName() as keyof PageOptions] !== undefined);
}

/** The command that draws the block's diagram. */
export function commandOf({ settings }: Block): string {
  const command = pageCommand();
  const ofDiagram = addDrawingOptions(new Command()).options.map(({ long }) => long);
  const words = settings.flatMap((setting) => {
    const { key, value } = setting;
    if (key === 'capture') return [shellWord(value as string)];
    const long = optionOf(setting, command)?.long;
    if (long === undefined || !(ofDiagram.includes(long) || FILES.has(long))) return [];
    return value === null ? [long] : [long, shellWord(value)];
  });
  return ['kubeseq', ...words].join(' ');
}

function pageCommand(): Command {
  const command = new Command('docs').exitOverride().configureOutput({ outputError: () => {} });
  return addPageOptions(command.option('--capture <file>', '', collected));
}

/** The word `participants` is their table, and with a value the file that names them. */
function optionOf({ key, value }: Setting, { options }: Command): Option | undefined {
  const name = key === 'participants' && value === null ? 'evidence' : key;
  return options.find(({ long }) => long === `--${name}`);
}

function keysOf({ options }: Command): string[] {
  return options.map((option) => option.name());
}

/** `1-12,20` */
function ranges(text: string): string {
  if (/^\s*\d{1,6}(?:-\d{1,6})?\s*(?:,\s*\d{1,6}(?:-\d{1,6})?\s*)*$/.test(text)) return text;
  throw new InvalidArgumentError('expected numbers of arrows, as 1-12,20');
}

function within(text: string): (number: number) => boolean {
  const ends = text.split(',').map((range) => range.split('-').map(Number));
  return (number) => ends.some(([first, last = first]) => number >= first && number <= last);
}

/** A value in the comment of a page. Throws CliError for one that has no place there. */
function quoted(value: string): string {
  if (/^[^\s"'][^\s]*$/.test(value) && !value.includes('-->')) return value;
  if (!/["\n]|-->/.test(value)) return `"${value}"`;
  if (!/['\n]|-->/.test(value)) return `'${value}'`;
  throw new CliError(`${value}: a page's comment cannot hold this; write it with one kind of quotes, without -->`);
}

function shellWord(word: string): string {
  return /^[\w./:,@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const FILES: ReadonlySet<string> = new Set(['--keylog', '--participants']);
