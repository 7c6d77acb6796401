// Selects messages by a CEL expression (`--where`) over the fields of a message and its exchange's request.

import { Environment } from '@marcbachmann/cel-js';
import { dictionary } from '../../core/collections/dictionary.js';
import type { Message } from '../../kubernetes/messages/message.js';

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
  for (const [field, type] of Object.entries(TYPES)) environment.registerVariable(inCel(field), type);
  let program: ReturnType<Environment['parse']>;
  try {
    program = environment.parse(withoutReserved(expression));
  } catch (error) {
    throw new Error(sentence(error));
  }
  const checked = program.check();
  if (!checked.valid) throw new Error(sentence(checked.error));
  if (checked.type !== 'bool' && checked.type !== 'dyn') throw new Error(noAnswer(String(checked.type)));
  const mentioned = (field: string): boolean => expression.includes(field);
  const fields: Mentioned = {
    ofRequest: REQUEST_NAMES.filter(mentioned),
    own: OWN_NAMES.filter(mentioned),
    made: Object.entries(MADE_FIELDS).filter(([field]) => mentioned(field)),
    captures,
  };
  return (message, request) => {
    const context = contextOf(message, request, fields);
    let value: unknown;
    try {
      value = program(context);
    } catch (error) {
      if (isMissing(error) || isNullOnly(program, context)) return false;
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

/** The fields that an expression mentions. */
interface Mentioned {
  readonly ofRequest: readonly (keyof typeof REQUEST_FIELDS)[];
  readonly own: readonly (keyof typeof OWN_FIELDS)[];
  readonly made: readonly (readonly [string, MadeField])[];
  readonly captures: Captures;
}

function contextOf(
  message: Message,
  request: Message | undefined,
  { ofRequest, own, made, captures }: Mentioned,
): Record<string, unknown> {
  const context: Record<string, unknown> = {};
  for (const field of ofRequest) put(context, inCel(field), message[field] ?? request?.[field]);
  for (const field of own) put(context, inCel(field), message[field]);
  for (const [field, { read }] of made) put(context, field, read(message, captures));
  return context;
}

/** CEL distinguishes int and double: only latencyMs is a double. */
function put(context: Record<string, unknown>, field: string, value: unknown): void {
  if (value === undefined || value === null) return;
  context[field] = typeof value === 'number' && field !== 'latencyMs' ? BigInt(Math.trunc(value)) : value;
}

/** The error in one line, with advice. */
function sentence(error: unknown): string {
  const what = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
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
const TIMESTAMP = 'google.protobuf.Timestamp';
const MISSING: ReadonlySet<string> = new Set(['unknown_variable', 'no_such_key', 'index_out_of_bounds']);
const COMPARE_LIKE =
  'compare numbers with numbers (404; latencyMs with 5.0), texts with texts ("create"), true or false as they are';
const HINTS: Readonly<Record<string, string>> = dictionary({
  unknown_variable: 'see the fields of a message in docs/messages.md; it takes a CEL expression over them',
  no_such_overload: COMPARE_LIKE,
  no_matching_overload: COMPARE_LIKE,
  invalid_logical_operand: COMPARE_LIKE,
});

/** Fields that a message takes from its request too, with their CEL types. */
const REQUEST_FIELDS = {
  method: 'string',
  target: 'string',
  userAgent: 'string',
  user: 'string',
  userFrom: 'string',
  verb: 'string',
  apiGroup: 'string',
  apiVersion: 'string',
  resource: 'string',
  subresource: 'string',
  namespace: 'string',
  name: 'string',
  dryRun: 'bool',
  service: 'string',
  rpcMethod: 'string',
  key: 'string',
  podSandboxId: 'string',
  containerId: 'string',
  image: 'string',
} as const satisfies Partial<Record<keyof Message, string>>;

const OWN_FIELDS = {
  seq: 'int',
  kind: 'string',
  protocol: 'string',
  label: 'string',
  exchange: 'int',
  connection: 'string',
  stream: 'int',
  complete: 'bool',
  inferred: 'list<string>',
  causedBy: 'int',
  status: 'int',
  reason: 'string',
  statusMessage: 'string',
  auditId: 'string',
  latencyMs: 'double',
  object: 'dyn',
  type: 'string',
  initial: 'bool',
  k8sEvent: 'dyn',
  warnings: 'list<string>',
  problems: 'list<dyn>',
  claims: 'list<string>',
  missing: 'list<string>',
  appliedFor: 'dyn',
  release: 'dyn',
  patch: 'list<dyn>',
  grpcStatus: 'int',
  revision: 'string',
  succeeded: 'bool',
  channel: 'string',
  bytes: 'int',
  exitCode: 'int',
} as const satisfies Partial<Record<keyof Message, string>>;

/** Fields that expressions see in another form. */
interface MadeField {
  readonly type: string;
  read(message: Message, captures: Captures): unknown;
}

const MADE_FIELDS: Readonly<Record<string, MadeField>> = dictionary({
  from: { type: 'string', read: ({ from }) => from.name },
  to: { type: 'string', read: ({ to }) => to.name },
  time: { type: TIMESTAMP, read: ({ time }) => timeOf(time) },
  started: { type: TIMESTAMP, read: ({ started }) => timeOf(started) },
  frames: { type: 'list<int>', read: ({ frames }) => frames.map(BigInt) },
  capture: { type: 'string', read: ({ capture }, names) => names()?.[capture] },
  lastCapture: {
    type: 'string',
    read: ({ lastCapture }, names) => (lastCapture === undefined ? undefined : names()?.[lastCapture]),
  },
  via: { type: 'list<string>', read: ({ via }) => via?.map((one) => one.name) ?? [] },
  translated: {
    type: 'list<dyn>',
    read: ({ translated }, names) =>
      translated?.map(({ capture, ...one }) => ({ ...one, capture: names()?.[capture] ?? null })),
  },
});

const REQUEST_NAMES = Object.keys(REQUEST_FIELDS) as (keyof typeof REQUEST_FIELDS)[];
const OWN_NAMES = Object.keys(OWN_FIELDS) as (keyof typeof OWN_FIELDS)[];
const TYPES: Readonly<Record<string, string>> = dictionary({
  ...REQUEST_FIELDS,
  ...OWN_FIELDS,
  ...Object.fromEntries(Object.entries(MADE_FIELDS).map(([field, { type }]) => [field, type])),
});
export const WHERE_FIELDS: readonly string[] = Object.keys(TYPES);

const CEL_WORDS = new Set(['namespace', 'type', 'bytes']);
/** Skips string literals (CEL spec, "STRING_LIT") and fields after a dot. */
const TEXT_OR_RESERVED =
  /r?'''[\s\S]*?'''|r?"""[\s\S]*?"""|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<![.\w])(?:namespace|type|bytes)(?![\w(])/g;
