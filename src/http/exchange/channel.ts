// Channels inside one connection: what a reader of them is told and what it says. Knows sides and sizes; payload is counted,
// never kept, but for a bounded report.

import { concat, copyOf } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import type { Side } from '../../tcp/stream-event.js';
import type { MessageSink } from '../framing/message-framer.js';

/** What one side wrote to one channel in one piece, as the protocol cut it. */
export interface ChannelPiece {
  readonly from: Side;
  /** `stdin`, `stdout`, `stderr`, `error`, `resize`, `data`, `log`; null: the protocol does not tell, or it is not known. */
  readonly channel: string | null;
  /** Bytes of payload, without what the protocol wraps around it. */
  readonly size: number;
  /** Frames of its first byte, header and all, and of its last. */
  readonly first: Origin;
  readonly last: Origin;
  readonly complete: boolean;
  /** Channel `error`: all that it carried so far, up to MAX_REPORT_BYTES; else null. */
  readonly report: Uint8Array | null;
}

/** Some tunnels carry messages of a stream: those are told as `item`s. */
export interface ChannelSink extends Pick<MessageSink, 'onMessage' | 'onTooLong'> {
  piece(piece: ChannelPiece): void;
  /** From here the bytes of a side cannot be told apart any more, or not whole; at most once for each reason. */
  trouble(code: 'http.malformed' | 'limit.streams', detail: string, origin: Origin): void;
}

/** Reads both directions of a tunnel. Bytes are borrowed. */
export interface ChannelReader {
  feed(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void;
  /** `length` bytes of a side are missing; null: nobody knows how many. */
  gap(from: Side, length: number | null, origin: Origin, sink: ChannelSink): void;
  /** Nothing more comes of this side: what is unfinished is given as it is. */
  end(from: Side, sink: ChannelSink): void;
}

/** A body that is one channel: each piece as it comes; not complete where bytes before it are missing. */
export class OneChannel implements ChannelReader {
  readonly #channel: string;
  #isIntact = true;

  constructor(channel: string) {
    this.#channel = channel;
  }

  feed(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void {
    sink.piece(wholePiece(from, this.#channel, bytes.length, origin, this.#isIntact));
    this.#isIntact = true;
  }

  gap(): void {
    this.#isIntact = false;
  }

  end(): void {}
}

export function wholePiece(
  from: Side,
  channel: string | null,
  size: number,
  origin: Origin,
  complete: boolean,
): ChannelPiece {
  return { from, channel, size, first: origin, last: origin, complete, report: null };
}

/** A Status with the longest message that kubelets send, several times over. */
export const MAX_REPORT_BYTES = 16 * 1024;
/** Pieces after which an unfinished report is not put together any more: each time is as much work as the whole. */
export const MAX_REPORT_PIECES = 16;

export class ErrorStatus {
  #parts: Uint8Array[] = [];
  #length = 0;
  #pieces = 0;

  /** Takes the next bytes, borrowed. */
  push(bytes: Uint8Array): void {
    if (this.#length + bytes.length > MAX_REPORT_BYTES || this.#pieces > MAX_REPORT_PIECES) {
      this.#length = MAX_REPORT_BYTES + 1;
      this.#parts = [];
      return;
    }
    this.#length += bytes.length;
    // Byte by byte, many parts make one before there are many.
    if (this.#parts.length >= PARTS_AT_ONCE) this.#parts = [concat(this.#parts)];
    this.#parts.push(copyOf(bytes));
  }

  /** A piece is over: all so far; null where it is too long or in too many pieces to be a report. */
  take(): Uint8Array | null {
    this.#pieces += 1;
    if (this.#length > MAX_REPORT_BYTES || this.#pieces > MAX_REPORT_PIECES) return null;
    const whole = this.#parts.length === 0 ? new Uint8Array(0) : concat(this.#parts);
    this.#parts = [whole];
    return whole;
  }
}

const PARTS_AT_ONCE = 64;
