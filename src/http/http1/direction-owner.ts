// What one direction of an HTTP/1 connection says and asks while it is read. No behaviour.

import type { Origin } from '../../core/origin.js';
import type { Side } from '../../tcp/stream-event.js';
import type { Fields, RequestHead, ResponseHead } from '../http-event.js';
import type { SearchOwner } from './search.js';

/** What a direction says; `http1.ts` turns it into events with connection and ordinal. */
export interface DirectionOwner extends SearchOwner {
  /**
   * A head is complete.
   * @returns bytes of its body, CHUNKED, UNTIL_CLOSE, TUNNEL or INVALID; LEFT_OUT for a head that is no message (1xx).
   */
  onHead(from: Side, head: RequestHead | ResponseHead, first: Origin, last: Origin): number;
  /** The head that was read last may answer a HEAD request that was not seen: then its body does not come. */
  mayHaveNoBody(from: Side): boolean;
  onBody(from: Side, bytes: Uint8Array, origin: Origin): void;
  onBodyGap(from: Side, length: number | null, origin: Origin): void;
  onTrailers(from: Side, fields: Fields, origin: Origin): void;
}

/** Answer to `onHead` for heads that begin no message: the next head follows. */
export const LEFT_OUT = -5;
