// Lists the protocols that can be detected on a connection, in the order in which they are tried.

import { http1Protocol } from './http1/session.js';
import { http2Protocol } from './http2/session.js';
import type { HttpProtocol } from './protocol.js';
import { midSessionWatch } from './websocket/mid-session-watch.js';

export const PROTOCOLS: readonly HttpProtocol[] = [http2Protocol, http1Protocol, midSessionWatch];
