// Header fields: the value of what identifies a caller to a server is replaced, its name stays. Knows field names.

import { REDACTED, redactAuthority, redactTarget, redactText } from './text.js';

/**
 * @param name of a header field, in any case. @param isTold whether the failures and warnings of its message may be told.
 * @returns its value as it may be shown.
 */
export function redactField(name: string, value: string, isTold = false): string {
  const lower = name.toLowerCase();
  if (isCredentialField(lower) || (!isTold && QUOTING_FIELDS.has(lower))) return REDACTED;
  if (AUTHORITY_FIELDS.has(lower)) return redactAuthority(value);
  if (lower === 'sec-websocket-protocol') return value.split(',').map(redactSubprotocol).join(',');
  return TARGET_FIELD.test(lower) ? redactTarget(value) : redactText(value);
}

/** Does a header field of this name, in lower case, carry a credential? */
export function isCredentialField(lower: string): boolean {
  if (CREDENTIAL_FIELDS.has(lower) || lower.startsWith('x-remote-')) return true;
  // What programs invent: X-Auth-Token, X-Api-Key, X-Vault-Token, etcd's `token` metadata.
  return !TELLING_FIELDS.has(lower) && CREDENTIAL_NAME.test(lower);
}

/** A browser cannot set Authorization on a WebSocket, so the token is one of the protocols (kubernetes/kubernetes#47740). */
function redactSubprotocol(protocol: string): string {
  const at = protocol.toLowerCase().indexOf(BEARER_PROTOCOL);
  return at < 0 ? redactText(protocol) : protocol.slice(0, at + BEARER_PROTOCOL.length) + REDACTED;
}

const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

const CREDENTIAL_FIELDS = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'cookie2',
  'set-cookie2',
  'x-registry-auth',
  'x-registry-config',
]);
/** Texts that may repeat what was sent. */
const QUOTING_FIELDS = new Set(['warning', 'grpc-message']);
/** X-Forwarded-Uri, X-Original-URL too. */
const TARGET_FIELD = /^(?:location|content-location|referer|:path)$|-ur[il]$/;
const AUTHORITY_FIELDS = new Set(['host', ':authority']);
const CREDENTIAL_NAME = /token|secret|passw|api-?key|credential|session|auth(?!ority|enticate)|signature/;
/** Names that sound like credentials and are none. */
const TELLING_FIELDS = new Set(['kubectl-session', 'docker-content-digest', ':authority', 'authority']);
