// Checks the values of options that several commands share, and makes selections of them.

import { fstatSync, readFileSync } from 'node:fs';
import {
  compileWhere,
  type FollowedName,
  fieldErrors,
  fieldLines,
  type Protocol,
  parseFollow,
  type Reveal,
  type Selection,
  type TunnelPorts,
  tunnelRule,
} from '../index.js';
import { CliError, describeError } from './cli-error.js';
import {
  type CommonOptions,
  type DiagramCliOptions,
  type FollowCliOptions,
  LAYERS,
  type LiveOptions,
  offsetOf,
} from './options.js';
import { standardStreams } from './standard-streams.js';

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

/** Facts about the captures that a selection needs. */
export interface Selected {
  /** Time of the first frame, ns since the epoch; null: not known yet. */
  readonly firstTime: bigint | null;
  /** Time of the last one, where a time counts back from it; null: not known. */
  readonly lastTime: bigint | null;
  /** Names of the captures, if there are several. */
  readonly captureNames?: readonly string[];
}

export function selectionOf(options: CommonOptions, session: Selected): Selection {
  return {
    from: options.from,
    to: options.to,
    since: options.since === undefined ? undefined : timeOf(options.since, session, '--since'),
    until: untilOf(options, session),
    where: options.where === undefined ? undefined : whereOf(options.where, session),
  };
}

export function isSelecting(options: CommonOptions): boolean {
  return [options.from, options.to, options.since, options.until, options.where].some((value) => value !== undefined);
}

/** Neither an object nor a part of the messages is chosen. */
export function takesAll(options: CommonOptions & FollowCliOptions): boolean {
  return options.follow === undefined && !isSelecting(options);
}

/** Reports errors in options before anything is read. */
export function checkSelection(options: CommonOptions & FollowCliOptions): void {
  selectionOf(options, { firstTime: 0n, lastTime: 0n });
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
  return (message, request) => {
    standardStreams().checkTime?.();
    return orTrouble(() => matches(message, request));
  };
}

/** ns since the epoch: the end of what `--until` selects; undefined: not given. */
export function untilOf({ until }: Pick<CommonOptions, 'until'>, session: Selected): bigint | undefined {
  return until === undefined ? undefined : endOf(until, session);
}

/** Does a time count back from the last frame: `-10m`? */
export function isFromEnd(text: string | undefined): boolean {
  return text?.startsWith('-') === true;
}

/** Offsets are printed in microseconds, so a copied one includes its whole microsecond. */
function endOf(text: string, session: Selected): bigint {
  const time = timeOf(text, session, '--until');
  const offset = offsetOf(text);
  return offset !== null && offset % MICROSECOND === 0n ? time + MICROSECOND - 1n : time;
}

/** RFC 3339, or an offset from the first frame: `2.5s`, `300ms`, `1m30s`, and `2.500000` as outputs print it; `-10m` from the last. */
function timeOf(text: string, { firstTime, lastTime }: Selected, option: string): bigint {
  const isBack = isFromEnd(text);
  const offset = offsetOf(isBack ? text.slice(1) : text);
  if (offset !== null && isBack && lastTime === null)
    throw new CliError(`${option} ${text}: the end of what is read once or still grows is not known; name files`);
  if (offset !== null) return isBack ? lastTime! - offset : (firstTime ?? 0n) + offset;
  const match = RFC3339.exec(text);
  const whole =
    match === null || !isDay(match[1]) ? Number.NaN : Date.parse(`${match[1]}T${match[2]}${match[4].toUpperCase()}`);
  if (match === null || Number.isNaN(whole)) {
    throw new CliError(
      `${option} ${text}: expected RFC 3339 (2026-11-21T04:13:27Z) or an offset from the first frame (2.5s) or from the last (-10m)`,
    );
  }
  return BigInt(whole) * 1_000_000n + BigInt((match[3] ?? '').padEnd(9, '0').slice(0, 9) || '0');
}

/** Date.parse accepts 31 February as a day in March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** The redaction's exceptions from the options. Throws CliError. */
export function revealOf({ showSecrets, showCommands, showText, showField }: CommonOptions): Reveal {
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

/** ns */
const MICROSECOND = 1000n;
const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;

/** Of --trace: which spans are one trace; undefined: those of an exchange. */
export function storyOf(
  { trace, follow }: Pick<DiagramCliOptions, 'trace' | 'follow'>,
  format: string,
): 'each' | 'one' | undefined {
  if (trace === undefined) return undefined;
  if (format !== 'otlp') throw new CliError(`--trace chooses the traces of -o otlp; -o ${format} has none`);
  if (trace === 'exchange') return undefined;
  return follow === undefined ? 'each' : 'one';
}

/** @param rules of --decode: `udp:9999=vxlan`. */
export function tunnelsOf(rules: readonly string[]): TunnelPorts | undefined {
  if (rules.length === 0) return undefined;
  return new Map(
    rules.map((text) => {
      const rule = tunnelRule(text);
      if (rule === null) throw new CliError(`--decode ${text}: expected udp:PORT=vxlan, geneve or tzsp`);
      return rule;
    }),
  );
}
