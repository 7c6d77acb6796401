// Defines and checks the options that several commands share.

import { fstatSync, readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  compileWhere,
  type FollowedName,
  fieldErrors,
  fieldLines,
  type Protocol,
  parseDuration,
  parseFollow,
  type Reveal,
  type Selection,
} from '../index.js';
import { CliError, describeError } from './cli-error.js';

export interface CommonOptions {
  readonly output?: string;
  readonly write?: string;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly color: boolean;
  readonly progress?: boolean;
  readonly jobs?: number;
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

export interface DiagramCliOptions extends CommonOptions, LiveOptions, FollowCliOptions {
  readonly all?: true;
  readonly layers?: readonly string[];
  readonly by: 'controller' | 'component';
  readonly frames?: true;
}

/** Options of every command that reads captures. */
export function addCommonOptions(command: Command): Command {
  return command
    .option('--keylog <file>', 'NSS key log; repeatable; SSLKEYLOGFILE is read too', collected)
    .option('-o, --output <format>', 'output format')
    .option('-w, --write <file>', 'write to a file, whole or not at all; its ending chooses the format')
    .option('--watch', 'the captures are directories or patterns: follow the rings of files in them as they grow')
    .option('--participants <file>', 'YAML with names, order, groups, address and user-agent rules')
    .option('--show-commands', 'arguments of commands, not only how many there are')
    .option('--show-text', 'texts of Events, failures and verdicts whole, but for what looks like a credential')
    .option(
      '--show-field <path>',
      'values of this field, e.g. databases.spec.engine; repeatable; @FILE: a path a line',
      collected,
    )
    .option('--show-secrets', 'turn redaction off')
    .option('-q, --quiet', 'no notices on standard error')
    .option('-v, --verbose', 'every notice on standard error')
    .option('--no-color', 'no colours')
    .option('--no-progress', 'no progress on standard error')
    .option('--jobs <n>', 'threads: 1 for everything; from 3 on connections are shared', positiveInteger);
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

/** Can the input grow: an interface, a pipe, a followed file or ring? */
export function isLive(files: readonly string[], options: LiveOptions & CommonOptions): boolean {
  if (options.interface !== undefined || options.live === true || options.watch === true) return true;
  return files.includes('-') && !isFile(0);
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** @returns the files; none for a live capture. Throws CliError. */
export function capturesOf(files: readonly string[], options: LiveOptions): readonly string[] {
  if (options.interface === undefined) {
    if (files.length === 0)
      throw new CliError("name a capture, - for standard input, or -i INTERFACE; see 'kubeseq --help'");
    if (options.filter !== undefined)
      throw new CliError('--filter is for packets that are captured now: give -i INTERFACE');
  } else if (files.length > 0) throw new CliError('-i captures packets, and files have theirs: name one or the other');
  return files;
}

export function addDiagramOptions(command: Command): Command {
  return addSelectionOptions(command)
    .option('--all', 'fold nothing away')
    .option('--layers <list>', 'layers to draw: api, etcd, cri, kubelet, registry, docker, net, or all', layerList)
    .addOption(
      new Option('--by <how>', 'controllers as participants of their own, or as one')
        .choices(['controller', 'component'])
        .default('controller'),
    )
    .option('--frames', 'mermaid: the comment above each arrow has its frames too');
}

/** Facts about the captures that a selection needs. */
export interface Selected {
  /** Time of the first frame, ns since the epoch; null: not known yet. */
  readonly firstTime: bigint | null;
  /** Names of the captures, if there are several. */
  readonly captureNames?: readonly string[];
}

export function selectionOf(options: CommonOptions, session: Selected): Selection {
  const first = session.firstTime;
  return {
    from: options.from,
    to: options.to,
    since: options.since === undefined ? undefined : timeOf(options.since, first, '--since'),
    until: options.until === undefined ? undefined : endOf(options.until, first),
    where: options.where === undefined ? undefined : whereOf(options.where, session),
  };
}

export function isSelecting(options: CommonOptions): boolean {
  return [options.from, options.to, options.since, options.until, options.where].some((value) => value !== undefined);
}

/** Reports errors in options before anything is read. */
export function checkSelection(options: CommonOptions & FollowCliOptions): void {
  selectionOf(options, { firstTime: 0n });
  followOf(options);
}

export function followOf(options: FollowCliOptions): FollowedName | undefined {
  if (options.follow === undefined) return undefined;
  const followed = parseFollow(options.follow, options.allNamespaces === true ? null : options.namespace);
  if (followed === null) throw new CliError(`--follow ${options.follow}: expected KIND/NAME, for example pod/nginx`);
  return followed;
}

export function layersOf(options: DiagramCliOptions): ReadonlySet<Protocol> | undefined {
  if (options.layers === undefined) return undefined;
  return new Set(options.layers.flatMap((layer) => LAYERS[layer]));
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

/** Some errors of an expression appear only with a message. */
function whereOf(expression: string, session: Selected): Selection['where'] {
  const orTrouble = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new CliError(`--where: ${(error as Error).message}`);
    }
  };
  const matches = orTrouble(() => compileWhere(expression, () => session.captureNames));
  return (message, request) => orTrouble(() => matches(message, request));
}

/** Offsets are printed in microseconds, so a copied one includes its whole microsecond. */
function endOf(text: string, first: bigint | null): bigint {
  const time = timeOf(text, first, '--until');
  const offset = offsetOf(text);
  return offset !== null && offset % MICROSECOND === 0n ? time + MICROSECOND - 1n : time;
}

/** RFC 3339, or an offset from the first frame: `2.5s`, `300ms`, `1m30s`, and `2.500000` as outputs print it. */
function timeOf(text: string, first: bigint | null, option: string): bigint {
  const offset = offsetOf(text);
  if (offset !== null) return (first ?? 0n) + offset;
  const match = RFC3339.exec(text);
  const whole =
    match === null || !isDay(match[1]) ? Number.NaN : Date.parse(`${match[1]}T${match[2]}${match[4].toUpperCase()}`);
  if (match === null || Number.isNaN(whole)) {
    throw new CliError(
      `${option} ${text}: expected RFC 3339 (2026-11-21T04:13:27Z) or an offset from the first frame (2.5s)`,
    );
  }
  return BigInt(whole) * 1_000_000n + BigInt((match[3] ?? '').padEnd(9, '0').slice(0, 9) || '0');
}

/** Date.parse accepts 31 February as a day in March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A duration in ms: `20s`, `1m30s`. */
export function durationOf(text: string): number {
  const ns = /\d$/.test(text) ? null : offsetOf(text);
  if (ns === null) throw new InvalidArgumentError('expected a length of time, for example 20s.');
  return Number(ns / 1_000_000n);
}

/** @returns ns; a number without a unit is in seconds. */
function offsetOf(text: string): bigint | null {
  return parseDuration(/^\d+(?:\.\d+)?$/.test(text) ? `${text}s` : text);
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('expected a number from 1.');
  return Number(text);
}

const LAYERS: Readonly<Record<string, readonly Protocol[]>> = {
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
/** ns */
const MICROSECOND = 1000n;
const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;

export interface RevealOptions {
  readonly showSecrets?: true;
  readonly showCommands?: true;
  readonly showText?: true;
  /** Paths of fields; `@FILE` for a file of them. */
  readonly showField?: readonly string[];
}

/** The redaction's exceptions from the options. Throws CliError. */
export function revealOf({ showSecrets, showCommands, showText, showField }: RevealOptions): Reveal {
  const fields = showField?.flatMap((given) => (given.startsWith('@') ? linesOf(given.slice(1)) : [given]));
  const [wrong] = fields === undefined ? [] : fieldErrors(fields);
  if (wrong !== undefined) throw new CliError(`--show-field ${wrong.text}: ${wrong.problem}`);
  return { secrets: showSecrets, commands: showCommands, text: showText, fields };
}

function linesOf(path: string): readonly string[] {
  try {
    return fieldLines(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CliError(`--show-field @${path}: ${describeError(error)}`);
  }
}
