// Is this HTTP/2? Knows first bytes only.

import type { Detection, FirstBytes } from '../protocol.js';
import { FRAME_HEADER, isPlausibleHeader, PREFACE, SETTINGS } from './frame-types.js';
import { beginsHttp2, holdsHttp2 } from './proof.js';

/** Of a connection seen from its start the preface decides; of a late one, a run of frames on either side that is a proof. */
export function detectHttp2(first: FirstBytes, handshakeSeen: boolean): Detection {
  const { client, server } = first;
  const byPreface = preface(client);
  if (byPreface === 'yes' || (!handshakeSeen && preface(server) === 'yes')) return 'yes';
  if (!handshakeSeen) return anywhere(client, server);
  if (byPreface === 'no') {
    // The first bytes of the client may be missing.
    return beginsHttp2(client) ? 'yes' : 'no';
  }
  return client.length === 0 && server.length > 0 ? serverFirst(server) : 'more';
}

/** A server may send its SETTINGS before the client says anything (RFC 9113, 3.4). */
function serverFirst(server: Uint8Array): Detection {
  if (server.length < FRAME_HEADER) return server[0] === 0 ? 'more' : 'no';
  return server[3] === SETTINGS && isPlausibleHeader(server, 0) ? 'yes' : 'no';
}

function preface(bytes: Uint8Array): Detection {
  if (bytes.length === 0) return 'more';
  const length = Math.min(bytes.length, PREFACE.length);
  for (let i = 0; i < length; i++) if (bytes[i] !== PREFACE[i]) return 'no';
  return length === PREFACE.length ? 'yes' : 'more';
}

function anywhere(client: Uint8Array, server: Uint8Array): Detection {
  if (holdsHttp2(client) || holdsHttp2(server)) return 'yes';
  return couldBeFrames(client) && couldBeFrames(server) ? 'more' : 'no';
}

/** A capture may begin in the middle of a long frame; but after this many bytes a frame would have begun. */
function couldBeFrames(bytes: Uint8Array): boolean {
  return bytes.length < MAX_LOOK;
}

// The largest usual frame (16 KiB) and two headers behind it.
const MAX_LOOK = 32 * 1024;
