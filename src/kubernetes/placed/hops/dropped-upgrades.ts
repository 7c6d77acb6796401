// Tells that a proxy took the upgrade of an exec, attach or port-forward away: `Upgrade` and `Connection` are for one hop alone
// (RFC 9110, 7.6.1, 7.8), so a proxy that does not know them drops them, and the API server asks for what the client had sent.
//
//   client ── GET …/exec, Upgrade ──► proxy ── GET …/exec ──► API server
//          ◄──────── 400 ───────────        ◄── 400 Upgrade request required

import { fieldValue } from '../../../core/fields.js';
import type { Exchange } from '../../../http/exchange-event.js';
import type { Draft } from '../../messages/draft.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import { requestLine } from './aggregation.js';
import type { ServedRequests } from './served-requests.js';

/** A request for an upgrade is kept as long as it is open, with the place that it was sent to. */
export function observeUpgrade(
  served: ServedRequests,
  context: ExchangeContext,
  message: Draft,
  exchange: Exchange,
): void {
  const { address, port } = exchange.connection.server;
  if (isUpgrade(exchange)) served.add(context, message, [keyOf(exchange)], `${address} port ${port}`);
}

/** @param failure text of the response. @returns in words that a proxy dropped the upgrade, and which one; undefined: none did. */
export function droppedUpgrade(served: ServedRequests, exchange: Exchange, failure?: string): string | undefined {
  if (failure !== REQUIRED) return undefined;
  if (isUpgrade(exchange)) return 'the request has Connection: Upgrade, which a proxy did not forward';
  const [outer] = served.all(keyOf(exchange));
  return outer === undefined ? undefined : `the proxy ${outer.detail} did not forward Connection: Upgrade`;
}

/** Whether a request asks for a protocol that streams of Kubernetes have. */
function isUpgrade({ request }: Exchange): boolean {
  return request !== null && PROTOCOLS.test(fieldValue(request.fields, 'upgrade') ?? '');
}

function keyOf({ request }: Exchange): string {
  return `upgrade ${request === null ? '' : requestLine(request)}`;
}

/** k8s.io/apimachinery, pkg/util/proxy/upgradeaware.go: ServeHTTP. */
const REQUIRED = 'Upgrade request required';
/** client-go, transport/websocket and transport/spdy. */
const PROTOCOLS = /^(?:websocket|SPDY\/3\.1)$/i;
