// Describes who holds the Lease that a request writes, or a response has: programs agree by it who of them leads.

import type { Body } from '../../http/exchange-event.js';
import type { RequestInfo } from '../api/request-info.js';
import { leaseOf } from '../objects/object-facts.js';
import type { Draft } from './draft.js';

/** @param info of the request. Leases of nodes tell that the node lives, and never change hands (pkg/kubelet/kubelet.go). */
export function describeLease(message: Draft, body: Body | null, info: RequestInfo | null): void {
  if (info?.resource !== 'leases' || info.namespace === NODE_LEASES || body === null || body.length === 0) return;
  message.lease = leaseOf(body.read().bytes, body.contentType);
}

/** k8s.io/api, core/v1: NamespaceNodeLease. */
const NODE_LEASES = 'kube-node-lease';
