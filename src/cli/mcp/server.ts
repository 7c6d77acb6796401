// Answers calls of tools, one after another: runs the command, cuts a page of what it printed, and adds the evidence.

import { escapeTerminal } from '../../index.js';
import { type CliError, describeError, EXIT_FINE } from '../cli-error.js';
import { withStreams } from '../standard-streams.js';
import {
  DATA_NOTICE,
  EnoughPrinted,
  evidenceOf,
  fenced,
  headOf,
  MAX_CALL_MS,
  messagesNamedIn,
  messagesNamedInJson,
  PrintedText,
  pageOf,
  remarksOf,
  type TextPage,
} from './answer.js';
import type { FrameNumbers } from './frame-numbers.js';
import { checkArguments, inputSchema, type ToolArguments } from './parameters.js';
import { type CaptureTool, TOOLS, type ToolContext } from './tools.js';

/** The result of a call, as MCP has it. */
export interface ToolAnswer {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly [further: string]: unknown;
}

/** The tools as MCP lists them. */
export function listedTools(): object[] {
  return TOOLS.map(({ name, title, description, parameters }) => ({
    name,
    title,
    description,
    inputSchema: inputSchema(parameters),
    annotations: { title, ...READ_ONLY },
  }));
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** What the tools work on, after the captures were read. */
export interface ReadCaptures {
  readonly context: ToolContext;
  readonly frames: FrameNumbers;
}

export class ToolCalls {
  readonly #captures: Promise<ReadCaptures>;
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();

  /** @param most ms of one call. */
  constructor(captures: Promise<ReadCaptures>, most = MAX_CALL_MS) {
    this.#captures = captures;
    this.#most = most;
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
    const tool = TOOLS.find((one) => one.name === name);
    if (tool === undefined) return failure(`no such tool; there are: ${TOOLS.map((one) => one.name).join(', ')}`);
    try {
      const args = checkArguments(tool.parameters, given);
      const captures = await this.#captures;
      return await answerOf(tool, args, captures, Date.now() + this.#most);
    } catch (error) {
      return failure(describeError(error as CliError));
    }
  }
}

async function answerOf(
  tool: CaptureTool,
  args: ToolArguments,
  { context, frames }: ReadCaptures,
  end: number,
): Promise<ToolAnswer> {
  const first = args.number('start') ?? 1;
  const most = tool.lines === undefined ? undefined : (args.number('limit') ?? tool.lines);
  const printed = new PrintedText(end, most === undefined ? undefined : first + most);
  const status = await statusOf(printed, () => tool.run(args, context));
  const page = pageOf(printed, first, most);
  const text = page.lines.join('\n');
  const numbers = tool.named !== undefined ? await namedInJson(tool, args, context, page, end) : messagesNamedIn(text);
  const evidence = tool.isRows === true ? '' : evidenceOf(numbers, frames);
  const remarks = remarksOf(printed.errors);
  const blocks = [headOf(tool.name, page)];
  if (text !== '') blocks.push(fenced(tool.language, text));
  if (evidence !== '') blocks.push(`Frames of these messages:\n${fenced('text', evidence)}`);
  if (remarks !== '') blocks.push(`Remarks:\n${fenced('text', remarks)}`);
  const content = blocks.map((block) => ({ type: 'text' as const, text: block }));
  const isError = status !== EXIT_FINE;
  if (tool.isRows !== true || isError) return { content, ...(isError ? { isError } : {}) };
  return { content, structuredContent: rowsOf(page, frames) };
}

/** @returns the exit status; fine where enough was printed. */
async function statusOf(printed: PrintedText, run: () => Promise<number>): Promise<number> {
  try {
    return await withStreams(printed, run);
  } catch (error) {
    if (error instanceof EnoughPrinted) return EXIT_FINE;
    throw error;
  }
}

/** Messages that the JSON of the same answer names. */
async function namedInJson(
  tool: CaptureTool,
  args: ToolArguments,
  context: ToolContext,
  page: TextPage,
  end: number,
): Promise<readonly number[]> {
  const printed = new PrintedText(end);
  await statusOf(printed, () => tool.run(args, context, 'json'));
  if (printed.isCut) return [];
  const named = messagesNamedInJson(JSON.parse(printed.text)).sort((a, b) => a - b);
  if (tool.named === 'all') return named;
  const shown = new Set([...page.lines.join('\n').matchAll(/\d+/g)].map(([number]) => Number(number)));
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

function failure(text: string): ToolAnswer {
  return { content: [{ type: 'text', text: `${DATA_NOTICE}\n${fenced('text', remarksOf(text))}` }], isError: true };
}
