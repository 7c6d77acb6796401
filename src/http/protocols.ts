// Every protocol that can be found on a connection, one row each, asked in this order. A new protocol is one more row.

import { http1Protocol } from './http1/session.js';
import { http2Protocol } from './http2/session.js';
import type { HttpProtocol } from './protocol.js';
import { lateWebSocketWatch } from './websocket/mid-session-watch.js';

export const PROTOCOLS: readonly HttpProtocol[] = [http2Protocol, http1Protocol, lateWebSocketWatch];
