// Defines readers of the channels inside one connection, whose payload is counted and, except for error reports, not kept.

import { concat, copyOf } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import type { Side, StreamBytes, StreamEvent } from '../../tcp/stream-event.js';
import type { MessageSink } from '../framing/message-framer.js';

/** One piece that a side wrote to a channel, as the protocol cut it. */
export interface ChannelPiece {
  readonly from: Side;
  /** `stdin`, `stdout`, `stderr`, `error`, `resize`, `data`, `log`, `connect`, `end`, `failed`; null if unknown. */
  readonly channel: string | null;
  /** Bytes of payload, without protocol headers. */
  readonly size: number;
  /** Frames of the first byte, with headers, and of the last. */
  readonly first: Origin;
  readonly last: Origin;
  readonly complete: boolean;
  /** Content of channel `error` so far, up to MAX_REPORT_BYTES; of `connect`, `end`, `failed` its text; null for other channels. */
  readonly report: Uint8Array | null;
}

/** What becomes of a connection inside a tunnel, as if it had been captured beside it. Bytes are a copy. */
export interface Tunnelled {
  readonly kind: 'tunnelled';
  readonly item: StreamEvent | StreamBytes;
}

/** Receives pieces of channels, and messages of tunnels that carry a message stream, or connections. */
export interface ChannelSink extends Pick<MessageSink, 'onMessage' | 'onTooLong'> {
  onPiece(piece: ChannelPiece): void;
  onTunnelled(item: Tunnelled['item']): void;
  /** Of the first two: from here on the channels of a side are unknown, or incomplete; at most once for each reason. */
  onError(
    code: 'http.malformed' | 'limit.streams' | 'connection.not-forwarded' | 'connection.tunnel-ended',
    detail: string,
    origin: Origin,
  ): void;
}

/** Reads both directions of a tunnel. Bytes are borrowed. */
export interface ChannelReader {
  feed(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void;
  /** @param length of the missing bytes; null if unknown. */
  gap(from: Side, length: number | null, origin: Origin, sink: ChannelSink): void;
  /** Ends a side; an unfinished piece is emitted as it is. @param by side that ended the connection first; undefined: none did. */
  end(from: Side, sink: ChannelSink, by: Side | undefined, origin: Origin): void;
}

/** A body that is one channel; a piece is incomplete if bytes before it are missing. */
export class OneChannel implements ChannelReader {
  readonly #channel: string;
  #isIntact = true;

  constructor(channel: string) {
    this.#channel = channel;
  }

  feed(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void {
    sink.onPiece(wholePiece(from, this.#channel, bytes.length, origin, this.#isIntact));
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

/** Limit in bytes: kept part of an error channel (a command's exit code): several times a Status with the longest message of kubelets. */
export const MAX_REPORT_BYTES = 16 * 1024;
/** Limit: pieces of an unfinished report of an error channel, which is joined anew for each of them. */
export const MAX_REPORT_PIECES = 16;

/** The content of an error channel, up to a limit: a Status of a few hundred bytes. */

export class ErrorStatus {
  #parts: Uint8Array[] = [];
  #length = 0;
  #pieces = 0;

  /** @param bytes borrowed. */
  push(bytes: Uint8Array): void {
    if (this.#length + bytes.length > MAX_REPORT_BYTES || this.#pieces > MAX_REPORT_PIECES) {
      this.#length = MAX_REPORT_BYTES + 1;
      this.#parts = [];
      return;
    }
    this.#length += bytes.length;
    // Joins many small parts early.
    if (this.#parts.length >= PARTS_AT_ONCE) this.#parts = [concat(this.#parts)];
    this.#parts.push(copyOf(bytes));
  }

  /** Ends a piece. @returns the content so far; null beyond the limits. */
  take(): Uint8Array | null {
    this.#pieces += 1;
    if (this.#length > MAX_REPORT_BYTES || this.#pieces > MAX_REPORT_PIECES) return null;
    const whole = this.#parts.length === 0 ? new Uint8Array(0) : concat(this.#parts);
    this.#parts = [whole];
    return whole;
  }
}

const PARTS_AT_ONCE = 64;
