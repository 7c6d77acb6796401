// A request with its response and the messages of its streamed bodies.

import type { Origin } from '../core/origin.js';
import type { Connection, Side } from '../tcp/stream-event.js';
import type { Fields, RequestHead, ResponseHead } from './http-event.js';

/** One exchange; the same object in all of its events, its heads filled in as they come. */
export interface Exchange {
  readonly connection: Connection;
  /** HTTP/2 stream id, null for HTTP/1.1. */
  readonly stream: number | null;
  readonly request: RequestHead | null;
  readonly response: ResponseHead | null;
  /** Trailers of the response (gRPC status). */
  readonly trailers: Fields | null;
  /** Protocol after a switch, null before and without one. */
  readonly upgraded: string | null;
}

/**
 * How a body is cut into messages. `whole`: one, when it is over; `log`: each piece as it comes; `messages`: as what both
 * sides switched to cuts it.
 */
export type BodyFraming =
  | 'whole'
  | 'json-documents'
  | 'cbor-sequence'
  | 'length-prefixed'
  | 'grpc'
  | 'log'
  | 'docker-stream'
  | 'messages';

/** A whole body, kept as it came and decoded when asked. */
export interface Body {
  /** Bytes on the wire after transfer decoding, before content decoding. */
  readonly length: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  /** false where bytes are missing or were cut at a limit. */
  readonly complete: boolean;
  /** Content-decoded bytes, as many as there are; `complete` false where the encoding was cut, broken, unknown or too large (`limited`). */
  read(): { readonly bytes: Uint8Array; readonly complete: boolean; readonly limited?: boolean };
}

interface Span {
  readonly exchange: Exchange;
  /** Frame of the first byte. */
  readonly first: Origin;
  /** Frame of the last byte that was seen. */
  readonly last: Origin;
  /** When it was complete, or known never to be: the place in the order of messages. */
  readonly at: Origin;
  readonly complete: boolean;
}

export type ExchangeEvent =
  /** The request is over (streamed bodies: its head is). */
  | (Span & { readonly kind: 'request'; readonly body: Body | null })
  /** The response is over (streamed bodies, upgrades: its head is). `headLast` ends the head. */
  | (Span & { readonly kind: 'response'; readonly body: Body | null })
  /** One message of a streamed body: a JSON document, a length-prefixed frame without its prefix, a gRPC message; a copy. */
  | (Span & { readonly kind: 'item'; readonly from: Side; readonly bytes: Uint8Array })
  /** What one side wrote to one channel of a tunnel or of a body that is a stream, by its size: see channel.ts. */
  | (Span & {
      readonly kind: 'channel';
      readonly from: Side;
      readonly channel: string | null;
      /** Bytes of payload. */
      readonly size: number;
      /** What channel `error` carried so far, bounded; else null. */
      readonly report: Uint8Array | null;
    })
  /** Raw bytes of a tunnel whose protocol has no channels or is not known, borrowed. */
  | (Span & { readonly kind: 'tunnel'; readonly from: Side; readonly bytes: Uint8Array })
  /** Nothing more will come of this exchange; once. */
  | {
      readonly kind: 'over';
      readonly exchange: Exchange;
      readonly at: Origin;
      readonly requestSeen: boolean;
      readonly responseSeen: boolean;
      /** Who ended it before it was complete: a reset, a closed connection; absent: nobody, or that is not known. */
      readonly brokenBy?: Side | undefined;
    };
