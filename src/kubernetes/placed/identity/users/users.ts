// Finds the user of each request, by its connection's certificate and by its bearer token.

import { base64Bytes, flattenString, latin1 } from '../../../../core/bytes/bytes.js';
import { BoundedMap } from '../../../../core/collections/bounded.js';
import { memo } from '../../../../core/collections/memo.js';
import { fieldValue } from '../../../../core/fields.js';
import type { AuditedExchange } from '../../../../http/exchange-event.js';
import type { RequestHead } from '../../../../http/http-event.js';
import type { PeerCertificate, TlsEstablished } from '../../../../tcp/stream-event.js';
import type { KnownUser, RequestUser, UserEvidence } from '../../../participants/user.js';
import type { Refused, StatedUser } from './answers.js';

export class Users {
  /** By TLS connection: the user of its client's certificate, or the user that its server returned; null: not known. */
  readonly #connections = new BoundedMap<number, KnownUser | null>(MAX_CONNECTIONS, 'users of connections');
  /** By bearer token, the user that a server returned; null: the server refused it. In memory alone. */
  readonly #tokens = new BoundedMap<string, KnownUser | null>(MAX_TOKENS, 'users of tokens');

  /** A TLS session begins: what was proved in another session on that connection does not count for it. */
  onTlsEstablished({ connection, sni }: TlsEstablished): void {
    this.#connections.set(connection.id, sni === LOOPBACK_NAME ? LOOPBACK : null);
  }

  /** A client's certificate names its user (k8s.io/apiserver, pkg/authentication/request/x509: CommonNameUserConversion). */
  onCertificate({ connection, of, commonName, isCurrent }: PeerCertificate): void {
    // A backslash stands for bytes that are no text.
    if (of === 'client' && isCurrent && !commonName.includes('\\'))
      this.#connections.set(connection.id, { name: commonName, from: 'certificate' });
  }

  /**
   * The user of a request, in the order in which an API server authenticates (pkg/kubeapiserver/authenticator/config.go): by a front
   * proxy, a certificate, a token; an impersonated user precedes them.
   *
   * @param isHandedOn whether an API server sends the request to an aggregated one, with the user in its head.
   */
  of(connection: number, head: RequestHead, isHandedOn: boolean): RequestUser {
    const remote = remoteUserOf(head);
    if (isHandedOn && remote !== undefined) return fixed({ name: remote, from: 'front proxy' });
    const proved = this.#connections.get(connection);
    const token = tokenOf(head);
    const impersonated = impersonatedBy(head);
    // A certificate goes before a token; what a server returned for requests without a certificate is about those.
    const own =
      token === null || (proved != null && CONNECTION_EVIDENCE.has(proved.from))
        ? (proved ?? null)
        : this.#ownerOf(token);
    return {
      known: impersonated === undefined ? own : { name: impersonated, from: 'impersonation' },
      shown: null,
      isNotOwner: impersonated !== undefined,
      token: token?.text ?? null,
      // A head that was read in part may lack its token; and a proxy sends for many users over one connection.
      connection: proved !== undefined && remote === undefined && head.partial.length === 0 ? connection : null,
    };
  }

  /** The user of a request that the audit log names. */
  audited({ user, isImpersonated }: AuditedExchange): RequestUser {
    return {
      known: user === '' ? null : { name: user, from: 'audit log' },
      shown: null,
      isNotOwner: isImpersonated,
      token: null,
      connection: null,
    };
  }

  /** A request was forbidden, and the response names its user. */
  refused(user: RequestUser, { name, impersonates }: Refused): void {
    const known: KnownUser = { name, from: 'refusal' };
    // Where the client may not impersonate, the response names the client itself, not the user that it acts for.
    if (impersonates) this.#rememberCredential(user, known);
    else this.#correct(user, known);
  }

  /** A response names the client's user, or the user of a token. */
  answered(user: RequestUser, { name, from, token }: StatedUser): void {
    if (token !== null) this.#tokens.set(flattenString(token), { name, from });
    else this.#correct(user, { name, from });
  }

  /** A request was not authenticated: its credentials prove nothing to that server (401). */
  unauthorized({ token, connection }: RequestUser): void {
    if (token !== null) this.#tokens.set(flattenString(token), null);
    else if (connection !== null) this.#connections.set(connection, null);
  }

  /** An admission review names the user of a write. */
  reviewed(user: RequestUser, name: string): void {
    this.#correct(user, { name, from: 'admission review' });
  }

  #correct(user: RequestUser, known: KnownUser): void {
    if (user.known?.name === known.name) return;
    user.known = known;
    if (!user.isNotOwner) this.#rememberCredential(user, known);
  }

  /** Later requests with this token, or else on this connection, have the same user. */
  #rememberCredential({ token, connection }: RequestUser, known: KnownUser): void {
    if (token !== null) this.#tokens.set(flattenString(token), known);
    // With a token, the connection's own user is unproved, so it is forgotten.
    if (connection !== null) this.#connections.set(connection, token === null ? known : null);
  }

  #ownerOf({ text, account }: Token): KnownUser | null {
    const known = this.#tokens.get(text);
    return known === undefined && account !== null ? { name: account, from: 'token' } : (known ?? null);
  }
}

function fixed(known: KnownUser): RequestUser {
  return { known, shown: null, isNotOwner: true, token: null, connection: null };
}

/** What a connection itself shows of its user: such evidence goes before a token. */
const CONNECTION_EVIDENCE: ReadonlySet<UserEvidence> = new Set<UserEvidence>(['certificate', 'loopback']);
/** An API server sends to itself as system:apiserver (k8s.io/apiserver, pkg/server/config_selfclient.go). */
const LOOPBACK_NAME = 'apiserver-loopback-client';
const LOOPBACK: KnownUser = { name: 'system:apiserver', from: 'loopback' };
/** Limit: TLS connections with the users of their clients; a forgotten one has none. 0.1 KiB each. */
const MAX_CONNECTIONS = 20_000;
/** Limit: bearer tokens whose users a server returned; some have 1 KB. */
const MAX_TOKENS = 1000;

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
  if (authorization !== undefined)
    return authorization.length > MAX_TOKEN_CHARACTERS ? null : tokenOfAuthorization(authorization);
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
const tokenOfAuthorization = memo((authorization): Token | null => {
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
