// Header fields: a value is shown because its name is in a closed list of harmless ones; of every other field the name stays.

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
  if (TARGET_FIELD.test(lower)) return redactTarget(value);
  return SHOWN_FIELDS.has(lower) || QUOTING_FIELDS.has(lower) ? redactText(value) : REDACTED;
}

/** @returns the list that allows the value of a field of this name, in lower case, and its row; null: none does. */
export function rowOfField(lower: string): string | null {
  if (isCredentialField(lower)) return null;
  if (QUOTING_FIELDS.has(lower)) return `QUOTING_FIELDS: ${lower}`;
  if (AUTHORITY_FIELDS.has(lower)) return `AUTHORITY_FIELDS: ${lower}`;
  if (lower === 'sec-websocket-protocol' || TARGET_FIELD.test(lower)) return `fields that are shown in part: ${lower}`;
  return SHOWN_FIELDS.has(lower) ? `SHOWN_FIELDS: ${lower}` : null;
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
/** What no program puts a secret into; user agents and the like go through the second fence, `redactText`, all the same. */
const SHOWN_FIELDS: ReadonlySet<string> = new Set(
  [
    // RFC 9110 to 9113, 8441: representations, conditions, routing, connections.
    ':method :scheme :status :protocol accept accept-encoding accept-language accept-ranges age allow cache-control connection',
    'content-encoding content-language content-length content-range content-type date expect expires http2-settings if-match',
    'if-modified-since if-none-match if-unmodified-since keep-alive last-modified etag pragma range retry-after server te trailer',
    'transfer-encoding upgrade user-agent vary via www-authenticate proxy-authenticate x-content-type-options strict-transport-security',
    'sec-websocket-accept sec-websocket-extensions sec-websocket-key sec-websocket-version',
    // Kubernetes: staging/src/k8s.io/apiserver, client-go, kubectl, streaming.
    'audit-id x-kubernetes-pf-flowschema-uid x-kubernetes-pf-prioritylevel-uid kubectl-command kubectl-session',
    'impersonate-user impersonate-group impersonate-uid x-stream-protocol-version x-accepted-stream-protocol-versions',
    // Trace context (W3C, B3).
    'traceparent tracestate b3 x-b3-traceid x-b3-spanid x-b3-parentspanid x-b3-sampled x-request-id x-correlation-id',
    // gRPC over HTTP/2 (PROTOCOL-HTTP2.md).
    'grpc-status grpc-encoding grpc-accept-encoding grpc-timeout',
    // Registries and docker.
    'docker-content-digest docker-distribution-api-version docker-upload-uuid api-version builder-version docker-experimental',
    'ostype swarm oci-subject oci-filters-applied',
  ]
    .join(' ')
    .split(' '),
);
/** Texts that may repeat what was sent. */
const QUOTING_FIELDS = new Set(['warning', 'grpc-message']);
/** X-Forwarded-Uri, X-Original-URL too. */
const TARGET_FIELD = /^(?:location|content-location|referer|:path)$|-ur[il]$/;
const AUTHORITY_FIELDS = new Set(['host', ':authority']);
const CREDENTIAL_NAME = /token|secret|passw|api-?key|credential|session|auth(?!ority|enticate)|signature/;
/** Names that sound like credentials and are none. */
const TELLING_FIELDS = new Set(['kubectl-session', 'docker-content-digest', ':authority', 'authority']);
