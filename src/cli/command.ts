// Defines what a command is: it answers with data, which a row of formats.ts renders; what is written and said is done here.

import { CliError, printError } from './cli-error.js';
import { type Format, type Formats, formatOf } from './formats.js';
import { openOutput, widestMode } from './output/output.js';
import { diffPaintFor, paintFor } from './output/paint.js';
import type { Pieces, Presentation } from './output/results.js';
import * as renderers from './renderers.js';
import { type StandardStreams, standardStreams } from './standard-streams.js';

/** Options that every command with formats may have. */
export interface PrintOptions {
  readonly output?: string;
  readonly write?: string;
  readonly color?: boolean;
  readonly quiet?: true;
  readonly showSecrets?: true;
  readonly sandbox?: boolean;
}

/** What a command knows of its call beside arguments and options. */
export interface RunContext<Result> {
  /** Name of the format, and its row. */
  readonly name: string;
  readonly format: Format<Result>;
  /** What is printed is for a person at a terminal. */
  readonly isForTerminal: boolean;
  readonly streams: StandardStreams;
}

/** Facts about what was read. */
export interface CaptureFacts {
  readonly firstTime: bigint | null;
  readonly captureNames: readonly string[] | undefined;
  digits(capture: number): number;
}

/** What a command says at its end, in this order, and its exit status. */
export interface RunOutcome {
  /** Lines for standard error, but not with -q. */
  readonly remarks?: readonly string[];
  /** Why the command failed: lines for standard error, also with -q. */
  readonly reasons?: readonly string[];
  /** Text for standard error, but not with -q. */
  readonly report?: string;
  /** Exit status. */
  readonly status: number;
}

/** A command that has its result, which is still to be written. */
export interface CommandRun<Result> {
  readonly result: Result;
  /** undefined: no capture was read. */
  readonly captures?: CaptureFacts;
  /** Permissions that a file may have at most, where the options do not say it. */
  readonly mode?: number;
  /** Ends the run. Called once, after the result was written. */
  end(): RunOutcome | Promise<RunOutcome>;
}

export interface Command<Args extends readonly unknown[], Options, Result> {
  readonly formats: Formats<Result>;
  /** Name of the format where neither -o nor -w says it; default: the first one. */
  usual?(options: Options, isForTerminal: boolean): string;
  /** Throws CliError for what its user can mend. */
  run(args: Args, options: Options, context: RunContext<Result>): Promise<CommandRun<Result> | RunOutcome>;
}

/** Runs a command, writes its result to the terminal or a file, and reports the outcome. @returns the exit status. */
export async function runAndWrite<Args extends readonly unknown[], Options extends PrintOptions, Result>(
  command: Command<Args, Options, Result>,
  args: Args,
  options: Options,
): Promise<number> {
  const run = await runCommand(command, args, options);
  if ('status' in run) return reportOutcome(run, options);
  const output = openOutput(options.write, run.mode ?? widestMode(options));
  try {
    for await (const piece of piecesOf(await run.pieces())) await output.write(piece);
    await output.done();
  } catch (error) {
    await output.abandon();
    throw error;
  }
  return reportOutcome(await run.end(), options);
}

/** Prints the outcome of a run on standard error. @returns the exit status. */
export function reportOutcome(
  { remarks = [], reasons = [], report = '', status }: RunOutcome,
  { quiet }: PrintOptions,
): number {
  for (const line of quiet === true ? reasons : [...remarks, ...reasons]) printError(line);
  if (quiet !== true) standardStreams().error(report);
  return status;
}

/** A run whose result can be rendered, in the format that was asked for or another one. */
export interface RenderableRun<Result> extends CommandRun<Result> {
  /** @param format default: the one that is asked for. */
  pieces(format?: string): Promise<Pieces>;
}

/** Runs a command. @returns a run whose result is to be written; or the outcome, where there is none. Throws CliError. */
export async function runCommand<Args extends readonly unknown[], Options extends PrintOptions, Result>(
  command: Command<Args, Options, Result>,
  args: Args,
  options: Options,
): Promise<RenderableRun<Result> | RunOutcome> {
  const streams = standardStreams();
  const { formats } = command;
  const isForTerminal = options.write === undefined && streams.terminal !== null;
  const name = formatOf(options, formats, command.usual?.(options, isForTerminal));
  const format = formats[name];
  if (format.binary !== undefined && isForTerminal)
    throw new CliError(
      `${format.binary} is nothing for a terminal; write it to a file: -w FILE${format.endings?.[0] ?? ''}`,
    );
  const run = await command.run(args, options, { name, format, isForTerminal, streams });
  if ('status' in run) return run;
  const width = options.write === undefined ? streams.width : undefined;
  const isPainted = options.color === true && isForTerminal;
  const shown = presentation(run.captures, { width, isPainted, sandbox: options.sandbox });
  return { ...run, pieces: async (other = name) => formats[other].render(renderers, run.result, shown) };
}

/** A format that is text and no more than the result needs, without colours. */
export async function textOf<Result>(format: Format<Result>, result: Result): Promise<string> {
  return String(await format.render(renderers, result, presentation(undefined, {})));
}

function presentation(
  captures: CaptureFacts | undefined,
  { width, isPainted = false, sandbox }: { width?: number; isPainted?: boolean; sandbox?: boolean },
): Presentation {
  return {
    // What is read while it is written learns them meanwhile.
    get firstTime() {
      return captures?.firstTime ?? null;
    },
    get first() {
      return captures?.firstTime ?? 0n;
    },
    get captures() {
      return captures?.captureNames;
    },
    digits: (capture) => captures?.digits(capture) ?? 0,
    width,
    sandbox,
    paint: paintFor(isPainted),
    diffPaint: diffPaintFor(isPainted),
  };
}

/** The pieces of an output, one by one. */
export function piecesOf(pieces: Pieces): AsyncIterable<string | Uint8Array> | readonly (string | Uint8Array)[] {
  return typeof pieces === 'string' || pieces instanceof Uint8Array ? [pieces] : pieces;
}
