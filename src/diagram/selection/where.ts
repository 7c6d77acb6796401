// Selects messages by a CEL expression (`--where`) over the fields of a message and its exchange's request.

import { Environment } from '@marcbachmann/cel-js';
import { dictionary } from '../../core/collections/dictionary.js';
import { FIELD_ROWS, type FieldName } from '../../kubernetes/messages/fields.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { bound, CelSteps, registerPatterns, withOwnNames } from './bounded-expression.js';

/** Names of captures by number. */
export type Captures = () => readonly string[] | undefined;

/** @param request of the message's exchange, if captured. Throws as `compileWhere` does. */
export type Predicate = (message: Message, request: Message | undefined) => boolean;

/**
 * Compiles a CEL expression. Comparisons with a missing field are false; every other error is reported, because a wrong
 * expression that selects nothing would look like a right one.
 * @param captures names of the captures, if there are several; they may be unknown until messages arrive.
 * @throws Error with a sentence for the user: a syntax error, an unknown field, a comparison of different types.
 */
export function compileWhere(expression: string, captures: Captures = () => undefined): Predicate {
  const environment = new Environment({ unlistedVariablesAreDyn: false });
  for (const [field, { cel }] of FIELD_ROWS) environment.registerVariable(inCel(field), cel);
  const steps = new CelSteps();
  registerPatterns(environment, steps);
  let program: ReturnType<Environment['parse']>;
  try {
    program = environment.parse(withoutReserved(expression));
    bound(program, steps);
  } catch (error) {
    throw new Error(sentence(error));
  }
  const checked = program.check();
  if (!checked.valid) throw new Error(sentence(checked.error));
  if (checked.type !== 'bool' && checked.type !== 'dyn') throw new Error(noAnswer(String(checked.type)));
  const mentioned = FIELD_ROWS.filter(([name]) => expression.includes(name));
  return (message, request) => {
    const context = contextOf(message, request, mentioned, captures);
    let value: unknown;
    steps.start();
    try {
      value = program(context);
      // Loops swallow the error of one element.
      steps.take(0);
    } catch (error) {
      if (!steps.areSpent && (isMissing(error) || isNullOnly(program, context))) return false;
      throw new Error(`at message ${message.seq}: ${sentence(error)}`);
    }
    if (typeof value === 'boolean') return value;
    if (value === null) return false;
    throw new Error(`at message ${message.seq}: ${noAnswer(typeof value)}`);
  };
}

/** In CEL, a comparison with a missing field is an error; here it does not match. */
function isMissing(error: unknown): boolean {
  return MISSING.has(codeOf(error) ?? '');
}

/** Does the error disappear when null fields are removed? Null counts as missing. */
function isNullOnly(program: ReturnType<Environment['parse']>, context: Record<string, unknown>): boolean {
  try {
    program(withoutNulls(context) as Record<string, unknown>);
    return true;
  } catch (error) {
    return isMissing(error);
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const there = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(there.map(([name, one]) => [name, withoutNulls(one)]));
}

/** Renames fields that are reserved words of CEL, outside of string literals. */
function withoutReserved(expression: string): string {
  return expression.replace(TEXT_OR_RESERVED, (found) => inCel(found));
}

function inCel(word: string): string {
  return CEL_WORDS.has(word) ? `${word}_` : word;
}

/** What an expression may need of a message. */
function contextOf(
  message: Message,
  request: Message | undefined,
  fields: typeof FIELD_ROWS,
  captures: Captures,
): Record<string, unknown> {
  const context: Record<string, unknown> = {};
  for (const [name, { cel, ofRequest }] of fields) {
    const made = MADE_FIELDS[name];
    if (made === undefined) put(context, name, message[name] ?? (ofRequest ? request?.[name] : undefined), cel);
    else put(context, name, made(message, captures), cel);
  }
  return context;
}

/** CEL distinguishes integers from doubles; fields that are whole numbers by their meaning are integers. */
function put(context: Record<string, unknown>, field: FieldName, value: unknown, cel: string): void {
  if (value === undefined || value === null) return;
  context[inCel(field)] = typeof value === 'number' && cel === 'int' ? BigInt(Math.trunc(value)) : value;
}

/** The error in one line, with advice. */
function sentence(error: unknown): string {
  const what = withOwnNames((error instanceof Error ? error.message : String(error)).split('\n', 1)[0]);
  return `${what}; ${HINTS[codeOf(error) ?? ''] ?? 'it takes a CEL expression over the fields of a message'}`;
}

function noAnswer(type: string): string {
  return `it is of type ${type}, not true or false; compare it with something, as in verb == "create"`;
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

/** CEL's timestamps have milliseconds. */
function timeOf(ns: bigint): Date {
  return new Date(Number(ns / NS_PER_MS));
}

const NS_PER_MS = 1_000_000n;
const MISSING: ReadonlySet<string> = new Set(['unknown_variable', 'no_such_key', 'index_out_of_bounds']);
const COMPARE_LIKE =
  'compare numbers with numbers (404; latencyMs with 5.0), texts with texts ("create"), true or false as they are';
const HINTS: Readonly<Record<string, string>> = dictionary({
  unknown_variable: 'see the fields of a message in docs/messages.md; it takes a CEL expression over them',
  no_such_overload: COMPARE_LIKE,
  no_matching_overload: COMPARE_LIKE,
  invalid_logical_operand: COMPARE_LIKE,
});

/** What a message has in another form than `--where` compares. */
type MadeField = (message: Message, captures: Captures) => unknown;

const MADE_FIELDS: Readonly<Partial<Record<FieldName, MadeField>>> = dictionary({
  from: ({ from }) => from.name,
  to: ({ to }) => to.name,
  time: ({ time }) => timeOf(time),
  started: ({ started }) => timeOf(started),
  frames: ({ frames }) => frames.map(BigInt),
  capture: ({ capture }, names) => names()?.[capture],
  lastCapture: ({ lastCapture }, names) => (lastCapture === undefined ? undefined : names()?.[lastCapture]),
  via: ({ via }) => via?.map((one) => one.name) ?? [],
  translated: ({ translated }, names) =>
    translated?.map(({ capture, ...one }) => ({ ...one, capture: names()?.[capture] ?? null })),
});

/** What an expression may name. */
export const WHERE_FIELDS: readonly FieldName[] = FIELD_ROWS.map(([name]) => name);

const CEL_WORDS = new Set(['namespace', 'type', 'bytes']);
/** Skips string literals (CEL spec, "STRING_LIT") and fields after a dot. */
const TEXT_OR_RESERVED =
  /r?'''[\s\S]*?'''|r?"""[\s\S]*?"""|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<![.\w])(?:namespace|type|bytes)(?![\w(])/g;
