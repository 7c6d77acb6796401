// The URL of a request, which HAR wants whole: nothing on the wire holds it in one piece. Knows where its parts stand.

import { serverOf } from '../../core/connection-name.js';
import type { HeaderField } from '../../kubernetes/messages/details-types.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { valueOfField } from './har-parts.js';

/** Schemes of servers: HTTP/2 says it with every request, HTTP/1.1 never. */
export class Schemes {
  readonly #known = new Map<string, string>();

  constructor(messages: readonly Message[]) {
    for (const { kind, connection, details } of messages) {
      const server = serverOf(connection);
      if (kind !== 'request' || details === undefined || this.#known.has(server)) continue;
      const scheme = valueOfField(details.fields(), ':scheme');
      if (scheme !== undefined) this.#known.set(server, scheme);
    }
  }

  /** What another request to this server said; else what its port stands for. */
  of(server: string): string {
    return this.#known.get(server) ?? (TLS_PORTS.has(server.slice(server.lastIndexOf(':') + 1)) ? 'https' : 'http');
  }
}

/** @param message of the exchange, its request where there is one. @param fields of its request. */
export function urlOf(message: Message, fields: readonly HeaderField[], schemes: Schemes): string {
  const server = serverOf(message.connection);
  const { target, service, rpcMethod } = message;
  if (target !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return target;
  const authority = valueOfField(fields, ':authority') ?? valueOfField(fields, 'host') ?? bracketed(server);
  const scheme = valueOfField(fields, ':scheme') ?? schemes.of(server);
  const path = service === undefined ? (target ?? `/${UNKNOWN}`) : `/${service}/${rpcMethod ?? UNKNOWN}`;
  return `${scheme}://${authority}${path.startsWith('/') ? path : `/${path}`}`;
}

/** RFC 3986: an IPv6 address stands in brackets. */
function bracketed(server: string): string {
  const at = server.lastIndexOf(':');
  const address = server.slice(0, at);
  return address.includes(':') ? `[${address}]${server.slice(at)}` : server;
}

/** Of Kubernetes' doors those that speak TLS: API server, kubelet, webhooks. */
const TLS_PORTS = new Set(['443', '6443', '8443', '9443', '10250', '10257', '10259']);

/** `…`: a path that the capture does not have is not `/`. */
export const UNKNOWN = '%E2%80%A6';
