// Selection by a CEL expression over a message (`--where`). A message sees the fields of its exchange's request too.
// Knows the fields of the contract; what is not on a message makes its comparison false, a field that no message has is
// the user's error.

import { Environment } from '@marcbachmann/cel-js';
import type { Message } from '../kubernetes/message.js';

/** @param request of the message's exchange, if it was captured. */
export type Predicate = (message: Message, request: Message | undefined) => boolean;

/** @throws Error with a sentence for the user where the expression is none or names unknown fields. */
export function compileWhere(expression: string): Predicate {
  const environment = new Environment({ unlistedVariablesAreDyn: false });
  for (const field of FIELDS) environment.registerVariable(inCel(field), 'dyn');
  let program: ReturnType<Environment['parse']>;
  try {
    program = environment.parse(withoutReserved(expression));
  } catch (error) {
    throw new Error(firstLine(error));
  }
  const checked = program.check();
  if (!checked.valid) throw new Error(firstLine(checked.error));
  return (message, request) => {
    try {
      return program(contextOf(message, request)) === true;
    } catch {
      // CEL's own rule: a comparison with something that is not there is an error, not a match.
      return false;
    }
  };
}

/** Words that CEL has for itself and that are fields here; outside of texts they stand for the field. */
function withoutReserved(expression: string): string {
  return expression.replace(TEXT_OR_RESERVED, (found) => inCel(found));
}

function inCel(word: string): string {
  return CEL_WORDS.has(word) ? `${word}_` : word;
}

function contextOf(message: Message, request: Message | undefined): Record<string, unknown> {
  const context: Record<string, unknown> = {};
  for (const field of REQUEST_FIELDS) {
    put(context, inCel(field), message[field] ?? request?.[field]);
  }
  for (const field of OWN_FIELDS) put(context, inCel(field), message[field]);
  context['from'] = message.from.name;
  context['to'] = message.to.name;
  context['frames'] = message.frames.map(BigInt);
  context['via'] = message.via?.map((one) => one.name) ?? [];
  return context;
}

/** CEL tells integers from doubles; what is a whole number by its meaning is an integer. */
function put(context: Record<string, unknown>, field: string, value: unknown): void {
  if (value === undefined || value === null) return;
  context[field] = typeof value === 'number' && field !== 'latencyMs' ? BigInt(Math.trunc(value)) : value;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
}

const REQUEST_FIELDS = [
  'method',
  'target',
  'userAgent',
  'verb',
  'apiGroup',
  'apiVersion',
  'resource',
  'subresource',
  'namespace',
  'name',
  'dryRun',
  'service',
  'rpcMethod',
  'key',
  'podSandboxId',
  'containerId',
  'image',
] as const satisfies readonly (keyof Message)[];

const OWN_FIELDS = [
  'seq',
  'kind',
  'protocol',
  'label',
  'exchange',
  'connection',
  'stream',
  'complete',
  'causedBy',
  'status',
  'reason',
  'auditId',
  'latencyMs',
  'object',
  'type',
  'initial',
  'report',
  'warnings',
  'troubles',
  'claims',
  'lacks',
  'release',
  'grpcStatus',
  'revision',
  'succeeded',
  'channel',
  'bytes',
  'exitCode',
] as const satisfies readonly (keyof Message)[];

const FIELDS = [...REQUEST_FIELDS, ...OWN_FIELDS, 'from', 'to', 'frames', 'via'];

const CEL_WORDS = new Set(['namespace', 'type', 'bytes']);
/** Texts are skipped whole (CEL spec, "STRING_LIT"); a field after a dot is no identifier of its own. */
const TEXT_OR_RESERVED =
  /r?'''[\s\S]*?'''|r?"""[\s\S]*?"""|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<![.\w])(?:namespace|type|bytes)(?![\w(])/g;
