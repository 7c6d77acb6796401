// Where what stands in a batch of exchanges; see exchange-packer.ts and exchange-unpacker.ts. Knows places.
//
//   a record   [ code | stamp | exchange | words | first | last | at | flags | offset, length | body ]   doubles
//   words      what is new of an exchange: its heads, trailers; texts by number
//   bytes      bodies, decoded; messages of streams
//   extras     what is rare, as it is

import type { ExchangeEvent } from '../../http/exchange-event.js';
import type { RequestHead, ResponseHead } from '../../http/http-event.js';
import type { Connection } from '../../tcp/stream-event.js';
import type { ConnectionItem } from '../exchange-stage.js';
import type { FreshTexts } from './texts.js';
import type { RoomBuffers } from './transfer-buffers.js';

export interface ExchangeBatch {
  readonly room: RoomBuffers;
  readonly count: number;
  readonly texts: FreshTexts;
  readonly extras: readonly Extra[];
}

type ChannelEvent = Extract<ExchangeEvent, { kind: 'channel' }>;
export type Extra =
  | { readonly kind: 'item'; readonly item: Exclude<ConnectionItem, ExchangeEvent> }
  | { readonly kind: 'channel'; readonly event: Omit<ChannelEvent, 'exchange'> }
  | { readonly kind: 'head'; readonly head: RequestHead | ResponseHead }
  | { readonly kind: 'connection'; readonly connection: Connection }
  | { readonly kind: 'began'; readonly time: bigint }
  | { readonly kind: 'nanoseconds'; readonly capture: number };

// Places of a record.
export const STAMP = 1;
export const EXCHANGE = 2;
export const WORDS = 3;
/** Each of three: capture, frame, time. */
export const FIRST = 4;
export const LAST = 7;
export const AT = 10;
export const FLAGS = 13;
export const OFFSET = 14;
export const LENGTH = 15;
export const BODY_LENGTH = 16;
export const BODY_TYPE = 17;
export const BODY_CODING = 18;
export const FIELDS = 19;

export const CODES = ['request', 'response', 'item', 'tunnel', 'channel', 'over'] as const;
export const CHANNEL_CODE = 4;
export const OVER_CODE = 5;
export const OPENED = 6;
export const SETTLED = 7;
export const EXTRA = 8;

export const COMPLETE = 1;
export const FROM_CLIENT = 2;
export const HAS_BODY = 4;
export const BODY_COMPLETE = 8;
export const DECODED_COMPLETE = 16;
export const DECODED_LIMITED = 32;
export const SEEN_REQUEST = 64;
export const SEEN_RESPONSE = 128;
export const BROKEN_BY_CLIENT = 256;
export const BROKEN_BY_SERVER = 512;

export const REQUEST = 1;
export const RESPONSE = 2;
export const TRAILERS = 4;
export const UPGRADED = 8;

export const VERSIONS = ['1.0', '1.1', '2'] as const;
