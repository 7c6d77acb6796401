// What a protocol must offer to be found on a connection and read: one row of the table in protocols.ts. Knows bytes,
// not ports; whether a port number is usual for something is no evidence of what is spoken there.

import type { HeaderTables } from '../core/header-table.js';
import type { Notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import type { Connection, StreamEvent } from '../tcp/stream-event.js';
import type { HttpEvent } from './http-event.js';

/** The first bytes of both sides, as many as were seen so far; borrowed. */
export interface FirstBytes {
  readonly client: Uint8Array;
  readonly server: Uint8Array;
}

/** `more`: cannot be told yet. */
export type Detection = 'yes' | 'no' | 'more';

export interface HttpProtocol {
  readonly name: 'http/1' | 'http/2';
  /**
   * @param firstBytes of either side; one of them may be empty for long.
   * @param handshakeSeen the connection's first byte is in the capture. Without it the bytes may begin anywhere, even in
   *   the middle of a body, and the answer rests on what can be recognised.
   */
  detect(firstBytes: FirstBytes, handshakeSeen: boolean): Detection;
  /**
   * @param switched how it came here from another protocol; without, `roles` tell how it begins.
   * @param headerTables what processes were observed to have in their HPACK tables.
   */
  open(
    connection: Connection,
    switched?: Switched,
    headerTables?: HeaderTables,
  ): Stage<StreamEvent, HttpEvent | Notice>;
}

/** `anew`: its beginning was seen, whatever its `roles`; `answer`: and stream 1 has been asked for in HTTP/1. */
export type Switched = 'anew' | 'answer';
