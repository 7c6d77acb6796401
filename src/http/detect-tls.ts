// Recognises TLS that nobody decrypted, by the first record header (RFC 8446 section 5.1).

import type { FirstBytes } from './protocol.js';

/** `no-secret`: the handshake is there; `no-handshake`: records of an older connection; `more`: one byte more may tell. */
export function seemsTls({ client, server }: FirstBytes): 'no' | 'more' | 'no-secret' | 'no-handshake' {
  const fromClient = recordType(client);
  const fromServer = recordType(server);
  if (fromClient === HANDSHAKE || fromServer === HANDSHAKE) return 'no-secret';
  if (fromClient > MORE || fromServer > MORE) return 'no-handshake';
  return fromClient === MORE || fromServer === MORE ? 'more' : 'no';
}

/** Content type of the record that begins here, MORE, or NO_RECORD. */
function recordType(bytes: Uint8Array): number {
  if (bytes.length === 0 || bytes[0] < CHANGE_CIPHER_SPEC || bytes[0] > APPLICATION_DATA) return NO_RECORD;
  if (bytes.length < 3) return bytes.length === 1 || bytes[1] === MAJOR_VERSION ? MORE : NO_RECORD;
  return bytes[1] === MAJOR_VERSION && bytes[2] <= LAST_MINOR_VERSION ? bytes[0] : NO_RECORD;
}

const NO_RECORD = 0;
const MORE = 1;
const CHANGE_CIPHER_SPEC = 20;
const HANDSHAKE = 22;
const APPLICATION_DATA = 23;
const MAJOR_VERSION = 3;
const LAST_MINOR_VERSION = 4;
