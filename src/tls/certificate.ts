// Whose a certificate is. Knows X.509 names by way of node:crypto; verifies nothing: who was let in, the server's answers tell.

import { X509Certificate } from 'node:crypto';

/**
 * The common name of a certificate's subject (RFC 5280, 4.1.2.6).
 * @param der one certificate. @returns null where there is none, or the bytes are no certificate.
 */
export function commonNameOf(der: Uint8Array): string | null {
  try {
    // A line for each attribute; control characters within are escaped (RFC 2253), so no value has lines of its own.
    const lines = new X509Certificate(der).subject?.split('\n') ?? [];
    const name = lines.findLast((line) => line.startsWith(COMMON_NAME))?.slice(COMMON_NAME.length) ?? '';
    return name === '' ? null : name;
  } catch {
    return null;
  }
}

const COMMON_NAME = 'CN=';
