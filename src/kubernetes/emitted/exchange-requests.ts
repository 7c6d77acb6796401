// Gives each message the request of its exchange, so that no reader has to look for it.

import { STREAMED_SUBRESOURCES } from '../../core/api-resources.js';
import { RecentMap } from '../../core/collections/bounded.js';
import type { Message, Protocol } from '../messages/message.js';

/** Links messages; who copies some, or takes some out of a spool, links these anew. */
export class ExchangeRequests {
  readonly #open = new RecentMap<number, Message>(MAX_OPEN, 'requests of open exchanges');

  /** @param message the next one in the order of time; its `request` is set. @returns the same message. */
  link(message: Message): Message {
    const { kind, exchange } = message;
    if (kind === 'request') {
      this.#open.set(exchange, message);
      return message;
    }
    const request = this.#open.get(exchange);
    if (request === undefined) return message;
    (message as { request?: Message }).request = request;
    if (kind === 'end' || (kind === 'response' && isLast(request, message))) this.#open.delete(exchange);
    return message;
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
