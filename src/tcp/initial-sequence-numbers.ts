// Adds the initial sequence numbers of each connection to the output of the reassembler, because address translation does not
// change them.

import type { Notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import { ACK, FIN, RST, type Segment, SYN } from '../packet/segment.js';
import type { Connection, InitialSequenceNumbers, StreamEvent } from './stream-event.js';

type SequenceNumbersOutput = StreamEvent | Notice | InitialSequenceNumbers;

interface ConnectionBeginning {
  readonly connection: Connection;
  /** Sequence number of the client's first byte by its SYN; -1 without one. */
  client: number;
}

/**
 * Passes on the output of `tcp`, and emits `numbers` once for each connection: with its SYN-ACK, else with its first segment with
 * content, so that both copies of a translated packet have the same numbers (RFC 9293, section 3.4). `numbers` precedes all `data`
 * of the same segment and later ones.
 */
export function withNumbers(tcp: Stage<Segment, StreamEvent | Notice>): Stage<Segment, SequenceNumbersOutput> {
  return new Numbers(tcp);
}

class Numbers implements Stage<Segment, SequenceNumbersOutput> {
  readonly #tcp: Stage<Segment, StreamEvent | Notice>;
  /** Connections whose numbers were not emitted, by name; at most as many as the reassembler has open. */
  readonly #beginnings = new Map<string, ConnectionBeginning>();

  constructor(tcp: Stage<Segment, StreamEvent | Notice>) {
    this.#tcp = tcp;
  }

  feed(segment: Segment): readonly SequenceNumbersOutput[] {
    const items = this.#tcp.feed(segment);
    for (let i = 0; i < items.length; i++) {
      const event = items[i];
      if (event.kind === 'established') {
        this.#beginnings.set(event.connection.name, { connection: event.connection, client: -1 });
      } else if (event.kind === 'closed' && event.from === null) this.#forget(event.connection);
    }
    if (this.#beginnings.size === 0) return items;
    const numbers = this.#numbersOf(segment);
    if (numbers === null) return items;
    const first = items.findIndex((event) => event.kind === 'data');
    return first < 0 ? [...items, numbers] : [...items.slice(0, first), numbers, ...items.slice(first)];
  }

  end(): readonly SequenceNumbersOutput[] {
    this.#beginnings.clear();
    return this.#tcp.end();
  }

  #numbersOf({ flow, flags, seq, ack, payload, missing, origin }: Segment): InitialSequenceNumbers | null {
    if ((flags & RST) !== 0) return null;
    const syn = (flags & SYN) !== 0;
    // An empty segment may be a keep-alive, one byte low.
    if (!syn && (flags & FIN) === 0 && payload.length + missing === 0) return null;
    const sent = this.#beginnings.get(flow.key);
    const beginning = sent ?? this.#beginnings.get(flow.reverseKey);
    if (beginning === undefined) return null;
    const own = (seq + (syn ? 1 : 0)) >>> 0;
    if ((flags & ACK) === 0) {
      if (syn && sent !== undefined) beginning.client = own;
      return null;
    }
    const { connection } = beginning;
    this.#beginnings.delete(connection.name);
    return sent === undefined
      ? { kind: 'numbers', connection, origin, from: 'server', client: ack, server: own }
      : { kind: 'numbers', connection, origin, from: 'client', client: own, server: ack };
  }

  #forget({ id, name }: Connection): void {
    if (this.#beginnings.get(name)?.connection.id === id) this.#beginnings.delete(name);
  }
}
