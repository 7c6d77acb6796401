// Lists the requests that no watch event triggers, with the reason and its source: a further condition is a further row.

import type { RequestInfo } from '../api/request-info.js';
import type { K8sEventInfo } from '../objects/object-info.js';
import { PROFILES, profileOf } from './controllers.js';

/** What is known of a request. Left out: it is not so, or does not matter. */
export interface RequestFacts {
  readonly component: string;
  readonly info: Partial<Pick<RequestInfo, 'resource' | 'subresource' | 'verb'>>;
  readonly k8sEvent: K8sEventInfo | undefined;
  readonly isPerson?: boolean;
  readonly isProxy?: boolean;
  readonly isShared?: boolean;
  readonly isNameless?: boolean;
  readonly isPreempted?: boolean;
}

interface UntriggeredRow {
  when(request: RequestFacts): boolean | undefined;
  readonly why: string;
  /** A file of Kubernetes, or what else shows it. */
  readonly source: string;
}

export const UNTRIGGERED: readonly UntriggeredRow[] = [
  { when: ({ isPerson }) => isPerson, why: 'a person sent it', source: 'User-Agent' },
  { when: ({ isProxy }) => isProxy, why: 'a proxy sends what its clients request', source: 'RFC 9110, section 3.7' },
  { when: ({ isShared }) => isShared, why: 'several programs send over its connection', source: 'connection' },
  { when: ({ isNameless }) => isNameless, why: 'it does not tell its object', source: 'request' },
  {
    when: ({ info, component }) =>
      info.resource === 'leases' && (POLLS_LEASES.has(component) || !PROFILES.has(component)),
    why: 'leader election and heartbeats run by the clock',
    source: 'client-go/tools/leaderelection, component-helpers/apimachinery/lease',
  },
  {
    when: ({ info: { resource = '' }, component }) =>
      component === 'kube-apiserver' && profileOf(component).resources?.has(resource) === false,
    why: 'an API server does this by itself, when it starts, by the clock or while it answers another request',
    source: 'pkg/controlplane/controller/kubernetesservice, plugin/resourcequota, ipallocator',
  },
  {
    when: ({ info, component }) => component === 'kubelet' && OWN_NODE.has(info.resource ?? ''),
    why: 'a kubelet reports its own node by the clock',
    source: 'pkg/kubelet/kubelet_node_status.go',
  },
  {
    when: ({ info: { subresource, verb }, component, k8sEvent }) =>
      component === 'node-controller' &&
      (k8sEvent === undefined ? subresource === 'status' && verb === 'update' : !OF_EVENTS.has(k8sEvent.reason)),
    why: 'the node monitor runs by the clock',
    source: 'pkg/controller/nodelifecycle: monitorNodeHealth; tainteviction',
  },
  {
    when: ({ info: { resource, verb }, component, k8sEvent, isPreempted }) =>
      component === 'kube-scheduler' &&
      (isPreempted || k8sEvent?.reason === 'Preempted' || (resource === 'pods' && verb === 'delete')),
    why: 'a Pod has to go for one that the scheduler has in hand',
    source: 'pkg/scheduler/framework/preemption',
  },
  {
    when: ({ info, component }) => component === 'kube-controller-manager' && info.resource === 'serviceaccounts',
    why: 'a controller gets its token before its first request',
    source: 'k8s.io/controller-manager, pkg/clientbuilder',
  },
];

/** Why no event triggers a request; undefined: one may. */
export function untriggeredBy(request: RequestFacts): UntriggeredRow | undefined {
  for (const row of UNTRIGGERED) if (row.when(request) === true) return row;
  return undefined;
}

/** Programs with a row that send requests about Leases by the clock. */
const POLLS_LEASES: ReadonlySet<string> = new Set(['kube-scheduler', 'node-controller', 'kube-apiserver']);
const OWN_NODE: ReadonlySet<string> = new Set(['nodes', 'csinodes']);
/** Reasons of a node controller's Events about what an event told it. */
const OF_EVENTS: ReadonlySet<string> = new Set(['RemovingNode', 'TaintManagerEviction']);
