// Links each message to the request of its exchange, so that no reader has to look for it.

import { STREAMED_SUBRESOURCES } from '../../core/api-resources.js';
import { RecentMap } from '../../core/collections/bounded.js';
import type { Message, ObjectLife, Protocol } from '../messages/message.js';

/** Links messages. Whoever copies messages, or reads them from a spool, links these again. */
export class MessageLinker {
  readonly #open = new RecentMap<number, Message>(MAX_OPEN, 'requests of open exchanges');
  readonly #objects: Pick<MessageLinker, 'link'> | null;

  /** @param objects links each message to its object, too; null: nothing does. */
  constructor(objects: Pick<MessageLinker, 'link'> | null = null) {
    this.#objects = objects;
  }

  /** @param message the next one in the order of time; its `request` is set. @returns the same message. */
  link(message: Message): Message {
    const { kind, exchange } = message;
    const request = kind === 'request' ? undefined : this.#open.get(exchange);
    if (kind === 'request') this.#open.set(exchange, message);
    else if (request !== undefined) {
      (message as { request?: Message }).request = request;
      const isEnd = kind === 'end' || (kind === 'response' && isLast(request, message));
      if (isEnd) this.#open.delete(exchange);
      // A copy of a response has its object already; the copy of its request gets the same.
      if (kind === 'response' && message.about !== undefined) (request as { about?: ObjectLife }).about = message.about;
    }
    return this.#objects?.link(message) ?? message;
  }
}

/** The request of a message's exchange, the message itself if it is one; undefined: it was not captured. */
export function requestOf(message: Message): Message | undefined {
  return message.kind === 'request' ? message : message.request;
}

/** A message to keep: without its body and its request's, which are as large as the capture. */
export function bare(message: Message): Message {
  const { details, request } = message;
  return details === undefined ? message : { ...message, details: undefined, request: request && bare(request) };
}

/**
 * Whether a response ends its exchange: a watch and a stream go on, as do an upgraded connection (RFC 9110, 15.2.2) and a call of gRPC
 * until its status; the end of one that is not whole is still to come.
 */
function isLast({ verb, subresource, protocol }: Message, { complete, status, grpcStatus }: Message): boolean {
  if (!complete || status === SWITCHING_PROTOCOLS || verb === 'watch' || STREAMED_SUBRESOURCES.has(subresource ?? ''))
    return false;
  return UNARY.has(protocol) || grpcStatus !== undefined;
}

const SWITCHING_PROTOCOLS = 101;
/** Protocols of which a response is the last message, but for those. A kubelet and Docker stream logs after it. */
const UNARY: ReadonlySet<Protocol> = new Set(['kubernetes', 'registry', 'http']);
/** Limit: requests that await a response, open watches, and streams. */
const MAX_OPEN = 65_536;
