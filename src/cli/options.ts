// Defines the options of the commands, without loading what the commands need.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../core/duration.js';
import type { FindingThresholds, Protocol } from '../index.js';
import { CliError } from './cli-error.js';
import type { Recording } from './input/recording.js';

export interface CommonOptions {
  readonly output?: string;
  readonly write?: string;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly color: boolean;
  readonly progress?: boolean;
  /** undefined: the command has no such option, and is never paged. */
  readonly pager?: boolean;
  readonly showSecrets?: true;
  readonly showCommands?: true;
  readonly showText?: true;
  readonly showField?: readonly string[];
  readonly participants?: string;
  readonly keylog?: readonly string[];
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
}

export interface TopCliOptions extends CommonOptions, LiveOptions, FollowCliOptions, Partial<FindingThresholds> {
  readonly by?: string;
  readonly sort?: string;
  readonly limit: number;
}

export interface DiagramCliOptions extends CommonOptions, LiveOptions, FollowCliOptions {
  readonly all?: true;
  readonly layers?: readonly string[];
  readonly by: 'controller' | 'component';
  readonly frames?: true;
}

/** Options of every command that reads captures that there are. */
export function addCaptureOptions(command: Command): Command {
  return addCommonOptions(command).option(
    '--watch',
    'the captures are directories or patterns: follow the rings of files in them as they grow',
  );
}

/** Options of every command that reads captures, of `record` too, which makes one. */
export function addCommonOptions(command: Command): Command {
  return command
    .option(...KEYLOG)
    .option('-o, --output <format>', 'output format')
    .option('-w, --write <file>', 'write to a file, whole or not at all; its ending chooses the format')
    .option(...PARTICIPANTS)
    .option(...SHOW_COMMANDS)
    .option(...SHOW_TEXT)
    .option(...SHOW_FIELD)
    .option(...SHOW_SECRETS)
    .option(...QUIET)
    .option('-v, --verbose', 'every notice on standard error')
    .option(...NO_COLOR)
    .option(...NO_PROGRESS)
    .option('--no-pager', 'print to the terminal directly, however long the output is');
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
  return addDiagramOptions(addReadingOptions(command))
    .option(...SHOW_COMMANDS)
    .option(...SHOW_TEXT)
    .option(...SHOW_FIELD)
    .option(...SHOW_SECRETS)
    .option(...NO_COLOR)
    .option(...NO_PROGRESS);
}

/** An option that may be given several times. */
export function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}

export function addSelectionOptions(command: Command): Command {
  return command
    .option('--from <component>', 'only what this component or participant sent')
    .option('--to <component>', 'only what this component or participant received')
    .option('--since <time>', 'only from this time on: RFC 3339, or an offset from the first frame (2.5s, 2.500000)')
    .option('--until <time>', 'only up to this time')
    .option('--where <expression>', 'a CEL expression over a message, e.g. \'verb == "create" && resource == "pods"\'')
    .option('--follow <kind/name>', 'only what this object caused, e.g. pod/nginx')
    .option('-n, --namespace <namespace>', 'namespace of the followed object', 'default')
    .option('-A, --all-namespaces', 'follow the object in whichever namespace it is');
}

export function addLiveOptions(command: Command): Command {
  return command
    .option('-i, --interface <interface>', 'capture here and now with tcpdump, until Ctrl-C; any: every interface')
    .option('--filter <expression>', "of -i: which packets, in tcpdump's language; default: a control plane's ports")
    .option('--live', 'files: read on as they grow; diagram: redraw on the terminal while messages come');
}

export function addDiagramOptions(command: Command): Command {
  return addSelectionOptions(command)
    .option('--all', 'fold nothing away')
    .option('--layers <list>', 'layers to draw: api, etcd, cri, kubelet, registry, docker, net, or all', layerList)
    .addOption(
      new Option('--by <how>', 'controllers as participants of their own, or as one')
        .choices(['controller', 'component'])
        .default('controller'),
    );
}

/** Options of a command that writes diagrams. */
export function addDrawingOptions(command: Command): Command {
  return addDiagramOptions(command).option('--frames', 'mermaid: the comment above each arrow has its frames too');
}

export function addTopOptions(command: Command): Command {
  return command
    .option('--by <keys>', 'group by these, separated by commas; default: client,verb,resource')
    .option('--sort <column>', 'largest first: requests, errors, 429, in, out, p50, p99, items, restarted, events')
    .option('--limit <n>', 'rows at most', wholeNumber, 30)
    .option(
      '--loop-rate <n>',
      'hot loop: unchanged answers to one client about one object, a second; default: 5',
      wholeNumber,
    )
    .option(
      '--fight-turns <n>',
      "fight: how often in turn two clients undo each other's change; default: 3",
      wholeNumber,
    )
    .option(
      '--retries <n>',
      'retries: failed requests in a row, at a short and constant interval; default: 10',
      wholeNumber,
    )
    .option(
      '--relists <n>',
      'relists: lists of the same objects by one client within a minute; default: 10',
      wholeNumber,
    )
    .option('--large-list <n>', 'unpaged list: objects in a list without a limit; default: 500', wholeNumber)
    .option('--whole-watches <n>', 'whole watch: instances that each watch a whole resource; default: 4', wholeNumber)
    .option('--nameless <n>', 'nameless client: requests without a name of the program; default: 20', wholeNumber)
    .addHelpText('after', TOP_COLUMNS);
}

export function addKeysOptions(command: Command): Command {
  return command
    .option('--pid <pid>', 'a process; repeatable', repeated(processNumber))
    .option('--binary <file>', 'every process of this executable; repeatable', repeated(String))
    .option('--component <list>', 'components by name, also in containers; default: all that run', listed)
    .option('--wait', 'where none of the components runs yet, wait for them')
    .option(
      '--open-connections <time>',
      'listen to connections that are open already, for so long at most; 0s: not at all; default: 90s',
      durationOf,
    )
    .option('--print', 'only show where the probe would go: text, json, bpftrace')
    .option('-o, --output <format>', 'of --print')
    .option('-w, --write <file>', 'add lines to this file, readable by its owner only; default: standard output')
    .option('-q, --quiet', 'nothing on standard error')
    .option('--no-color', 'no colours');
}

export function addRecordOptions(command: Command): Command {
  return command
    .option('-i, --interface <interface>', 'capture on this interface; default: any', 'any')
    .option(
      '--filter <expression>',
      "which packets, in tcpdump's language; default: a control plane's and the command's ports",
    )
    .option(
      '--keys',
      'TLS secrets too: of components that run here, of the command, and what it writes to SSLKEYLOGFILE',
    )
    .option('--keep-keys', 'as --keys, and leave the secrets of its connections in capture.pcapng')
    .option(
      '--open-connections <time>',
      'with --keys: listen to connections that are open already, and wait for them, so long at most; 0s: not at all; default: 90s, and 35s',
      durationOf,
    )
    .option('--for <time>', 'go on for so long after the command, instead of until its objects are quiet', durationOf);
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
  throw new CliError(`expected some of ${Object.keys(LAYERS).join(', ')}`);
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
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('expected the number of a process.');
  return Number(text);
}

/** A duration in ms: `20s`, `1m30s`. */
export function durationOf(text: string): number {
  const ns = /\d$/.test(text) ? null : offsetOf(text);
  if (ns === null) throw new InvalidArgumentError('expected a length of time, for example 20s.');
  return Number(ns / 1_000_000n);
}

/** @returns ns; a number without a unit is in seconds. */
export function offsetOf(text: string): bigint | null {
  return parseDuration(/^\d+(?:\.\d+)?$/.test(text) ? `${text}s` : text);
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('expected a number from 1.');
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

const KEYLOG = ['--keylog <file>', 'NSS key log; repeatable; SSLKEYLOGFILE is read too', collected] as const;
const PARTICIPANTS = ['--participants <file>', 'YAML with names, order, groups, address and user-agent rules'] as const;
const SHOW_COMMANDS = ['--show-commands', 'arguments of commands, not only how many there are'] as const;
const SHOW_TEXT = [
  '--show-text',
  'texts of Events, failures and verdicts whole, but for what looks like a credential',
] as const;
const SHOW_FIELD = [
  '--show-field <path>',
  'values of this field, e.g. databases.spec.engine; repeatable; @FILE: a path a line',
  collected,
] as const;
const SHOW_SECRETS = ['--show-secrets', 'turn redaction off'] as const;
const NO_COLOR = ['--no-color', 'no colours'] as const;
const NO_PROGRESS = ['--no-progress', 'no progress on standard error'] as const;
const QUIET = ['-q, --quiet', 'no notices on standard error'] as const;

const TOP_COLUMNS = `
Columns:
  REQUESTS, PER-S    requests to API servers, and how many a second
  ERRORS, 429        responses with a status from 400 on; with 429, told to wait
  IN, OUT            bytes of bodies on the wire: requests; responses, events and streams
  P50, P99           time from the end of the request to the first byte of the response
  ITEMS              objects in the largest list
  RESTARTED, EVENTS  watches that the client opened again; events of its watches`;
