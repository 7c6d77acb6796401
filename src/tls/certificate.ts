// Whose a certificate is. Knows X.509 names by way of node:crypto; verifies nothing: who was let in, the server's answers tell.

import { X509Certificate } from 'node:crypto';
import { latin1 } from '../core/bytes.js';
import { memo } from '../core/memo.js';

const COMMON_NAME = 'CN=';
/** Of a cluster's nodes and components, remembered. */
const MAX_CERTIFICATES = 1000;
/** Bytes; those of Kubernetes have some 1,000, RSA's with many names 3,000. */
const MAX_LENGTH = 8192;

/**
 * The common name of a certificate's subject (RFC 5280, 4.1.2.6).
 * @param der one certificate. @returns null where there is none, or the bytes are no certificate.
 */
export function commonNameOf(der: Uint8Array): string | null {
  return der.length > MAX_LENGTH ? null : nameOf(latin1(der, 0, der.length));
}

/** A server shows the same one again and again. */
const nameOf = memo((der: string): string | null => {
  try {
    // A line for each attribute; control characters within are escaped (RFC 2253), so no value has lines of its own.
    const lines = new X509Certificate(Buffer.from(der, 'latin1')).subject?.split('\n') ?? [];
    const name = lines.findLast((line) => line.startsWith(COMMON_NAME))?.slice(COMMON_NAME.length) ?? '';
    return name === '' ? null : name;
  } catch {
    return null;
  }
}, MAX_CERTIFICATES);
