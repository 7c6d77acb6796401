// Identifies the program of a connection by requests that only one component sends, where its User-Agent was before the capture.

import { objectText } from '../../api/object-ref.js';
import { leaseHolderOf } from '../../objects/object-facts.js';
import { componentNamed } from '../../participants/components.js';
import type { InferredRequest } from './inferred-request.js';
import { managedBy } from './managed-by.js';
import type { Carrying } from './shapes.js';

export interface Program {
  readonly component: string;
  /** The node it serves, where that is known too. */
  readonly node?: string;
  /** In words, for the evidence of a participant. */
  readonly why: string;
}

/** @param inferred what is known of a request. @returns null where its body does not identify its client. */
export function programByRequest(inferred: InferredRequest, body: Carrying): Program | null {
  const { carried } = body;
  if (carried === null || (inferred.verb !== 'create' && inferred.verb !== 'update')) return null;
  const { info, k8sEvent } = carried;
  if (k8sEvent !== undefined) return inferred.verb === 'create' ? programByReport(k8sEvent.component) : null;
  if (info.kind !== 'Lease' || info.name === undefined) return null;
  const holder = leaseHolderOf(body.bytes, body.contentType);
  if (holder === undefined) return null;
  const why = `concluded from the ${objectText('Lease', info.namespace, info.name)} that it ${inferred.verb}s`;
  if (info.namespace === 'kube-node-lease') {
    return holder === info.name ? { component: 'kubelet', node: info.name, why } : null;
  }
  if (info.namespace !== 'kube-system') return null;
  // Leader election locks on a Lease of the component's name; the API server's identity Lease begins with its own.
  if (LEADERS.has(info.name)) return { component: info.name, why };
  return IDENTITY_LEASE.test(info.name) ? { component: 'kube-apiserver', why } : null;
}

/** @param answer of a write that is known to have changed the object. @param at ns, of the response. */
export function programByAnswer(answer: Carrying, at: bigint): Program | null {
  const write = managedBy(answer, at);
  if (write === null) return null;
  const component = /^kubectl(?:-|$)/.test(write.manager) ? 'kubectl' : write.manager;
  if (componentNamed(component) === undefined || write.manager === 'curl') return null;
  return { component, why: `concluded from the field manager ${write.manager} of what it wrote` };
}

function programByReport(reporter: string): Program | null {
  const component = REPORTERS.get(reporter);
  return component === undefined ? null : { component, why: `concluded from the Event that it reports as ${reporter}` };
}

/** Event reporters that are a component's own default name (staging/src/k8s.io/api/core/v1: DefaultSchedulerName). */
const REPORTERS: ReadonlyMap<string, string> = new Map([
  ['default-scheduler', 'kube-scheduler'],
  ['kubelet', 'kubelet'],
]);
const LEADERS = new Set(['kube-controller-manager', 'kube-scheduler', 'cloud-controller-manager']);
/** pkg/controlplane/apiserver: `apiserver-` and a base32 hash of the host's name. */
const IDENTITY_LEASE = /^apiserver-[a-z2-7]{26}$/;
