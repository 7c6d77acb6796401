// Finds nondeterministic requests: polls and retries whose number or position differs between runs and that cause
// nothing.

import type { Message } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import { WRITES } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';

/**
 * @returns exchanges, with the requests that they caused: reads of people and tests that also write, and wait for the result;
 * polls of a program, except the last one; writes that lose against a change the sender has not received yet (409 Conflict, or
 * 409 AlreadyExists for an object that the sender created itself).
 */
export function nondeterministicExchanges(index: MessageIndex): ReadonlySet<number> {
  const found = new Set<number>();
  const writers = new Set<number>();
  for (const { request } of index.exchanges.values()) {
    if (request !== undefined && isWrite(request)) writers.add(request.from.id);
  }
  /** Sender → method and target → exchange of the last read. */
  const reads = new Map<number, Map<string, number>>();
  const made = new Set<string>();
  for (const request of index.messages) {
    if (request.kind !== 'request' || request.protocol !== 'kubernetes') continue;
    const { from, exchange } = request;
    if (isWrite(request)) {
      reads.delete(from.id);
      const { response } = index.exchangeOf(request);
      const what = `${from.id} ${request.target} ${request.object?.name}`;
      if (response?.status === CREATED) made.add(what);
      if (response?.reason === 'Conflict' || (response?.reason === 'AlreadyExists' && made.has(what)))
        found.add(exchange);
    } else if (isRead(request)) {
      if (isPerson(from) && writers.has(from.id)) found.add(exchange);
      else replace(reads, request, found);
    }
  }
  for (const request of index.messages) {
    const cause = request.kind === 'request' ? index.causeOf(request) : undefined;
    if (cause?.kind === 'request' && found.has(cause.exchange)) found.add(request.exchange);
  }
  return found;
}

function replace(known: Map<number, Map<string, number>>, request: Message, found: Set<number>): void {
  const own = known.get(request.from.id) ?? new Map<string, number>();
  const what = `${request.method} ${request.target}`;
  const before = own.get(what);
  if (before !== undefined) found.add(before);
  known.set(request.from.id, own.set(what, request.exchange));
}

function isWrite({ verb }: Message): boolean {
  return WRITES.has(verb ?? '');
}

function isRead({ verb, subresource }: Message): boolean {
  return (verb === 'get' || verb === 'list') && subresource === undefined;
}

const CREATED = 201;
