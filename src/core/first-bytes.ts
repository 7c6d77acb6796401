// Asks what begins with the first bytes of a connection, a body or a frame: signatures, and the TLS record that other protocols rule out.

/** The first bytes of both sides of a connection so far, borrowed. */
export interface FirstBytes {
  readonly client: Uint8Array;
  readonly server: Uint8Array;
}

/** `more`: undecided so far. */
export type Detection = 'yes' | 'no' | 'more';

/** Whether `bytes` have a signature at `at`; `more`: as far as they reach before `end`. */
export function signatureAt(bytes: Uint8Array, at: number, signature: Uint8Array, end = bytes.length): Detection {
  const length = Math.min(end - at, signature.length);
  for (let i = 0; i < length; i++) if (bytes[at + i] !== signature[i]) return 'no';
  return length === signature.length ? 'yes' : 'more';
}

/** Content types of TLS records (RFC 8446, 5.1), the first and the last of which bound them. */
export const CHANGE_CIPHER_SPEC = 20;
export const ALERT = 21;
export const HANDSHAKE = 22;
export const APPLICATION_DATA = 23;

/** Whether a TLS record begins with the first byte: a content type, then a version from SSL 3.0 to TLS 1.3. */
export function beginsTlsRecord(bytes: Uint8Array): Detection {
  if (bytes.length === 0) return 'more';
  if (bytes[0] < CHANGE_CIPHER_SPEC || bytes[0] > APPLICATION_DATA) return 'no';
  if (bytes.length > 1 && bytes[1] !== MAJOR_VERSION) return 'no';
  if (bytes.length < 3) return 'more';
  return bytes[2] <= LAST_MINOR_VERSION ? 'yes' : 'no';
}

const MAJOR_VERSION = 3;
const LAST_MINOR_VERSION = 4;
