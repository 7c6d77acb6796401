// A sequence as numbered annotations: for every arrow its number in the picture, what it is in a sentence, the request line
// or status line, the head fields that tell something, the essential fields of the body. Heads and bodies come redacted
// through a message's details; captured text passes through markdown-escape.ts only.

import { stringify } from 'yaml';
import { framesText } from '../../core/origin.js';
import { type Arrow, arrowsOf, type Sequence } from '../../diagram/model.js';
import { codeSpan, fenced } from '../escape/markdown-escape.js';
import { wrap } from '../escape/mermaid-escape.js';
import { essentials } from './step-body.js';
import { headLines } from './step-head.js';
import { StepWords } from './step-words.js';

export interface StepOptions {
  /** Numbers of arrows that are told; default: all. */
  readonly wanted?: (number: number) => boolean;
  readonly bodies?: 'yaml' | 'json';
  /** Names of the captures, where there are several. */
  readonly captures?: readonly string[];
}

/** Markdown, one part for each arrow; empty where none is wanted. */
export function renderSteps(sequence: Sequence, options: StepOptions = {}): string {
  const arrows = arrowsOf(sequence.steps);
  const words = new StepWords(sequence, arrows);
  return arrows
    .map((arrow) => ({ arrow, numbers: words.numbersOf(arrow) }))
    .filter(({ numbers }) => options.wanted === undefined || numbers.some(options.wanted))
    .map(({ arrow, numbers }) => step(arrow, numbers, words, options))
    .join('\n');
}

function step(arrow: Arrow, numbers: readonly number[], words: StepWords, options: StepOptions): string {
  const { message } = arrow;
  const parts = [`**${numbers.join(' and ')}.** ${words.sentence(arrow)} (${place(arrow, options)})\n`];
  const head = headLines(message);
  if (head.length > 0) parts.push(fenced('http', head));
  parts.push(...bodyParts(message.details?.body(), options));
  return parts.join('\n');
}

/** Where to find it: the message's number and its frames, as Wireshark counts. */
function place({ message }: Arrow, { captures }: StepOptions): string {
  const file = captures === undefined ? '' : ` of ${codeSpan(captures[message.capture] ?? '')}`;
  const whole = message.complete ? '' : ', bytes of it are missing';
  const concluded = message.inferred === undefined ? '' : `, concluded and not read: ${message.inferred.join(', ')}`;
  return `message ${message.seq}, ${framesText(message.frames)}${file}${whole}${concluded}`;
}

function bodyParts(body: unknown, options: StepOptions): string[] {
  if (body === undefined || body === null) return [];
  if (typeof body === 'string') return [fenced('text', limited(body.split('\n')))];
  const size = sizeOf(body);
  if (size !== null) return [`${size}\n`];
  const { value, remarks } = essentials(body);
  const isJson = options.bodies === 'json';
  const text = isJson ? JSON.stringify(value, null, 2) : stringify(value, { lineWidth: 0 }).trimEnd();
  const lines = limited(text.split('\n'));
  if (remarks.length === 0) return [fenced(isJson ? 'json' : 'yaml', lines)];
  if (isJson) return [fenced('json', lines), `${remarks.map((remark) => codeSpan(remark)).join('; ')}\n`];
  return [fenced('yaml', [...lines, ...remarks.flatMap((remark) => wrap(remark, WIDTH)).map((line) => `# ${line}`)])];
}

/** What is told by its size alone (details-types.ts); null for what is shown. */
function sizeOf(body: unknown): string | null {
  const { $bytes, $contentType } = body as { readonly $bytes?: unknown; readonly $contentType?: unknown };
  if (typeof $bytes !== 'number') return null;
  const type = typeof $contentType === 'string' ? ` of ${codeSpan($contentType)}` : '';
  return `The body is ${$bytes} bytes${type}, which are not shown.`;
}

function limited(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_BODY_LINES) return lines;
  return [...lines.slice(0, MAX_BODY_LINES), `# … ${lines.length - MAX_BODY_LINES} more lines`];
}

/** A body that fills more than a screen is not read in a page. */
const MAX_BODY_LINES = 60;
/** Characters of a line of remarks. */
const WIDTH = 110;
