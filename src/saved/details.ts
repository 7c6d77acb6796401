// Heads and bodies of saved messages. They were redacted when they were saved, unless `--show-secrets` was set; so
// they pass through the redaction of this run too, in the context of their request.

import { RecentMap } from '../core/collections/bounded.js';
import { isRecord } from '../core/record.js';
import { bodyContext, callMessage } from '../kubernetes/emitted/details-context.js';
import { bytesMarker, type Details, type HeaderField, isShown } from '../kubernetes/messages/details-types.js';
import type { Message, ShownValue } from '../kubernetes/messages/message.js';
import type { ObjectContext, Redaction } from '../redaction/redaction.js';
import type { SavedFields } from './saved-fields.js';

export function savedDetails(
  { headers, body }: SavedFields,
  message: Message,
  context: ObjectContext,
  redaction: Redaction,
): Details {
  return {
    fields: () => fieldsOf(headers, message, redaction),
    body: () => bodyOf(body, message, context, redaction),
    bodyBytes: () => announcedBytes(headers),
  };
}

/** The context of an exchange's bodies, which its request determines as long as it is remembered. */
export class Contexts {
  readonly #bodies: boolean;
  readonly #byExchange = new RecentMap<number, SavedContext>(MAX_EXCHANGES);

  /** @param bodies bodies are kept; else only patches need a context, which reviews alone have. */
  constructor(bodies: boolean) {
    this.#bodies = bodies;
  }

  /** Each message comes here first. */
  observe(message: Message): void {
    if (message.kind !== 'request') return;
    if (this.#bodies || isReview(message)) this.#remember(message);
    else if (this.#byExchange.size > 0) this.#byExchange.delete(message.exchange);
  }

  of(message: Message): ObjectContext {
    const request = this.#byExchange.get(message.exchange);
    const context = request?.context ?? bodyContext(message.protocol, { service: message.service }, '');
    const { service, rpcMethod } = message;
    if (service === undefined || rpcMethod == null) return context;
    // Messages of a stream go both ways.
    const isRequest = message.kind === 'request' || (message.kind === 'data' && message.from.name === request?.client);
    return { ...context, message: callMessage(service, rpcMethod, isRequest) };
  }

  #remember(message: Message): void {
    const context = bodyContext(message.protocol, message, message.target ?? '');
    this.#byExchange.set(message.exchange, { context, client: message.from.name });
  }
}

/** Whether the context of a request says what is judged, as `bodyContext` has it. */
function isReview({ protocol, resource }: Message): boolean {
  return resource !== undefined && (protocol === 'http' || protocol === 'grpc');
}

/** What is remembered of the request of an exchange. */
interface SavedContext {
  readonly context: ObjectContext;
  /** Name of who sent it. */
  readonly client: string;
}

function fieldsOf(value: unknown, message: Message, redaction: Redaction): readonly HeaderField[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(
      (one): one is string[] => Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === 'string'),
    )
    .map(([name, text]) => [redaction.fieldName(name), redaction.field(name, text, isShown(message, name))]);
}

/** Saved messages have the decoded body; only the head can say how many bytes were transferred. */
function announcedBytes(headers: unknown): number | undefined {
  if (!Array.isArray(headers)) return undefined;
  const field = headers.find((one) => Array.isArray(one) && String(one[0]).toLowerCase() === 'content-length');
  const length = Number(field?.[1]);
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined;
}

function bodyOf(body: unknown, message: Message, context: ObjectContext, redaction: Redaction): ShownValue | undefined {
  if (body === undefined) return undefined;
  if (typeof body === 'string') {
    const isOwn = context.application === undefined && context.resource === undefined;
    return isOwn ? redaction.text(body) : bytesMarker(body.length);
  }
  // A watch event is its type and an object, which is what the context is about.
  if (message.kind === 'event' && isRecord(body) && 'object' in body)
    return { type: message.type ?? null, object: redaction.object(body['object'], context) ?? null };
  return redaction.object(body, context) ?? null;
}

/** Limit: exchanges that can be open at a time with their request remembered. */
const MAX_EXCHANGES = 100_000;
