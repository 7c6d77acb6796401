// Lays out a batch of exchange events that one thread sends to another:
//
//   a record   [ code | ordinal | exchange | words | first | last | at | flags | offset, length | body ]   doubles
//   words      new parts of an exchange: its heads and trailers; texts by number
//   bytes      decoded bodies; messages of streams
//   extras     rare items, cloned as objects

import type { ExchangeEvent } from '../../http/exchange-event.js';
import type { RequestHead, ResponseHead } from '../../http/http-event.js';
import type { Connection } from '../../tcp/stream-event.js';
import type { ConnectionItem } from '../exchange-stage.js';
import type { FreshTexts } from './interning.js';
import type { BatchBuffers } from './transfer-buffers.js';

export interface ExchangeBatch {
  readonly buffers: BatchBuffers;
  readonly count: number;
  readonly texts: FreshTexts;
  readonly extras: readonly Extra[];
}

export type Extra =
  | { readonly kind: 'item'; readonly item: Exclude<ConnectionItem, ExchangeEvent> }
  | { readonly kind: 'channel'; readonly event: Omit<Extract<ExchangeEvent, { kind: 'channel' }>, 'exchange'> }
  | { readonly kind: 'head'; readonly head: RequestHead | ResponseHead }
  | { readonly kind: 'connection'; readonly connection: Connection }
  | { readonly kind: 'first-frame'; readonly time: bigint }
  | { readonly kind: 'nanoseconds'; readonly capture: number };

/** Numbers of a record. */
export const FIELDS = 19;
/** Their indices; `first`, `last` and `at` take three numbers each: capture, frame, time. */
export const FIELD = {
  ordinal: 1,
  exchange: 2,
  words: 3,
  first: 4,
  last: 7,
  at: 10,
  flags: 13,
  offset: 14,
  length: 15,
  bodyLength: 16,
  bodyType: 17,
  bodyCoding: 18,
} as const;

/** Event kinds by their code; other codes follow. */
export const EVENT_KINDS = ['request', 'response', 'item', 'tunnel', 'channel', 'exchange-end'] as const;
export const CODE = { channel: 4, exchangeEnd: 5, opened: 6, watermark: 7, extra: 8 } as const;

export const FLAG = {
  complete: 1,
  fromClient: 2,
  hasBody: 4,
  bodyComplete: 8,
  decodedComplete: 16,
  decodedLimited: 32,
  requestSeen: 64,
  responseSeen: 128,
  brokenByClient: 256,
  brokenByServer: 512,
} as const;

/** Parts of an exchange, as bits of the first of its words. */
export const PART = { request: 1, response: 2, trailers: 4, upgraded: 8 } as const;

export const VERSIONS = ['1.0', '1.1', '2'] as const;
