// Segments of one connection in few words, and what the reassembler made of them in few words, for tests. Offsets are
// relative: 0 is the first byte of data of either side.

import type { Notice } from '../../src/core/notice.js';
import { ACK, FIN, RST, type Segment, SYN } from '../../src/packet/segment.js';
import { type TcpOptions, tcpReassembler } from '../../src/tcp/reassembler.js';
import type { Side, StreamBytes, StreamEvent } from '../../src/tcp/stream-event.js';
import { bytesOf, CLIENT, flowOf, MILLISECOND, SERVER, START } from './packetiser.js';

export interface Said {
  readonly flags?: number;
  /** Offset of the peer's byte that is expected next; no ACK flag if null. */
  readonly ack?: number | null;
  /** Milliseconds since START; as many as the segment's number if absent. */
  readonly ms?: number;
  /** Payload bytes that the snap length cut. */
  readonly missing?: number;
  /** Sequence number of the side's SYN, if not the usual one. */
  readonly initial?: number;
  readonly peerInitial?: number;
}

type Draft = (number: number) => Segment;

const INITIAL = { client: 1000, server: 5000 };
const FLOWS = { client: flowOf(CLIENT, SERVER), server: flowOf(SERVER, CLIENT) };

function draft(from: Side, offset: number, payload: Uint8Array | string, said: Said): Draft {
  const { flags = 0, ack = 0, ms, missing = 0 } = said;
  const initial = said.initial ?? INITIAL[from];
  const peerInitial = said.peerInitial ?? INITIAL[from === 'client' ? 'server' : 'client'];
  return (number) => ({
    kind: 'segment',
    origin: { capture: 0, frame: number, time: START + BigInt(ms ?? number) * MILLISECOND },
    flow: FLOWS[from],
    seq: (initial + 1 + offset) >>> 0,
    ack: ack === null ? 0 : (peerInitial + 1 + ack) >>> 0,
    flags: flags | (ack === null ? 0 : ACK),
    payload: bytesOf(payload),
    missing,
  });
}

/** A segment of the client whose payload begins at `offset`. */
export function c(offset: number, payload: Uint8Array | string = '', said: Said = {}): Draft {
  return draft('client', offset, payload, said);
}

/** A segment of the server whose payload begins at `offset`. */
export function s(offset: number, payload: Uint8Array | string = '', said: Said = {}): Draft {
  return draft('server', offset, payload, said);
}

export const syn = (said: Said = {}): Draft => c(-1, '', { flags: SYN, ack: null, ...said });
export const synAck = (said: Said = {}): Draft => s(-1, '', { flags: SYN, ...said });
export const fin = (draft: typeof c, offset: number, said: Said = {}): Draft =>
  draft(offset, '', { flags: FIN, ...said });
export const rst = (draft: typeof c, offset: number, said: Said = {}): Draft =>
  draft(offset, '', { flags: RST, ...said });

/** Both SYNs and the answer to them. */
export const OPEN: readonly Draft[] = [syn(), synAck(), c(0)];

/** Segments numbered from 1, a millisecond from one to the next. */
export function segmentsOf(drafts: readonly Draft[]): Segment[] {
  return drafts.map((make, index) => make(index + 1));
}

type Seen = StreamEvent | Notice | StreamBytes;

export function word(event: Seen): string {
  if (event.kind === 'notice') return event.code;
  if (event.kind === 'established') return `open ${event.connection.id}`;
  if (event.kind === 'data') return `${event.from} ${Buffer.from(event.bytes).toString('latin1')}`;
  if (event.kind === 'gap') return `${event.from} gap ${event.length}`;
  if (event.kind === 'closed') return event.from === null ? `closed ${event.reason}` : `${event.from} ${event.reason}`;
  return event.kind;
}

export interface Result {
  /** Every event and notice, see `word`. */
  readonly words: string[];
  readonly events: Seen[];
  /** What came for each segment, and last at the end. */
  readonly steps: string[][];
  /** Data of a side; a gap is one `~` a byte. */
  readonly client: string;
  readonly server: string;
}

/** Feeds the segments and ends. Bytes are overwritten after each feed: who keeps must have copied. */
export function reassemble(input: readonly Segment[], options: TcpOptions = {}): Result {
  const tcp = tcpReassembler(options);
  const steps: string[][] = [];
  const events: Seen[] = [];
  const text = { client: '', server: '' };
  const see = (list: readonly (StreamEvent | Notice)[]) => {
    steps.push(list.map(word));
    for (const event of list) {
      events.push(event);
      if (event.kind === 'data') text[event.from] += Buffer.from(event.bytes).toString('latin1');
      if (event.kind === 'gap') text[event.from] += '~'.repeat(event.length ?? 0);
    }
  };
  for (const segment of input) {
    const payload = new Uint8Array(segment.payload);
    see(tcp.feed({ ...segment, payload }));
    payload.fill(0x21);
  }
  see(tcp.end());
  return { words: steps.flat(), events, steps, ...text };
}

/** The same from drafts, after a handshake. */
export function context(open: readonly Draft[], drafts: readonly Draft[], options: TcpOptions = {}): Result {
  return reassemble(segmentsOf([...open, ...drafts]), options);
}
