// Tells that a proxy took the upgrade of an exec, attach or port-forward away: `Upgrade` and `Connection` are for one hop alone
// (RFC 9110, 7.6.1, 7.8), so a proxy that does not know them drops them, and the API server asks for what the client had sent.
//
//   client ── GET …/exec, Upgrade ──► proxy ── GET …/exec ──► API server
//          ◄──────── 400 ───────────        ◄── 400 Upgrade request required

import { BoundedMap } from '../../core/collections/bounded.js';
import { fieldValue } from '../../core/fields.js';
import type { Exchange } from '../../http/exchange-event.js';

export class DroppedUpgrades {
  /** Method and target of each open request for an upgrade → its first exchange. */
  readonly #open = new BoundedMap<string, Exchange>(MAX_OPEN, 'requests for an upgrade');

  observeRequest(exchange: Exchange): void {
    if (isUpgrade(exchange) && !this.#open.has(keyOf(exchange))) this.#open.set(keyOf(exchange), exchange);
  }

  exchangeEnded(exchange: Exchange): void {
    if (this.#open.size > 0 && this.#open.get(keyOf(exchange)) === exchange) this.#open.delete(keyOf(exchange));
  }

  /** @param failure text of the response. @returns in words that a proxy dropped the upgrade, and which one; undefined: none did. */
  faultOf(exchange: Exchange, failure: string | undefined): string | undefined {
    if (failure !== REQUIRED) return undefined;
    if (isUpgrade(exchange)) return 'the request has Connection: Upgrade, which a proxy did not forward';
    const outer = this.#open.get(keyOf(exchange));
    if (outer === undefined) return undefined;
    const { address, port } = outer.connection.server;
    return `the proxy ${address} port ${port} did not forward Connection: Upgrade`;
  }
}

/** Whether a request asks for a protocol that streams of Kubernetes have. */
function isUpgrade({ request }: Exchange): boolean {
  return request !== null && PROTOCOLS.test(fieldValue(request.fields, 'upgrade') ?? '');
}

function keyOf({ request }: Exchange): string {
  return `${request?.method ?? ''} ${request?.target ?? ''}`;
}

/** k8s.io/apimachinery, pkg/util/proxy/upgradeaware.go: ServeHTTP. */
const REQUIRED = 'Upgrade request required';
/** client-go, transport/websocket and transport/spdy. */
const PROTOCOLS = /^(?:websocket|SPDY\/3\.1)$/i;
/** Limit: open requests for an upgrade: a person has a handful, a cluster some hundred. */
const MAX_OPEN = 10_000;
