// Finds the looks of people at an object that is not there yet, or not any more: an answer of 404 is what they wait for.

import type { Message } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import { isPerson } from '../selection/noise.js';

/** `seq` of answers of 404 to a person's `get` of an object that is created later, or was deleted before. */
export function ordinaryLooks({ messages, exchangeOf }: Pick<MessageIndex, 'messages' | 'exchangeOf'>): Set<number> {
  const deleted = new Set<string>();
  const waiting = new Map<string, number[]>();
  const ordinary = new Set<number>();
  for (const message of messages) {
    const { verb, subresource, kind, status } = message;
    if (kind === 'request' && subresource === undefined) {
      const key = keyOf(message);
      if (verb === 'delete') deleted.add(key);
      else if (verb === 'create') {
        for (const seq of waiting.get(key) ?? []) ordinary.add(seq);
        waiting.delete(key);
        deleted.delete(key);
      }
    } else if (kind === 'response' && status === NOT_FOUND) {
      const { request } = exchangeOf(message);
      if (request?.verb !== 'get' || !isPerson(request.from)) continue;
      const key = keyOf(request);
      if (deleted.has(key)) ordinary.add(message.seq);
      else waiting.set(key, [...(waiting.get(key) ?? []), message.seq]);
    }
  }
  return ordinary;
}

function keyOf({ apiGroup, resource, namespace, name }: Message): string {
  return [resource, apiGroup, namespace, name].join(' ');
}

const NOT_FOUND = 404;
