// Defines a protocol that can be detected on a connection by its bytes; ports are no evidence.

import type { Detection, FirstBytes } from '../core/first-bytes.js';
import type { HeaderTables } from '../core/header-table.js';
import type { Notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import type { Connection, StreamEvent } from '../tcp/stream-event.js';
import type { HttpEvent } from './http-event.js';

export interface HttpProtocol {
  readonly name: 'http/1' | 'http/2';
  /**
   * @param firstBytes one side may be empty for long.
   * @param handshakeSeen the first byte of the connection was captured. Otherwise the bytes may begin anywhere, even within a body.
   */
  detect(firstBytes: FirstBytes, handshakeSeen: boolean): Detection;
  /**
   * @param switched how the connection switched from another protocol; otherwise its `roles` show how it begins.
   * @param headerTables observed HPACK tables.
   */
  open(
    connection: Connection,
    switched?: Switched,
    headerTables?: HeaderTables,
  ): Stage<StreamEvent, HttpEvent | Notice>;
}

/** `fresh`: the protocol begins here, whatever the `roles`; `h2c-response`: and the request of stream 1 was HTTP/1. */
export type Switched = 'fresh' | 'h2c-response';
