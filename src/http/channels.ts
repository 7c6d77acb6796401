// Tunnels with several channels in them: what a reader of one is told and what it says. Knows how an upgraded exchange
// is read, told from its heads; not what a channel carries. Payload is counted, never kept, but for a bounded report.

import { fieldValue } from '../core/fields.js';
import type { Origin } from '../core/origin.js';
import type { Side } from '../tcp/stream-event.js';
import { DockerStream } from './docker-stream.js';
import type { Exchange } from './exchange-event.js';
import { SpdyChannels } from './spdy/channels.js';
import { WebSocketChannels } from './websocket/channels.js';

/** What one side wrote to one channel in one piece, as the protocol cut it. */
export interface ChannelPiece {
  readonly from: Side;
  /** `stdin`, `stdout`, `stderr`, `error`, `resize`, `data`, `log`; null: the protocol does not tell, or it is not known. */
  readonly channel: string | null;
  /** Payload, without what the protocol wraps around it. */
  readonly bytes: number;
  /** Frames of its first byte, header and all, and of its last. */
  readonly first: Origin;
  readonly last: Origin;
  readonly complete: boolean;
  /** Channel `error`: all that it carried so far, up to MAX_REPORT_BYTES; else null. */
  readonly report: Uint8Array | null;
}

export interface ChannelSink {
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

/**
 * The reader for an exchange that was just upgraded.
 *
 * @returns null: a protocol without channels, or an unknown one; its bytes go on as they are.
 */
export function channelReader({ request, response, upgraded }: Exchange): ChannelReader | null {
  const fields = response?.fields ?? [];
  switch (upgraded?.toLowerCase()) {
    case 'websocket':
      return new WebSocketChannels(fieldValue(fields, 'sec-websocket-protocol') ?? '', request?.target ?? '');
    case 'spdy/3.1':
      return new SpdyChannels();
    case 'tcp': {
      const type = fieldValue(fields, 'content-type');
      if (type === 'application/vnd.docker.multiplexed-stream') return new DockerStream(true);
      return type === 'application/vnd.docker.raw-stream' ? new DockerStream(false) : null;
    }
    default:
      return null;
  }
}

/** A body that is one channel: each piece as it comes. */
export class OneChannel implements ChannelReader {
  readonly #channel: string;

  constructor(channel: string) {
    this.#channel = channel;
  }

  feed(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void {
    sink.piece(wholePiece(from, this.#channel, bytes.length, origin, true));
  }

  gap(): void {
    // The pieces around it are whole; that bytes are missing is said where they went missing.
  }

  end(): void {}
}

export function wholePiece(
  from: Side,
  channel: string | null,
  bytes: number,
  origin: Origin,
  complete: boolean,
): ChannelPiece {
  return { from, channel, bytes, first: origin, last: origin, complete, report: null };
}
