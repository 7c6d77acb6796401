// Alerts by number (RFC 8446, 6; RFC 5246, 7.2; RFC 7301 and 6066 for two of them; IANA, TLS Alerts). Knows names, and which say
// that something failed.

/** @returns null: it ends a session in order (close_notify, user_canceled), or refuses nothing but a renegotiation. */
export function alertName(description: number): string | null {
  if (ORDERLY.has(description)) return null;
  return NAMES[description] ?? `alert ${description}`;
}

/** Whether it can be about the certificate of who is told: then it helps to know what that says. */
export function isAboutCertificate(description: number): boolean {
  return ABOUT_CERTIFICATES.has(description);
}

export const CLOSE_NOTIFY = 0;

const ORDERLY = new Set([CLOSE_NOTIFY, 90, 100]);
const ABOUT_CERTIFICATES = new Set([40, 41, 42, 43, 44, 45, 46, 48, 49, 51, 112, 113, 114, 116]);
const NAMES: Readonly<Record<number, string>> = {
  10: 'unexpected_message',
  20: 'bad_record_mac',
  21: 'decryption_failed',
  22: 'record_overflow',
  30: 'decompression_failure',
  40: 'handshake_failure',
  41: 'no_certificate',
  42: 'bad_certificate',
  43: 'unsupported_certificate',
  44: 'certificate_revoked',
  45: 'certificate_expired',
  46: 'certificate_unknown',
  47: 'illegal_parameter',
  48: 'unknown_ca',
  49: 'access_denied',
  50: 'decode_error',
  51: 'decrypt_error',
  60: 'export_restriction',
  70: 'protocol_version',
  71: 'insufficient_security',
  80: 'internal_error',
  86: 'inappropriate_fallback',
  109: 'missing_extension',
  110: 'unsupported_extension',
  111: 'certificate_unobtainable',
  112: 'unrecognized_name',
  113: 'bad_certificate_status_response',
  114: 'bad_certificate_hash_value',
  115: 'unknown_psk_identity',
  116: 'certificate_required',
  120: 'no_application_protocol',
  121: 'ech_required',
};
