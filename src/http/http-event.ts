// One vocabulary for HTTP/1.1 and HTTP/2: the readers of both say what they saw in these words, and nothing above them
// can tell which it was but by `version`.

import type { Fields } from '../core/fields.js';
import type { Origin } from '../core/origin.js';
import type { Connection, Side } from '../tcp/stream-event.js';

export type { Fields } from '../core/fields.js';

/** A field of which only a part is known, because its compression table was filled before the capture. */
export interface PartialField {
  readonly name: string | null;
  readonly value: string | null;
  /**
   * HPACK: which unknown table entry the missing part stands in, the same number wherever it is referred to on this
   * connection and direction. -1 is the newest entry inserted before the capture, -2 the one before it …
   */
  readonly slot?: number;
}

export interface RequestHead {
  readonly kind: 'request-head';
  readonly version: '1.0' | '1.1' | '2';
  /** null: not known (late start). */
  readonly method: string | null;
  /** Request target as on the wire; null: not known. */
  readonly target: string | null;
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

export type HttpEvent =
  /** A head is complete. `first` is the frame of its first byte, `last` of its last. 1xx heads are left out, but 101s that end HTTP. */
  | (StreamId & {
      readonly kind: 'head';
      readonly head: RequestHead | ResponseHead;
      readonly first: Origin;
      readonly last: Origin;
      /** false where bytes or fields of the head are missing. */
      readonly complete: boolean;
    })
  /** Body bytes after transfer decoding, borrowed. */
  | (StreamId & { readonly kind: 'body'; readonly bytes: Uint8Array; readonly origin: Origin })
  /** Bytes of this body are missing; reading goes on after them. */
  | (StreamId & { readonly kind: 'body-gap'; readonly length: number | null; readonly origin: Origin })
  | (StreamId & {
      readonly kind: 'trailers';
      readonly fields: Fields;
      readonly partial: readonly PartialField[];
      readonly origin: Origin;
    })
  /** This side's message is over. `complete` false: it was cut by a gap, a reset or the end; `brokenBy`: by whom, if that is known. */
  | (StreamId & {
      readonly kind: 'end';
      readonly origin: Origin;
      readonly complete: boolean;
      readonly brokenBy?: Side | undefined;
    })
  /** From here the stream is a tunnel of `protocol` ("websocket", "SPDY/3.1", "tcp"): `body` events of both sides follow. */
  | (StreamId & {
      readonly kind: 'upgraded';
      readonly protocol: string;
      /** HTTP/1: the request, if it is known. */
      readonly asked?: RequestHead | null;
      readonly origin: Origin;
    })
  /** The exchange is told under another number from here on: HTTP/2 answers on stream 1 what was asked before the switch. */
  | (StreamId & { readonly kind: 'renumbered'; readonly to: number })
  /** Bytes before or between messages that no reader could make sense of. */
  | {
      readonly kind: 'unread';
      readonly connection: Connection;
      readonly from: Side;
      readonly length: number | null;
      readonly origin: Origin;
    };

/** What a connection was found to speak; the last one said counts. */
export interface ProtocolFound {
  readonly kind: 'protocol';
  readonly connection: Connection;
  readonly protocol: 'http/1' | 'http/2' | 'encrypted' | 'silent' | 'unknown';
  /** Why it could not be read, in words that a user can act on. */
  readonly why?: string;
  /** What exactly on this connection: which client random, after which frame. */
  readonly detail?: string;
}

export { fieldValue } from '../core/fields.js';
