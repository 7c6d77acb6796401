// Answers calls of tools, one after another: asks the command, cuts a page of what it answers, and adds the evidence.

import type { Command } from 'commander';
import { escapeTerminal, fenced } from '../../index.js';
import { CliError, describeError, EXIT_FINE } from '../cli-error.js';
import { reportOutcome } from '../command.js';
import { withStreams } from '../standard-streams.js';
import {
  type AnswerText,
  CallStreams,
  DATA_NOTICE,
  evidenceOf,
  headOf,
  MAX_CALL_MS,
  messagesNamedIn,
  messagesNamedInJson,
  pageOf,
  remarksOf,
  type TextPage,
  textOfPieces,
} from './answer.js';
import type { FrameNumbers } from './frame-numbers.js';
import { type ToolArguments, ToolParameters } from './parameters.js';
import { type CaptureTool, TOOLS, type ToolContext } from './tools.js';

/** The result of a call, as MCP has it. */
export interface ToolAnswer {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly [further: string]: unknown;
}

/** What the tools work on, after the captures were read; a tool may open others. */
export interface ReadCaptures {
  readonly context: ToolContext;
  readonly frames: FrameNumbers;
}

export class ToolCalls {
  readonly #parameters: ReadonlyMap<CaptureTool, ToolParameters>;
  readonly #captures: Promise<ReadCaptures>;
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();

  /** @param definitions of the commands, whose options are parameters of the tools. @param most ms of one call. */
  constructor(definitions: readonly Command[], captures: Promise<ReadCaptures>, tools = TOOLS, most = MAX_CALL_MS) {
    this.#parameters = new Map(tools.map((tool) => [tool, new ToolParameters(tool, definitions)]));
    this.#captures = captures;
    this.#most = most;
  }

  /** The tools as MCP lists them. */
  listedTools(): object[] {
    return [...this.#parameters].map(([{ name, title, description }, parameters]) => ({
      name,
      title,
      description,
      inputSchema: parameters.schema(),
      annotations: { title, ...READ_ONLY },
    }));
  }

  /** Commands share their streams, so calls wait for each other. */
  call(name: string, given: Readonly<Record<string, unknown>>): Promise<ToolAnswer> {
    const answered = this.#last.then(() => this.#answered(name, given));
    this.#last = answered.catch(() => {});
    return answered;
  }

  /** Settles when every call so far is answered. */
  async idle(): Promise<void> {
    await this.#last;
  }

  async #answered(name: string, given: Readonly<Record<string, unknown>>): Promise<ToolAnswer> {
    const [tool, parameters] = [...this.#parameters].find(([one]) => one.name === name) ?? [];
    if (tool === undefined || parameters === undefined)
      return failure(`no such tool; there are: ${[...this.#parameters.keys()].map((one) => one.name).join(', ')}`);
    try {
      const args = parameters.check(given);
      const captures = await this.#captures;
      if (captures.context.files.length === 0 && tool.needsNoCapture !== true)
        throw new CliError('no capture is open: call open, which lists them, then open with one of them');
      return await answerOf(tool, args, captures, Date.now() + this.#most);
    } catch (error) {
      return failure(describeError(error as CliError));
    }
  }
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

function answerOf(
  tool: CaptureTool,
  args: ToolArguments,
  { context, frames }: ReadCaptures,
  end: number,
): Promise<ToolAnswer> {
  const streams = new CallStreams(end);
  return withStreams(streams, async () => {
    const options = { ...args.options, ...context.options, ...tool.fixed };
    const answer = await tool.ask({ args: args.own, options, context });
    if ('status' in answer) return failure((answer.reasons ?? []).join('\n'));
    const { start: first = 1, limit } = args.own;
    const most = tool.lines === undefined ? undefined : (limit ?? tool.lines);
    const time = { checkTime: () => streams.checkTime() };
    const lines = most === undefined ? undefined : first + most;
    const whole = await textOfPieces(await answer.pieces(), time, lines);
    const outcome = await answer.end();
    const status = whole.isCut ? EXIT_FINE : reportOutcome(outcome, context.options);
    const page = pageOf(whole, first, most);
    const text = page.lines.join('\n');
    const numbers =
      tool.named === undefined
        ? messagesNamedIn(text)
        : namedInJson(tool.named, await textOfPieces(await answer.pieces('json'), time), text);
    const evidence = tool.isRows === true ? '' : evidenceOf(numbers, frames);
    const remarks = remarksOf(streams.remarks);
    const blocks = [headOf(tool.name, page)];
    if (text !== '') blocks.push(fence(tool.language, text));
    if (evidence !== '') blocks.push(`Frames of these messages:\n${fence('text', evidence)}`);
    if (remarks !== '') blocks.push(`Remarks:\n${fence('text', remarks)}`);
    const content = blocks.map((block) => ({ type: 'text' as const, text: block }));
    const isError = status !== EXIT_FINE;
    if (tool.isRows !== true || isError) return { content, ...(isError ? { isError } : {}) };
    return { content, structuredContent: rowsOf(page, frames) };
  });
}

/** Messages that the JSON of the same answer names: all of them, or those whose numbers the text shows. */
function namedInJson(which: 'shown' | 'all', { text: json, isCut }: AnswerText, text: string): readonly number[] {
  if (isCut) return [];
  const named = messagesNamedInJson(JSON.parse(json)).sort((a, b) => a - b);
  if (which === 'all') return named;
  const shown = new Set([...text.matchAll(/\d+/g)].map(([number]) => Number(number)));
  return named.filter((seq) => shown.has(seq));
}

/** Rows as data, with the frames of those that name a message. */
function rowsOf({ lines, first, next }: TextPage, frames: FrameNumbers): Record<string, unknown> {
  const rows = lines.flatMap((line) => {
    try {
      return [JSON.parse(line, escapedMember) as Record<string, unknown>];
    } catch {
      // A line that was cut is no JSON.
      return [];
    }
  });
  const named = rows.flatMap(({ seq }) => (typeof seq === 'number' ? [seq] : []));
  const evidence = evidenceOf(named, frames);
  return {
    about: DATA_NOTICE,
    first,
    ...(next === undefined ? {} : { next }),
    rows,
    ...(evidence === '' ? {} : { frames: evidence.split('\n') }),
  };
}

/** Whoever reads the data as text shall see what the text of an answer shows: as a reviver of JSON.parse, for names and texts. */
function escapedMember(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return escapeTerminal(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [escapeTerminal(name), member]));
}

function fence(language: string, text: string): string {
  return fenced(language, text.replace(/\n$/, '').split('\n')).trimEnd();
}

function failure(text: string): ToolAnswer {
  return { content: [{ type: 'text', text: `${DATA_NOTICE}\n${fence('text', remarksOf(text))}` }], isError: true };
}
