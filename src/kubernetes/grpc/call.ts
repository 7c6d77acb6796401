// One call while it lasts: what was seen of it and what of that was said. Plain state; rpc.ts moves it.

import type { MethodType } from '../../protobuf/table.js';
import type { Resolution } from '../causality/cause.js';
import type { ExchangeContext } from '../exchange-context.js';
import type { BodyPart, Draft } from '../messages/draft.js';
import type { FamilyCall, RpcFamily } from './family.js';
import type { Method, MethodInference } from './method-inference.js';
import type { ResolvableParticipant } from './resolvable-participant.js';

export type RequestPart = BodyPart & { readonly kind: 'request' };
export type ResponsePart = BodyPart & { readonly kind: 'response' };
export type ItemPart = BodyPart & { readonly kind: 'item' };

export class Call implements FamilyCall {
  /** Full name, empty while it is not known. */
  service = '';
  method = '';
  type: MethodType | undefined = undefined;
  /** Method and service were concluded, not read. */
  inferred = false;
  /** Concludes them; null where they were read or cannot be told. */
  guess: MethodInference | null = null;
  memory: unknown = null;
  /** What it writes into a store. `revision` undefined: not answered yet; null: nothing was written. */
  change: { readonly key: string; readonly seq: number; revision: string | null | undefined } | null = null;

  /** Heads that wait for their message. */
  requestHead: RequestPart | null = null;
  responseHead: ResponsePart | null = null;
  /** First message of each side. */
  asked: ItemPart | null = null;
  answer: ItemPart | null = null;

  /** The request, which may still be held until its method is known. */
  request: Draft | null = null;
  /** Tries to name the request's cause; null: nothing is waited for. */
  cause: Resolution | null = null;
  /** It is printed: nothing of it may change. */
  requestGone = false;
  /** The answer was said, at once for a stream. */
  answered = false;
  /** The server answered before the client's first message. */
  serverFirst = false;
  clientMessages = 0;
  serverMessages = 0;

  constructor(
    readonly context: ExchangeContext,
    readonly family: RpcFamily,
    readonly client: ResolvableParticipant,
  ) {}

  get known(): boolean {
    return this.method !== '';
  }

  is({ service, name, type }: Method, inferred: boolean): void {
    this.service = service;
    this.method = name;
    this.inferred = inferred;
    this.type = type;
  }

  /** Takes the method that messages have given away. @returns whether it is known now and was not. */
  conclude(): boolean {
    const found = this.known ? null : (this.guess?.method ?? null);
    if (found !== null) this.is(found, true);
    return found !== null;
  }

  /** Its messages are told one by one. */
  get streams(): boolean {
    if (this.type !== undefined) return this.type.clientStreaming || this.type.serverStreaming;
    return this.clientMessages > 1 || this.serverMessages > 1 || this.serverFirst || this.isHeadless;
  }

  /** Both heads were before the capture, or lost. */
  get isHeadless(): boolean {
    return this.requestHead === null && this.request === null && this.responseHead === null && !this.answered;
  }
}
