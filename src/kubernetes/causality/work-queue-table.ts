// Lists the work queues of controllers: which objects' keys they hold, what adds a key, and which requests end a turn. A further
// controller is a further row, with the file of Kubernetes that it is taken from.

export interface WorkQueue {
  /** Resource of the objects whose keys are queued; empty: any resource. */
  readonly resource: string;
  /** Kinds of requests that are the last of a turn, `update deployments/status`; empty: no request shows that a turn ends. */
  readonly last: readonly string[];
  /** A turn with this kind of request has two of the last kind. */
  readonly twiceAfter?: string;
  /** Kinds of requests that no turn begins with: where one comes after the last request, the turn goes on. */
  readonly follows?: readonly string[];
  /** Which failed writes the worker repeats within the turn: those that failed with 409 Conflict, or all. */
  readonly repeats?: 'conflicts' | 'failures';
  /** ms: the longest time that it waits before it repeats such a write; undefined: it does so at once. */
  readonly repeatsAfterMs?: number;
  /** ms: the time for which notifications are collected before they add the key; undefined: they add it at once. */
  readonly batchMs?: number;
  /** Kinds of requests that replace children that are deleted, have ended or were released (pkg/controller: IsPodActive). */
  readonly replaces?: readonly string[];
  /** A turn that creates or deletes children always goes on to its last request. */
  readonly isWhole?: boolean;
  /** Events of any object of this resource add every key, except for updates of its status. */
  readonly anyOf?: string;
  /** A resource that the controller itself writes: only events of deleted objects add keys. */
  readonly deletedOnly?: string;
  /** What else adds keys: deletions in the object's namespace, or events of the object's owners instead of its own. */
  readonly addedBy?: 'removals in the namespace' | 'owners';
  /** The client has several queues with the same keys, so that two workers may have one key at a time. */
  readonly isOneOfSeveral?: boolean;
}

/** By controller, as in its User-Agent. */
const QUEUES: ReadonlyMap<string, WorkQueue> = new Map(
  Object.entries({
    // pkg/controller/deployment: getNewReplicaSet writes the conditions, syncRolloutStatus the counts.
    'deployment-controller': {
      resource: 'deployments',
      last: ['update deployments/status'],
      twiceAfter: 'create replicasets',
    },
    // pkg/controller/replicaset: syncReplicaSet; updateReplicaSetStatus gets the object and tries again.
    'replicaset-controller': {
      resource: 'replicasets',
      replaces: ['create pods'],
      last: ['update replicasets/status'],
      repeats: 'conflicts',
      isWhole: true,
    },
    // pkg/controller/replication: a ReplicaSet controller behind an adapter.
    'replication-controller': {
      resource: 'replicationcontrollers',
      replaces: ['create pods'],
      last: ['update replicationcontrollers/status'],
      repeats: 'conflicts',
      isWhole: true,
    },
    // pkg/controller/statefulset: stateful_set_status_updater.go (RetryOnConflict; retry.DefaultRetry: 10 ms and a tenth of it at most).
    'statefulset-controller': {
      resource: 'statefulsets',
      last: ['update statefulsets/status'],
      repeats: 'conflicts',
      repeatsAfterMs: 11,
      isWhole: true,
    },
    // pkg/controller/daemon: addNode, updateNode; storeDaemonSetStatus.
    'daemon-set-controller': {
      anyOf: 'nodes',
      resource: 'daemonsets',
      replaces: ['create pods'],
      last: ['update daemonsets/status'],
      repeats: 'conflicts',
      isWhole: true,
    },
    // pkg/controller/job: trackJobStatusAndRemoveFinalizers writes the status before the finalizers and after; enqueueSyncJobBatched
    // (syncJobBatchPeriod).
    'job-controller': {
      resource: 'jobs',
      last: ['update jobs/status'],
      follows: ['patch pods'],
      isWhole: true,
      batchMs: 1000,
    },
    // pkg/controller/cronjob: syncCronJob.
    'cronjob-controller': { resource: 'cronjobs', last: ['update cronjobs/status'] },
    // pkg/controller/endpoint: syncService, onEndpointsDelete.
    'endpoint-controller': {
      resource: 'services',
      last: ['create endpoints', 'update endpoints', 'delete endpoints'],
      deletedOnly: 'endpoints',
    },
    // pkg/controller/endpointslice: syncService.
    'endpointslice-controller': {
      resource: 'services',
      last: ['create endpointslices', 'update endpointslices', 'delete endpointslices'],
      // A slice that the controller wrote itself is not stale (k8s.io/endpointslice/util: EndpointSliceTracker).
      deletedOnly: 'endpointslices',
    },
    // pkg/controller/disruption: trySync, updatePdbStatus.
    'disruption-controller': { resource: 'poddisruptionbudgets', last: ['update poddisruptionbudgets/status'] },
    // pkg/controller/clusterroleaggregation: enqueue, syncClusterRole.
    'clusterrole-aggregation-controller': {
      resource: 'clusterroles',
      last: ['patch clusterroles'],
      anyOf: 'clusterroles',
    },
    // pkg/controller/nodelifecycle: doNoScheduleTaintingPass; nodeipam/ipam: updateCIDRsAllocation (cidrUpdateRetries).
    'node-controller': { resource: 'nodes', last: ['patch nodes'], isOneOfSeveral: true, repeats: 'failures' },
    // pkg/controller/resourcequota: replenishQuota.
    'resourcequota-controller': {
      resource: 'resourcequotas',
      last: ['update resourcequotas/status'],
      addedBy: 'removals in the namespace',
    },
    // pkg/controller/namespace: syncNamespaceFromKey.
    'namespace-controller': { resource: 'namespaces', last: [] },
    // pkg/controller/ttl: updateNodeIfNeeded.
    'ttl-controller': { resource: 'nodes', last: ['patch nodes'] },
    // pkg/controller/garbagecollector: processGraphChanges, attemptToDeleteItem.
    'generic-garbage-collector': { resource: '', last: [], addedBy: 'owners' },
    // pkg/controller/volume/persistentvolume: claimWorker, volumeWorker.
    'persistent-volume-binder': { resource: '', last: [] },
  } satisfies Record<string, WorkQueue>),
);

export function workQueueOf(component: string): WorkQueue | undefined {
  return QUEUES.get(component);
}

/**
 * The controller that sends a request of a controller manager whose User-Agent was not captured: the only one that sends such requests.
 * @param kind `update deployments/status`. @param owner resource of the owner of the request's object; undefined: it has none.
 */
export function controllerSending(kind: string, owner: string | undefined): string | undefined {
  const senders = SENDERS.get(kind) ?? [];
  const [only, ...others] = senders.length > 1 ? senders.filter(({ resource }) => resource === owner) : senders;
  return others.length === 0 ? only?.controller : undefined;
}

interface Sender {
  readonly controller: string;
  readonly resource: string;
}

/** By kind of request. Controllers with keys of the same resource are left out: one client would have several turns for a key. */
const SENDERS: ReadonlyMap<string, readonly Sender[]> = sendersOf([...QUEUES]);

function sendersOf(rows: readonly (readonly [string, WorkQueue])[]): Map<string, Sender[]> {
  const senders = new Map<string, Sender[]>();
  for (const [controller, { resource, last, replaces = [] }] of rows) {
    if (resource === '' || rows.filter(([, other]) => other.resource === resource).length > 1) continue;
    for (const kind of [...last, ...replaces])
      senders.set(kind, [...(senders.get(kind) ?? []), { controller, resource }]);
  }
  return senders;
}

/** Resources of which the events of any object add every key of a queue. */
export const FOR_ALL_KEYS: ReadonlySet<string> = new Set([...QUEUES.values()].flatMap(({ anyOf }) => anyOf ?? []));
