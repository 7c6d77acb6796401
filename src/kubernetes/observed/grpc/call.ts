// Holds the state of one gRPC call while it lasts.

import { u32be } from '../../../core/bytes/bytes.js';
import type { Body } from '../../../http/exchange-event.js';
import type { MethodType } from '../../../protobuf/table.js';
import type { BodyPart, Draft } from '../../messages/draft.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import type { Resolution } from '../../messages/message.js';
import type { ParticipantRecord } from '../../participants/participant-record.js';
import type { Method, MethodInference } from './method-inference.js';
import type { FamilyCall, RpcFamily } from './payload.js';

export type RequestPart = BodyPart & { readonly kind: 'request' };
export type ResponsePart = BodyPart & { readonly kind: 'response' };
export type ItemPart = BodyPart & { readonly kind: 'item' };

export class Call implements FamilyCall {
  /** Full name, empty while it is not known. */
  service = '';
  method = '';
  type: MethodType | undefined = undefined;
  /** Method and service were concluded from messages, not read. */
  inferred = false;
  /** Concludes method and service; null where they were read, or nothing can be concluded. */
  inference: MethodInference | null = null;
  memory: unknown = null;
  /** What it writes into a store. `revision` undefined: no response yet; null: nothing was written. */
  change: { readonly key: string; readonly seq: number; revision: string | null | undefined } | null = null;

  /** Heads that wait for their message. */
  requestHead: RequestPart | null = null;
  responseHead: ResponsePart | null = null;
  /** First message of each side. */
  requestMessage: ItemPart | null = null;
  answerMessage: ItemPart | null = null;

  /** The request, which may still be held until its method is known. */
  request: Draft | null = null;
  /** Of the request's cause; null: it is not pending. */
  cause: Resolution | null = null;
  /** The request was printed: nothing of it may change. */
  requestEmitted = false;
  /** The response was emitted, for a stream with its head. */
  answered = false;
  /** The server answered before the client's first message. */
  serverFirst = false;
  clientMessages = 0;
  serverMessages = 0;

  constructor(
    readonly context: ExchangeContext,
    readonly family: RpcFamily,
    readonly client: ParticipantRecord,
  ) {}

  get known(): boolean {
    return this.method !== '';
  }

  setMethod({ service, name, type }: Method, inferred: boolean): void {
    this.service = service;
    this.method = name;
    this.inferred = inferred;
    this.type = type;
  }

  /** Sets the method that the messages prove. @returns whether it became known just now. */
  inferMethod(): boolean {
    const method = this.known ? null : (this.inference?.method ?? null);
    if (method !== null) this.setMethod(method, true);
    return method !== null;
  }

  /** Each of its messages is emitted. */
  get streams(): boolean {
    if (this.type !== undefined) return this.type.clientStreaming || this.type.serverStreaming;
    return this.clientMessages > 1 || this.serverMessages > 1 || this.serverFirst || this.isHeadless;
  }

  /** Both heads were before the capture, or lost. */
  get isHeadless(): boolean {
    return this.requestHead === null && this.request === null && this.responseHead === null && !this.answered;
  }
}

// Reads and wraps the messages of a gRPC body.
//
//   [ flag:1 ][ length:4 ][ message ]            PROTOCOL-HTTP2.md "Length-Prefixed-Message"

/** One message of a call as the body of its request or answer. */
export class MessageBody implements Body {
  readonly contentType = 'application/grpc';
  readonly contentEncoding = '';
  readonly length: number;
  readonly complete: boolean;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, complete: boolean) {
    this.#bytes = bytes;
    this.length = bytes.length;
    this.complete = complete;
  }

  read(): { bytes: Uint8Array; complete: boolean } {
    return { bytes: this.#bytes, complete: this.complete };
  }
}

/**
 * The messages of a body that was not known to be a stream, as its head was missing.
 * @returns views, none of a message that is cut or compressed.
 */
export function messagesOf(body: Body): Uint8Array[] {
  const { bytes } = body.read();
  const messages: Uint8Array[] = [];
  for (let at = 0; at + PREFIX <= bytes.length; ) {
    const end = at + PREFIX + u32be(bytes, at + 1);
    if (bytes[at] !== 0 || end > bytes.length) break;
    messages.push(bytes.subarray(at + PREFIX, end));
    at = end;
  }
  return messages;
}

const PREFIX = 5;
