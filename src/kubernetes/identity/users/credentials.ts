// Reads the credentials of a request: a bearer token, an impersonated user, the user that a front proxy authenticated.

import { base64Bytes, latin1 } from '../../../core/bytes/bytes.js';
import { memo } from '../../../core/collections/memo.js';
import { fieldValue } from '../../../core/fields.js';
import type { RequestHead } from '../../../http/http-event.js';

/** A bearer token; `account`: the user of a service account token, null where the token does not tell the user. */
export interface Token {
  readonly text: string;
  readonly account: string | null;
}

/**
 * The bearer token of a request: of its Authorization field, or of a WebSocket's subprotocols (k8s.io/apiserver,
 * pkg/authentication/request/bearertoken and .../websocket).
 *
 * @returns null where it has none, or one that is too long.
 */
export function tokenOf({ fields }: RequestHead): Token | null {
  const authorization = fieldValue(fields, 'authorization');
  if (authorization !== undefined) return authorization.length > MAX_TOKEN_CHARACTERS ? null : TOKEN(authorization);
  const protocols = fieldValue(fields, 'sec-websocket-protocol');
  const encoded = protocols === undefined ? undefined : WEBSOCKET_TOKEN.exec(protocols)?.[1];
  return encoded === undefined ? null : tokenIn(latin1(base64Bytes(encoded)));
}

/** The user that a request acts for (k8s.io/api/authentication/v1: ImpersonateUserHeader); undefined: it acts for itself. */
export function impersonatedBy({ fields }: RequestHead): string | undefined {
  return fieldValue(fields, 'impersonate-user') || undefined;
}

/** The user whom an API server that hands a request on authenticated (kube-aggregator, handler_proxy.go). */
export function remoteUserOf({ fields }: RequestHead): string | undefined {
  return fieldValue(fields, 'x-remote-user') || undefined;
}

function tokenIn(text: string): Token {
  const payload = JWT.exec(text)?.[1];
  const subject = payload === undefined ? undefined : SUBJECT.exec(latin1(base64Bytes(payload)))?.[1];
  return { text, account: subject ?? null };
}

/** A program sends the same one with each request. */
const TOKEN = memo((authorization): Token | null => {
  const text = BEARER.exec(authorization)?.[1];
  return text === undefined ? null : tokenIn(text);
}, 256);

/** Limit: characters of a bearer token by which its user is found; a service account's token has 1 KB. */
const MAX_TOKEN_CHARACTERS = 8192;
const BEARER = /^bearer +(\S+)$/i;
const WEBSOCKET_TOKEN = /(?:^|[\s,])base64url\.bearer\.authorization\.k8s\.io\.([\w-]{1,16384})(?:$|[\s,])/;
const JWT = /^[\w-]+\.([\w-]+)\.[\w-]+$/;
/**
 * The user of a service account is the subject of its token (pkg/serviceaccount/claims.go); of other issuers' tokens the user
 * depends on the API server's flags (--oidc-username-claim, --oidc-username-prefix).
 */
const SUBJECT = /"sub" *: *"(system:serviceaccount:[a-z0-9-]{1,63}:[a-z0-9.-]{1,253})"/;
