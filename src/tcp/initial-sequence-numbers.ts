// The sequence numbers with which a connection begins: what stays the same when a packet's addresses are translated on
// its way. Stands around the reassembler and changes nothing of what that says. Knows flags and numbers, no bytes.

import type { Notice } from '../core/notice.js';
import { NOTHING, type Stage } from '../core/stage.js';
import { ACK, FIN, RST, type Segment, SYN } from '../packet/segment.js';
import type { Connection, InitialSequenceNumbers, StreamEvent } from './stream-event.js';

type SequenceNumbersOutput = StreamEvent | Notice | InitialSequenceNumbers;

interface ConnectionBeginning {
  readonly connection: Connection;
  /** Of the client's first byte, as its SYN told; -1 while none was seen. */
  client: number;
}

/**
 * Says what `tcp` says, and `numbers` once for each connection: with its SYN-ACK, else with its first segment that
 * carries something, so that both copies of a translated packet give the same numbers (RFC 9293, section 3.4). Before
 * any `data` of the connection that the same segment or a later one brings.
 */
export function withNumbers(tcp: Stage<Segment, StreamEvent | Notice>): Stage<Segment, SequenceNumbersOutput> {
  return new Numbers(tcp);
}

class Numbers implements Stage<Segment, SequenceNumbersOutput> {
  readonly #tcp: Stage<Segment, StreamEvent | Notice>;
  /** Connections whose numbers were not said, by name; as many as the reassembler has open. */
  readonly #beginnings = new Map<string, ConnectionBeginning>();

  constructor(tcp: Stage<Segment, StreamEvent | Notice>) {
    this.#tcp = tcp;
  }

  feed(segment: Segment): readonly SequenceNumbersOutput[] {
    const said = this.#tcp.feed(segment);
    for (let i = 0; i < said.length; i++) {
      const event = said[i];
      if (event.kind === 'established') {
        this.#beginnings.set(event.connection.name, { connection: event.connection, client: -1 });
      } else if (event.kind === 'closed' && event.from === null) this.#forget(event.connection);
    }
    if (this.#beginnings.size === 0) return said;
    const numbers = this.#learn(segment);
    if (numbers === null) return said;
    const first = said.findIndex((event) => event.kind === 'data');
    return first < 0 ? [...said, numbers] : [...said.slice(0, first), numbers, ...said.slice(first)];
  }

  end(): readonly SequenceNumbersOutput[] {
    const said = this.#tcp.end();
    this.#beginnings.clear();
    return said.length === 0 ? NOTHING : said;
  }

  #learn({ flow, flags, seq, ack, payload, missing, origin }: Segment): InitialSequenceNumbers | null {
    if ((flags & RST) !== 0) return null;
    const syn = (flags & SYN) !== 0;
    // An empty one may be a keep-alive, one byte low.
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
