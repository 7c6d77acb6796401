// Defines the options of the commands, without loading what the commands need.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../core/duration.js';
import type { Anonymizer, Protocol } from '../index.js';
import { CliError } from './cli-error.js';
import { FORMATS, type Formats, namesOf } from './formats.js';
import type { Recording } from './recording.js';

/** Options of commands that can replace the names of a cluster. */
export interface AnonymousOptions {
  readonly anonymize?: true;
  readonly anonymizeKey?: string;
  readonly map?: string;
  /** Knows the names of the captures; set before the command runs, no option of the command line. */
  readonly anonymizer?: Anonymizer;
}

export interface CommonOptions extends AnonymousOptions {
  readonly output?: string;
  readonly write?: string;
  readonly quiet?: true;
  readonly verbose?: true;
  /** undefined: the command has no such option, and paints nothing. */
  readonly color?: boolean;
  readonly progress?: boolean;
  /** undefined: the command has no such option, and is never paged. */
  readonly pager?: boolean;
  readonly showSecrets?: true;
  readonly showCommands?: true;
  readonly showText?: true;
  /** Paths of fields; `@FILE` for a file of them. */
  readonly showField?: readonly string[];
  readonly participants?: string;
  readonly keylog?: readonly string[];
  readonly decode?: readonly string[];
  readonly watch?: true;
  readonly from?: string;
  readonly to?: string;
  readonly since?: string;
  readonly until?: string;
  readonly where?: string;
  /** What was read before; no option of the command line. */
  readonly recording?: Recording;
}

/** Options of commands that can capture packets. */
export interface LiveOptions {
  readonly interface?: string;
  readonly filter?: string;
  readonly live?: true;
}

/** Options of commands that can follow an object. */
export interface FollowCliOptions {
  readonly quiet?: true;
  readonly follow?: string;
  readonly namespace: string;
  readonly allNamespaces?: true;
}

export interface MessagesOptions extends CommonOptions, LiveOptions, FollowCliOptions {
  readonly bodies?: true;
  /** Names of participants as they are known at the end, as in diagrams: the captures are read twice. */
  readonly finalNames?: true;
  readonly trace?: 'exchange' | 'story';
}

export interface DiagramCliOptions extends CommonOptions, LiveOptions, FollowCliOptions {
  readonly all?: true;
  readonly layers?: readonly string[];
  readonly by?: 'controller' | 'component';
  readonly frames?: true;
  readonly trace?: 'exchange' | 'story';
}

/** Options of every command that reads captures that there are. @param without those that it has no use for. */
export function addCaptureOptions(command: Command, without: readonly string[] = []): Command {
  return addAnonymousOptions(addCommonOptions(command, without)).option(
    '--watch',
    'read rotating capture files (tcpdump -C, -G, -W) as they grow; <capture> is then a directory, or a pattern of file names',
  );
}

/** Options of every command that shows what captures hold. */
export function addAnonymousOptions(command: Command): Command {
  return command
    .option(
      '--anonymize',
      'replace names of objects, nodes, users, hosts, images and addresses, each always by the same',
    )
    .option('--anonymize-key <file>', 'the same, with the key in this file instead of a random one')
    .option(
      '--map <file>',
      'with --anonymize: write into this new file which name stands for which, to keep for yourself',
    );
}

/** Options of every command that reads captures, of `record` too, which makes one. @param without those that it has no use for. */
export function addCommonOptions(command: Command, without: readonly string[] = []): Command {
  for (const [flags, text, parse] of COMMON) {
    if (without.some((name) => flags.split(/[ ,]+/).includes(name))) continue;
    const words = flags === OUTPUT ? `output format: ${formatsOf(command.name())}` : text;
    if (parse === undefined) command.option(flags, words);
    else command.option(flags, words, parse);
  }
  return addShowOptions(command, without);
}

/** `--show LIST`, and for each word of the list a hidden option of its own, which the word stands for. */
function addShowOptions(command: Command, without: readonly string[] = []): Command {
  const offered = Object.entries(SHOWN).filter(([, { flags }]) => !without.includes(flags.split(' ')[0]));
  for (const [, { flags, words }] of offered) {
    const option = new Option(flags, `show ${words}`).hideHelp();
    command.addOption(flags.includes('<') ? option.argParser(collected) : option);
  }
  const list = offered.map(([name, { words }]) => `${name} (${words})`).join(', ');
  return command
    .option('--show <list>', `show what is redacted, separated by commas: ${list}`)
    .on('option:show', (given: string) => {
      for (const word of given.split(',')) showWord(command, word, offered);
    });
}

function showWord(
  command: Command,
  word: string,
  offered: readonly (readonly [string, { readonly flags: string }])[],
): void {
  const [name, value = null] = word.split(/=(.*)/s);
  const found = offered.find(([one]) => one === (value === null ? name : `${name}=PATH`));
  if (found === undefined)
    throw new CliError(`--show ${word}: expected some of ${offered.map(([one]) => one).join(', ')}`);
  setInstead(command, `--show-${name}`, (before) => (value === null ? true : collected(value, before as string[])));
}

/** Sets an option that another one stands for. @param valueAfter by the value that it has; undefined: none yet. */
export function setInstead(command: Command, long: string, valueAfter: (before: unknown) => unknown): void {
  const key = command.options.find((one) => one.long === long)?.attributeName();
  if (key !== undefined) command.setOptionValueWithSource(key, valueAfter(command.getOptionValue(key)), 'cli');
}

function formatsOf(command: string): string {
  const formats = command === 'record' ? undefined : (FORMATS as Readonly<Record<string, Formats<never>>>)[command];
  return formats === undefined ? 'see kubeseq diagram --help' : namesOf(formats);
}

/** Options of a command that prints nothing itself. */
export function addReadingOptions(command: Command): Command {
  return command
    .option(...KEYLOG)
    .option(...PARTICIPANTS)
    .option(...QUIET);
}

/** Options of a command that shows on the terminal what captures hold. */
export function addViewOptions(command: Command): Command {
  return addShowOptions(addDiagramOptions(addAnonymousOptions(addReadingOptions(command))))
    .option(...NO_COLOR)
    .option(...NO_PROGRESS);
}

/** An option that may be given several times. */
export function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}

export function addSelectionOptions(command: Command): Command {
  return command
    .option('--from <participant>', 'only messages that this participant sent, e.g. kubelet, or "kubelet (node-1)"')
    .option('--to <participant>', 'only messages that this participant received')
    .option(
      '--since <time>',
      'only messages from this time on: RFC 3339, seconds since the first frame of the capture (2.5 or 2.5s), or before the last (-10m)',
    )
    .option('--until <time>', 'only messages up to this time')
    .option(
      '--where <expression>',
      'only messages for which this CEL expression holds, e.g. \'verb == "create" && resource == "pods"\', or status >= 400',
    )
    .option(
      '--follow <kind/name>',
      'only messages about this object, e.g. pod/nginx, what they caused, and the watches that delivered them',
    )
    .option('-n, --namespace <namespace>', 'namespace of the followed object', 'default')
    .option('-A, --all-namespaces', 'look for the followed object in all namespaces');
}

export function addLiveOptions(command: Command): Command {
  return command
    .option('-i, --interface <interface>', 'capture on this interface with tcpdump until Ctrl-C; any: all interfaces')
    .option('--filter <expression>', 'with -i: a filter expression of tcpdump; default: the ports of a control plane')
    .option('--live', 'keep reading one growing file; diagram redraws on the terminal when messages arrive');
}

export function traceOption(): Option {
  const words = '-o otlp: a trace for each exchange (default), or for the story of each object';
  return new Option('--trace <what>', words).choices(['exchange', 'story']);
}

/** Options that choose the arrows of a diagram. */
export function addArrowOptions(command: Command): Command {
  return addSelectionOptions(command)
    .option(
      '--all',
      'show also what is left out by default: leases, health checks, bookmarks, initial lists, repetitions',
    )
    .option(
      '--layers <list>',
      'show requests to these servers, separated by commas: api (API servers; the default), etcd, cri (container runtimes), kubelet, registry (images), docker (Docker API), net (other HTTP and gRPC), or all',
      layerList,
    );
}

export function addDiagramOptions(command: Command): Command {
  return addArrowOptions(command).addOption(
    new Option(
      '--by <how>',
      'controller: one participant for each controller; component: one for kube-controller-manager',
    )
      .choices(['controller', 'component'])
      .default('controller'),
  );
}

/** Options of a command that writes diagrams. */
export function addDrawingOptions(command: Command): Command {
  return addDiagramOptions(command).option(
    '--frames',
    'mermaid: add frame numbers to the comment above each arrow, which has its message number',
  );
}

export function addKeysOptions(command: Command): Command {
  return command
    .option('--pid <pid>', 'only this process; repeatable', repeated(processNumber))
    .option('--binary <file>', 'only processes of this executable; repeatable', repeated(String))
    .option(
      '--component <list>',
      'only these components, also in containers, separated by commas; default: all that run',
      listed,
    )
    .option('--wait', 'if no such component runs yet, wait until one starts')
    .option(
      '--open-connections <duration>',
      'also read the keys of connections that are open already; give up after this time; 0s: do not try; default: 90s',
      durationOf,
    )
    .option('--print', 'print where the uprobes would be placed, and attach nothing')
    .option('-o, --output <format>', `format of --print: ${namesOf(FORMATS.keys, ' or ')}`)
    .option('-w, --write <file>', 'append to FILE, which only its owner may read; default: standard output')
    .option('-q, --quiet', 'print errors only');
}

export function addRecordOptions(command: Command): Command {
  return command
    .option('-w, --write <folder>', 'write the capture and the diagram into this folder; default: kubeseq-TIME')
    .option('-i, --interface <interface>', 'capture on this interface', 'any')
    .option(
      '--filter <expression>',
      'a filter expression of tcpdump; default: the ports of a control plane and of the command',
    )
    .option(
      '--keys',
      'also read TLS keys: of the components on this host, of COMMAND, and what it writes to SSLKEYLOGFILE',
    )
    .option('--keep-keys', 'like --keys, and store the TLS keys in capture.pcapng: whoever has the file can decrypt it')
    .option(
      '--open-connections <duration>',
      'with --keys: give up on connections that were open before after this time; 0s: do not try; default: 90s, and COMMAND starts after 35s at the latest',
      durationOf,
    )
    .option(
      '--for <duration>',
      'stop this long after COMMAND ends; default: when its objects have stopped changing',
      durationOf,
    )
    .option(
      '--ring <dir>',
      'run no command: record until Ctrl-C into a ring of files in DIR, with --keys also the TLS keys that decrypt them',
    )
    .option('--size <bytes>', 'size of the ring, the oldest is overwritten: 500M, 2G; default: 2G', bytesOf);
}

function layerList(text: string): string[] {
  try {
    return checkLayers(text);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
}

/** Names of layers, separated by commas. */
export function checkLayers(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => Object.hasOwn(LAYERS, name))) return names;
  throw new CliError(`expected layers, separated by commas: ${Object.keys(LAYERS).join(', ')}`);
}

/** An option that may be given several times. */
function repeated<T>(parse: (text: string) => T): (text: string, before?: readonly T[]) => readonly T[] {
  return (text, before = []) => [...before, parse(text)];
}

function listed(text: string, before: readonly string[] = []): readonly string[] {
  return [
    ...before,
    ...text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ];
}

function processNumber(text: string): number {
  if (!WHOLE_NUMBER.test(text)) throw new InvalidArgumentError('expected the number of a process.');
  return Number(text);
}

/** A duration in ms: `20s`, `1m30s`. */
export function durationOf(text: string): number {
  const ns = /\d$/.test(text) ? null : offsetOf(text);
  if (ns === null) throw new InvalidArgumentError('expected a length of time, for example 20s.');
  return Number(ns / 1_000_000n);
}

/** A number of bytes: `500M`, `2G`, in powers of ten. */
function bytesOf(text: string): number {
  const match = /^(\d{1,6})([MG])B?$/i.exec(text);
  if (match === null) throw new InvalidArgumentError('expected a size, for example 500M or 2G.');
  return Number(match[1]) * (match[2].toUpperCase() === 'G' ? 1_000_000_000 : 1_000_000);
}

/** @returns ns; a number without a unit is in seconds. */
export function offsetOf(text: string): bigint | null {
  return parseDuration(/^\d+(?:\.\d+)?$/.test(text) ? `${text}s` : text);
}

export function wholeNumber(text: string): number {
  if (!WHOLE_NUMBER.test(text)) throw new InvalidArgumentError('expected a number from 1.');
  return Number(text);
}

export const LAYERS: Readonly<Record<string, readonly Protocol[]>> = {
  api: ['kubernetes'],
  etcd: ['etcd'],
  cri: ['cri'],
  kubelet: ['kubelet'],
  registry: ['registry'],
  docker: ['docker'],
  net: ['http', 'grpc'],
  all: ['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'],
};
export const LAYER_NAMES = Object.keys(LAYERS);

export const WHOLE_NUMBER = /^[1-9]\d{0,8}$/;
const KEYLOG = [
  '--keylog <file>',
  'TLS keys as an NSS key log; repeatable; SSLKEYLOGFILE is read too',
  collected,
] as const;
const PARTICIPANTS = [
  '--participants <file>',
  'YAML that names, orders and groups participants by address or User-Agent',
] as const;
/** What --show shows, and the option that it stands for. */
const SHOWN: Readonly<Record<string, { readonly flags: string; readonly words: string }>> = {
  commands: { flags: '--show-commands', words: 'arguments of commands that containers run' },
  text: { flags: '--show-text', words: 'redacted words of Events, errors and verdicts; long texts stay shortened' },
  'field=PATH': {
    flags: '--show-field <field>',
    words: 'values of a field, as databases.spec.engine, or of those in @FILE',
  },
  secrets: { flags: '--show-secrets', words: 'everything, also credentials and the data of Secrets' },
};
export const SHOWN_NAMES = Object.keys(SHOWN).map((name) => name.replace('PATH', ''));
const NO_COLOR = ['--no-color', 'no colours'] as const;
const NO_PROGRESS = ['--no-progress', 'no progress on standard error'] as const;
const QUIET = ['-q, --quiet', 'print errors only, no notices'] as const;
const OUTPUT = '-o, --output <format>';
/** The text of `OUTPUT` is that of the command. */
const COMMON: readonly (readonly [flags: string, text: string, parse?: typeof collected])[] = [
  KEYLOG,
  [
    '--decode <udp:port=tunnel>',
    'read a tunnel on a UDP port of its own: vxlan, geneve or tzsp, as udp:9999=vxlan; repeatable',
    collected,
  ],
  [OUTPUT, ''],
  [
    '-w, --write <file>',
    'write to this file instead of standard output; its ending chooses the format; a failure leaves no partial file',
  ],
  PARTICIPANTS,
  QUIET,
  ['-v, --verbose', 'print every notice on standard error, not only the first of a kind'],
  NO_COLOR,
  NO_PROGRESS,
  ['--no-pager', 'print long output to the terminal without a pager'],
];
