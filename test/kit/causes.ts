// From a message to the one that caused it, as tests ask for it. Knows `causedBy`.

import type { Message } from '../../src/index.js';

/** @returns what a message of these was caused by; undefined: nothing that can be told. */
export function causesIn(messages: readonly Message[]): (one: Message | undefined) => Message | undefined {
  const bySeq = new Map(messages.map((one) => [one.seq, one]));
  return (one) => (one?.causedBy === undefined ? undefined : bySeq.get(one.causedBy));
}
