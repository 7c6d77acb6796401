// Defines exchanges (a request with its response) and their events.

import type { Origin } from '../core/origin.js';
import type { Connection, Side } from '../tcp/stream-event.js';
import type { Cut, Fields, RequestHead, ResponseHead } from './http-event.js';

/** The same object in all events of an exchange; its heads are filled in as they arrive. */
export interface Exchange {
  readonly connection: Connection;
  /** HTTP/2 stream id; null for HTTP/1.1. */
  readonly stream: number | null;
  readonly request: RequestHead | null;
  readonly response: ResponseHead | null;
  /** Trailers of the response (gRPC status). */
  readonly trailers: Fields | null;
  /** Protocol after a switch; null before and without one. */
  readonly upgraded: string | null;
  /** Of an exchange that an audit log tells of; undefined: it was captured. */
  readonly audited?: AuditedExchange | undefined;
  /** Set by the stage that orders events: the sort key of the request. A map by exchange would be rehashed for nearly every one. */
  requestKey?: Origin | undefined;
  /** Set by the interpreter: its context of the exchange, while that is open. */
  context?: unknown;
}

/** What an API server's audit log says of an exchange, and no head does; texts are as captured. */
export interface AuditedExchange {
  /** In whose name it was sent. */
  readonly user: string;
  readonly isImpersonated: boolean;
  /** The object's name, which the target of a create lacks. */
  readonly name: string | undefined;
  /** What the authorizer decided, and why. */
  readonly authorization: string | undefined;
  /** The log does not say when the response began: a watch without stage ResponseStarted, a log with one time for all. */
  readonly isUntimed: boolean;
  /** The target was put together from what the log says of the request. */
  readonly isTargetInferred: boolean;
  /** The status was concluded: the log says no more than that it was, or was not, a success. */
  readonly isStatusInferred: boolean;
}

/** An exchange for the stage that fills in its heads. */
export interface MutableExchange extends Exchange {
  request: RequestHead | null;
  response: ResponseHead | null;
  trailers: Fields | null;
  upgraded: string | null;
  audited?: AuditedExchange | undefined;
}

/** Every field from the start, so that all exchanges have one shape. @param stream as in `Exchange`. */
export function newExchange(connection: Connection, stream: number | null): MutableExchange {
  return {
    connection,
    stream,
    request: null,
    response: null,
    trailers: null,
    upgraded: null,
    audited: undefined,
    requestKey: undefined,
    context: undefined,
  };
}

/**
 * How a body is cut into messages. `whole`: one message, at its end; `log`: each piece; `messages`: as the protocol after a switch
 * cuts it.
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

/** A whole body, stored as it was transferred and decoded on demand. */
export interface Body {
  /** Bytes on the wire after transfer decoding, before content decoding. */
  readonly length: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  /** False if bytes are missing or were cut at a limit. */
  readonly complete: boolean;
  /** Content-decoded bytes; `complete` is false if the encoding was cut, broken, unknown or too large (`limited`). */
  read(): { readonly bytes: Uint8Array; readonly complete: boolean; readonly limited?: boolean };
}

interface Span {
  readonly exchange: Exchange;
  /** Frame of the first byte. */
  readonly first: Origin;
  /** Frame of the last captured byte. */
  readonly last: Origin;
  /** When it was complete, or known never to be, which orders messages. */
  readonly at: Origin;
  readonly complete: boolean;
}

/** ns since the epoch. */
export interface TimeSpan {
  readonly since: bigint;
  readonly until: bigint;
}

export interface ExchangeCut extends Cut {
  /** Bytes of the response's body that were sent. */
  readonly received: number;
  /** Bytes that its head promised; null: it does not say. */
  readonly promised: number | null;
  /** A proxy between client and server did it, to both sides. */
  readonly isProxys?: true;
}

export type ExchangeEvent =
  /** The end of a request (with a streamed body: of its head). */
  | (Span & { readonly kind: 'request'; readonly body: Body | null })
  /** The end of a response (with a streamed body or an upgrade: of its head). */
  | (Span & {
      readonly kind: 'response';
      readonly body: Body | null;
      /** The server answered before the request had ended: it had acknowledged no end of it (RFC 9113, section 8.1; RFC 9112, section 9.6). */
      readonly isEarly?: true;
      /** When flow control of HTTP/2 did not let its body go on. */
      readonly stalls?: readonly TimeSpan[];
    })
  /** One message of a streamed body, as a copy: a JSON document, a length-prefixed frame without prefix, a gRPC message. */
  | (Span & { readonly kind: 'item'; readonly from: Side; readonly bytes: Uint8Array })
  /** Bytes that one side wrote to one channel of a tunnel or of a streamed body. */
  | (Span & {
      readonly kind: 'channel';
      readonly from: Side;
      readonly channel: string | null;
      /** Bytes of payload. */
      readonly size: number;
      /** Content of channel `error` so far, up to a limit; null for other channels. */
      readonly report: Uint8Array | null;
    })
  /** Raw bytes of a tunnel whose protocol has no channels or is unknown, borrowed. */
  | (Span & { readonly kind: 'tunnel'; readonly from: Side; readonly bytes: Uint8Array })
  /** The end of an exchange; once. */
  | {
      readonly kind: 'exchange-end';
      readonly exchange: Exchange;
      readonly at: Origin;
      readonly requestSeen: boolean;
      readonly responseSeen: boolean;
      /** The response came to its end by its own framing, and its client had not gone before. */
      readonly isWhole?: boolean;
      /** How a side broke it off before the end of the response, if one did. */
      readonly cut?: ExchangeCut | undefined;
    };
