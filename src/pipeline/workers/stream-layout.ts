// Where what stands in a batch of streams; see stream-packer.ts and stream-unpacker.ts. Knows places.
//
//   a record   [ code | connection | capture | frame | time | offset | length | stamp ]   doubles, but time: an integer
//   bytes      what data events carry, one after the other
//   extras     the few items that are not worth a code of their own, as they are

import type { Side } from '../../tcp/stream-event.js';
import type { StreamItem } from '../tcp-stage.js';
import type { RoomBuffers } from './transfer-buffers.js';

export interface StreamBatch {
  readonly room: RoomBuffers;
  readonly count: number;
  readonly extras: readonly StreamExtra[];
}

export type StreamExtra =
  | { readonly kind: 'item'; readonly item: StreamItem }
  | { readonly kind: 'began'; readonly time: bigint }
  | { readonly kind: 'nanoseconds'; readonly capture: number };

export const FIELDS = 8;
export const TIME = 4;
export const OFFSET = 5;
export const DATA_CLIENT = 1;
export const DATA_SERVER = 2;
export const GAP_CLIENT = 3;
export const GAP_SERVER = 4;
export const CLOSED = 5;
/** `time` and, in the place of the offset, `limit`. */
export const SETTLED = 6;
/** The index of an extra stands in `offset`. */
export const EXTRA = 7;
/** An extra that only makes a connection known. */
export const KNOW = 8;

export const SIDES: readonly (Side | null)[] = ['client', 'server', null];
export const REASONS = ['fin', 'reset', 'aborted', 'unanswered', 'unreachable', 'idle', 'end'] as const;
