// Finds exchanges that two files of saved messages tell of, for the comparison of their clocks: as packet/common-packets.ts does
// with packets. Knows messages by their provenance; not what the differences mean.

import type { Origin } from '../core/origin.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { CommonPacket } from '../packet/common-packets.js';

/**
 * In: messages of every place, each in its order. Out: two sightings for an exchange and a pair of places: its request,
 * which went from the client to the server, and its answer. The API server gives every exchange an Audit-Id of its own.
 */
export class SavedSightings {
  readonly #requests = new Map<string, Origin>();
  readonly #answered = new Map<string, SavedExchange>();

  feed(place: number, message: Message): readonly CommonPacket[] {
    const { kind, exchange, auditId, connection, stream } = message;
    const asked = `${place} ${exchange}`;
    if (kind === 'request') {
      keep(this.#requests, asked, originOf(message));
      return [];
    }
    if (kind !== 'response') return [];
    const request = this.#requests.get(asked);
    this.#requests.delete(asked);
    if (auditId === undefined || request === undefined) return [];
    const key = `${connection} ${stream} ${auditId}`;
    const first = this.#answered.get(key);
    const response = originOf(message);
    if (first === undefined) {
      keep(this.#answered, key, { place, request, response, met: [] });
      return [];
    }
    if (first.place === place || first.met.includes(place)) return [];
    first.met.push(place);
    const between = { a: first.place, b: place, hosts: connection.replace(/:\d+(?=-|$)/g, '') };
    return [
      { ...between, atA: first.request, atB: request, onward: true },
      { ...between, atA: first.response, atB: response, onward: false },
    ];
  }
}

interface SavedExchange {
  readonly place: number;
  readonly request: Origin;
  readonly response: Origin;
  readonly met: number[];
}

function originOf({ capture, frames, time }: Message): Origin {
  return { capture, frame: frames[1], time };
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  if (map.size > MAX_KEPT) map.delete(map.keys().next().value as string);
}

/** Requests, and answers, that are remembered: minutes of a busy API server, in some 20 MB. */
const MAX_KEPT = 65_536;
