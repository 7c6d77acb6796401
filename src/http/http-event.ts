// Defines the events of HTTP/1.1 and HTTP/2, which later stages read alike.

import type { CutInfo } from '../core/cut.js';
import type { Fields } from '../core/fields.js';
import type { Origin } from '../core/origin.js';
import type { Connection, Side, StreamEvent } from '../tcp/stream-event.js';

export type { Fields } from '../core/fields.js';

/** A field of which only a part is known, because its HPACK table was filled before the capture. */
export interface PartialField {
  readonly name: string | null;
  readonly value: string | null;
  /**
   * HPACK: number of the unknown table entry with the missing part, the same for all references on this connection and direction.
   * -1 is the newest entry that was inserted before the capture, -2 the one before it …
   */
  readonly slot?: number;
}

export interface RequestHead {
  readonly kind: 'request-head';
  readonly version: '1.0' | '1.1' | '2';
  /** null if it was not captured. */
  readonly method: string | null;
  /** Request target as on the wire, after `prefix`; null if it was not captured. */
  readonly target: string | null;
  /** What stood before the target on the wire; undefined: nothing. */
  readonly prefix?: string;
  readonly fields: Fields;
  readonly partial: readonly PartialField[];
}

export interface ResponseHead {
  readonly kind: 'response-head';
  readonly version: '1.0' | '1.1' | '2';
  readonly status: number | null;
  readonly fields: Fields;
  readonly partial: readonly PartialField[];
}

interface StreamId {
  readonly connection: Connection;
  /** HTTP/2 stream id; for HTTP/1.1 the ordinal of the exchange on its connection, from 1. */
  readonly stream: number;
  readonly from: Side;
}

/** How a side ended a message, or a whole exchange, before its end. */
export interface Cut {
  readonly by: Side;
  /** `GOAWAY`: the side announced the end of the connection, and then ended it, or did not process the request. */
  readonly how: CutInfo['how'];
  /** Error code of RST_STREAM and GOAWAY (RFC 9113, section 7). */
  readonly code?: number;
  /** ns in which the connection had carried no byte. */
  readonly silentNs: bigint;
  /** The server says that it did not process the request, so it may be sent again (RFC 9113, sections 6.8 and 8.7). */
  readonly isUnprocessed?: true;
}

/** @param isTls whether a FIN should have followed a close_notify (RFC 8446, section 6.1). */
export function endOf({ from, isCloseNotify }: StreamEnd, isTls: boolean): Cut['how'] {
  if (isCloseNotify === true) return 'close_notify';
  if (from === null) return 'RST';
  return isTls ? 'FIN without close_notify' : 'FIN';
}

type StreamEnd = Extract<StreamEvent, { kind: 'closed' }>;

export type HttpEvent =
  /** A complete head, with the frames of its first and last byte. 1xx heads are omitted, except a 101 that ends HTTP. */
  | (StreamId & {
      readonly kind: 'head';
      readonly head: RequestHead | ResponseHead;
      readonly first: Origin;
      readonly last: Origin;
      /** False if bytes or fields of the head are missing. */
      readonly complete: boolean;
    })
  /** Body bytes after transfer decoding, borrowed. */
  | (StreamId & { readonly kind: 'body'; readonly bytes: Uint8Array; readonly origin: Origin })
  /** Bytes of this body are missing; the body continues after them. */
  | (StreamId & { readonly kind: 'body-gap'; readonly length: number | null; readonly origin: Origin })
  | (StreamId & {
      readonly kind: 'trailers';
      readonly fields: Fields;
      readonly partial: readonly PartialField[];
      readonly origin: Origin;
    })
  /** The end of a message. `complete` is false if bytes are missing, or a side cut it (`cut`), or the capture did. */
  | (StreamId & {
      readonly kind: 'end';
      readonly origin: Origin;
      readonly complete: boolean;
      readonly cut?: Cut | undefined;
    })
  /** From here on the stream is a tunnel of `protocol` ("websocket", "SPDY/3.1", "tcp"): `body` events of both sides follow. */
  | (StreamId & {
      readonly kind: 'upgraded';
      readonly protocol: string;
      /** HTTP/1: the request, if it was captured. */
      readonly request?: RequestHead | null;
      readonly origin: Origin;
    })
  /** The exchange continues under another number: HTTP/2 responds on stream 1 to the request before the switch. */
  | (StreamId & { readonly kind: 'renumbered'; readonly to: number })
  /** `from` could send nothing of this body, as its flow-control window was full (RFC 9113, section 5.2); stream 0: of any. Times in ns. */
  | (StreamId & { readonly kind: 'stalled'; readonly since: bigint; readonly until: bigint })
  /** Unreadable bytes before or between messages. */
  | {
      readonly kind: 'unread';
      readonly connection: Connection;
      readonly from: Side;
      readonly length: number | null;
      readonly origin: Origin;
    };

/** The detected protocol of a connection; a later event replaces an earlier one. */
export interface ProtocolFound {
  readonly kind: 'protocol';
  readonly connection: Connection;
  readonly protocol: 'http/1' | 'http/2' | 'encrypted' | 'silent' | 'unknown';
  /** Why the connection could not be read, in words that a user can act on. */
  readonly why?: string;
  /** Details of this connection: its client random, the frame. */
  readonly detail?: string;
  /** Of an unknown protocol: ns from the client's last bytes to the server's next ones, the longest so far; absent: no long one. */
  readonly longestNs?: bigint;
}

export { fieldValue } from '../core/fields.js';
