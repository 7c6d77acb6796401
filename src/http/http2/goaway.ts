// Reads the end of an HTTP/2 connection as one side announces it (RFC 9113, 6.8), and has the error codes that matter (section 7).

import { latin1, u32be } from '../../core/bytes/bytes.js';

export interface Goaway {
  /** The last stream of the peer that the sender may have processed. */
  readonly lastStream: number;
  readonly code: number;
  /** The debug text, if it is one of those that libraries write by themselves; else null: a program may put anything there. */
  readonly debug: string | null;
}

/** @param payload of a GOAWAY frame, at least 8 bytes. */
export function goawayIn(payload: Uint8Array): Goaway {
  const text = latin1(payload.subarray(8, 8 + MAX_DEBUG_BYTES));
  return { lastStream: u32be(payload, 0) & 0x7fffffff, code: u32be(payload, 4), debug: DEBUG.has(text) ? text : null };
}

export const NO_ERROR = 0;
export const REFUSED_STREAM = 7;

/** grpc-go, internal/transport: http2_server.go (handlePing, keepalive, Drain), http2_client.go (Close). */
const DEBUG: ReadonlySet<string> = new Set([
  'too_many_pings',
  'graceful_stop',
  'max_age',
  'max_idle',
  'client transport shutdown',
]);

/** Limit in bytes: the longest text of `DEBUG` and some, as longer ones are not shown. */
const MAX_DEBUG_BYTES = 64;
