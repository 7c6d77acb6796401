// Renders a sequence as numbered annotations in Markdown: for each arrow a sentence, its head's essential fields and its body's.

import { stringify } from 'yaml';
import { framesText } from '../../core/origin.js';
import { type Arrow, arrowsOf, type Sequence } from '../../diagram/model.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { codeSpan, fenced } from '../escape/markdown-escape.js';
import { wrap } from '../escape/mermaid-escape.js';
import { shortenBody } from './shorten-body.js';
import { StepWords } from './step-words.js';

export interface StepOptions {
  /** Selects arrows by number; default: all. */
  readonly wanted?: (number: number) => boolean;
  readonly bodies?: 'yaml' | 'json';
  /** Names of the captures, if there are several. */
  readonly captures?: readonly string[];
}

/** Markdown, one part for each arrow; empty if none is selected. */
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

/** The message's number and its frames, as Wireshark counts them. */
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
  const { value, remarks } = shortenBody(body);
  const isJson = options.bodies === 'json';
  const text = isJson ? JSON.stringify(value, null, 2) : stringify(value, { lineWidth: 0 }).trimEnd();
  const lines = limited(text.split('\n'));
  if (remarks.length === 0) return [fenced(isJson ? 'json' : 'yaml', lines)];
  if (isJson) return [fenced('json', lines), `${remarks.map((remark) => codeSpan(remark)).join('; ')}\n`];
  return [fenced('yaml', [...lines, ...remarks.flatMap((remark) => wrap(remark, WIDTH)).map((line) => `# ${line}`)])];
}

/** For a body of which only the size is known; null for others. */
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

/** Limit: lines of a body in an annotation, the rest is counted: longer bodies are not read in a page. */
const MAX_BODY_LINES = 60;
/** Characters of a line of remarks. */
const WIDTH = 110;

/** Request or status line with essential header fields, for a fence; empty if the message has no head. */
function headLines(message: Message): string[] {
  const first = firstLine(message);
  if (first === null) return [];
  const fields = (message.details?.fields() ?? []).filter(([name]) => isEssential(name));
  return [first, ...fields.slice(0, MAX_FIELDS).map(([name, value]) => `${name}: ${shortened(value)}`)];
}

function firstLine(message: Message): string | null {
  if (message.kind === 'request') {
    if (message.service !== undefined) return `POST /${message.service}/${message.rpcMethod ?? '…'}`;
    return message.target === undefined ? null : `${message.method ?? '…'} ${message.target}`;
  }
  // The HTTP status of a gRPC call is always 200; its outcome is the gRPC status.
  if (message.kind !== 'response' || message.status === undefined || message.service !== undefined) return null;
  const reason = /^\[RESP\] (\d+[^,]*)/.exec(message.label)?.[1];
  return reason ?? String(message.status);
}

function isEssential(name: string): boolean {
  const lower = name.toLowerCase();
  return ESSENTIAL_FIELDS.has(lower) || lower.startsWith('impersonate-');
}

function shortened(value: string): string {
  return value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE)}…`;
}

const ESSENTIAL_FIELDS = new Set(
  `user-agent accept content-type content-encoding authorization kubectl-command upgrade expect
  sec-websocket-protocol x-stream-protocol-version transfer-encoding audit-id location retry-after warning
  www-authenticate allow docker-content-digest grpc-status grpc-message`.split(/\s+/),
);
/** Limit: head fields in an annotation; heads of known programs have fewer. */
const MAX_FIELDS = 24;
/** Limit: characters of such a field. */
const MAX_VALUE = 300;
