// Lists the controllers: which resources' events wake each, which objects' keys its work queue holds, and which requests end a turn.
// A further controller is a further row, with the file that it is taken from.

import { dictionary } from '../../core/collections/dictionary.js';

/** How a controller works through its queue. */
export interface WorkQueue {
  /** Resource of the objects whose keys are queued; empty: any resource. */
  readonly resource: string;
  /** What its turns are about is learnt from events and answers. No cause is certain without `isTold`. */
  readonly isLearnt?: boolean;
  /** A user's row says which events wake it: a cause is certain where one event alone is possible. */
  readonly isTold?: boolean;
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
  /**
   * Where its turns end is not known: a request follows from the newest notification, of its own writes only where there is no other.
   * Later requests follow from the same one.
   */
  readonly takesNewest?: boolean;
  /** An event of its own write is never its trigger, also where no other event is known. */
  readonly ignoresOwnWrites?: boolean;
  /** Timers and what is not captured wake it as well. */
  readonly hasTimers?: boolean;
  /** Its Kubernetes Events are of its last turn, though where turns end is not known. */
  readonly reportsInTurn?: boolean;
  /** The client has several queues with the same keys, so that two workers may have one key at a time. */
  readonly isOneOfSeveral?: boolean;
}

/** What else tells the deliveries that wake a controller. */
export interface Wakes {
  /** Its own writes wake it too: the garbage collector goes on when the owner that it deleted is gone. */
  readonly reactsToOwnWrites?: boolean;
}

/** Resources that wake it (`*`: all; empty: it polls), the source, its queue where it is modelled. */
type ControllerRow = readonly [wakesOn: string, source: string, queue?: WorkQueue, wakes?: Wakes];

const OWN: Wakes = { reactsToOwnWrites: true };
/** The queue of a client that has no other: its keys are the objects themselves. */
export const OWN_KEYS: WorkQueue = { resource: '', last: [], takesNewest: true };
/** Of a client whose keys and ends of turns are not known: timers, metrics or other programs make it work as well. */
export const LEARNT_QUEUE: WorkQueue = { resource: '', last: [], isLearnt: true };

/** The queue of a controller that keeps Pods: it replaces those that are gone, and writes the status last. */
const ofReplicas = (resource: string): WorkQueue => ({
  resource,
  replaces: ['create pods'],
  last: [`update ${resource}/status`],
  repeats: 'conflicts',
  isWhole: true,
});

/** By name, as in User-Agents. Sources: the AddEventHandler calls and the sync function of each. */
export const CONTROLLER_ROWS: Readonly<Record<string, ControllerRow>> = dictionary({
  'attachdetach-controller': [
    'pods nodes persistentvolumeclaims volumeattachments',
    'pkg/controller/volume/attachdetach: NewAttachDetachController',
  ],
  'bootstrap-signer': ['configmaps secrets', 'pkg/controller/bootstrap: NewSigner'],
  'cert-manager-certificaterequests-approver': [
    'certificaterequests',
    'cert-manager pkg/controller/certificaterequests/approver',
  ],
  'cert-manager-certificaterequests-issuer-acme': [
    'certificaterequests issuers clusterissuers orders',
    'cert-manager pkg/controller/certificaterequests/acme',
  ],
  'cert-manager-certificaterequests-issuer-ca': [
    'certificaterequests issuers clusterissuers',
    'cert-manager pkg/controller/certificaterequests/ca',
  ],
  'cert-manager-certificaterequests-issuer-selfsigned': [
    'certificaterequests issuers clusterissuers secrets',
    'cert-manager pkg/controller/certificaterequests/selfsigned',
  ],
  'cert-manager-certificaterequests-issuer-vault': [
    'certificaterequests issuers clusterissuers',
    'cert-manager pkg/controller/certificaterequests/vault',
  ],
  'cert-manager-certificaterequests-issuer-venafi': [
    'certificaterequests issuers clusterissuers',
    'cert-manager pkg/controller/certificaterequests/venafi',
  ],
  // Its Secret is written once its request is signed.
  'cert-manager-certificates-issuing': [
    'certificates certificaterequests secrets',
    'cert-manager pkg/controller/certificates/issuing',
    LEARNT_QUEUE,
  ],
  'cert-manager-certificates-key-manager': [
    'certificates secrets',
    'cert-manager pkg/controller/certificates/keymanager',
  ],
  'cert-manager-certificates-readiness': [
    'certificates certificaterequests secrets',
    'cert-manager pkg/controller/certificates/readiness',
  ],
  'cert-manager-certificates-request-manager': [
    'certificates certificaterequests secrets',
    'cert-manager pkg/controller/certificates/requestmanager',
  ],
  'cert-manager-certificates-revision-manager': [
    'certificates certificaterequests',
    'cert-manager pkg/controller/certificates/revisionmanager',
  ],
  'cert-manager-certificates-trigger': [
    'certificates certificaterequests secrets',
    'cert-manager pkg/controller/certificates/trigger',
  ],
  'cert-manager-clusterissuers': ['clusterissuers secrets', 'cert-manager pkg/controller/clusterissuers'],
  'cert-manager-issuers': ['issuers secrets', 'cert-manager pkg/controller/issuers'],
  // One name for several controllers: the approver of a request wakes its signer.
  'certificate-controller': ['certificatesigningrequests', 'pkg/controller/certificates', OWN_KEYS, OWN],
  'cloud-node-controller': ['nodes', 'k8s.io/cloud-provider/controllers/node'],
  'clusterrole-aggregation-controller': [
    'clusterroles',
    'pkg/controller/clusterroleaggregation: enqueue, syncClusterRole',
    { resource: 'clusterroles', last: ['patch clusterroles'], anyOf: 'clusterroles' },
  ],
  'cronjob-controller': [
    'cronjobs jobs',
    'pkg/controller/cronjob: syncCronJob',
    { resource: 'cronjobs', last: ['update cronjobs/status'] },
  ],
  'daemon-set-controller': [
    'daemonsets pods nodes controllerrevisions',
    'pkg/controller/daemon: addNode, updateNode, storeDaemonSetStatus',
    { ...ofReplicas('daemonsets'), anyOf: 'nodes' },
  ],
  // getNewReplicaSet writes the conditions, syncRolloutStatus the counts. Its Pods matter to Recreate alone.
  'deployment-controller': [
    'deployments replicasets',
    'pkg/controller/deployment: getNewReplicaSet, syncRolloutStatus',
    { resource: 'deployments', last: ['update deployments/status'], twiceAfter: 'create replicasets' },
  ],
  'device-taint-eviction-controller': [
    'resourceclaims pods resourceslices devicetaintrules deviceclasses',
    'pkg/controller/devicetainteviction',
  ],
  'disruption-controller': [
    'pods poddisruptionbudgets',
    'pkg/controller/disruption: trySync, updatePdbStatus',
    { resource: 'poddisruptionbudgets', last: ['update poddisruptionbudgets/status'] },
  ],
  'endpoint-controller': [
    'services pods endpoints',
    'pkg/controller/endpoint: syncService, onEndpointsDelete',
    {
      resource: 'services',
      last: ['create endpoints', 'update endpoints', 'delete endpoints'],
      deletedOnly: 'endpoints',
    },
  ],
  // A slice that the controller wrote itself is not stale (k8s.io/endpointslice/util: EndpointSliceTracker).
  'endpointslice-controller': [
    'services pods nodes endpointslices',
    'pkg/controller/endpointslice: syncService',
    {
      resource: 'services',
      last: ['create endpointslices', 'update endpointslices', 'delete endpointslices'],
      deletedOnly: 'endpointslices',
    },
  ],
  'endpointslicemirroring-controller': ['endpoints endpointslices services', 'pkg/controller/endpointslicemirroring'],
  'ephemeral-volume-controller': ['pods persistentvolumeclaims', 'pkg/controller/volume/ephemeral'],
  'expand-controller': ['persistentvolumeclaims', 'pkg/controller/volume/expand'],
  'generic-garbage-collector': [
    '*',
    'pkg/controller/garbagecollector: processGraphChanges, attemptToDeleteItem',
    { resource: '', last: [], addedBy: 'owners' },
    OWN,
  ],
  // It acts on metrics as well.
  'horizontal-pod-autoscaler': ['horizontalpodautoscalers', 'pkg/controller/podautoscaler', LEARNT_QUEUE],
  // trackJobStatusAndRemoveFinalizers writes the status before the finalizers and after.
  'job-controller': [
    'jobs pods',
    'pkg/controller/job: trackJobStatusAndRemoveFinalizers, enqueueSyncJobBatched (syncJobBatchPeriod)',
    { resource: 'jobs', last: ['update jobs/status'], follows: ['patch pods'], isWhole: true, batchMs: 1000 },
  ],
  'kube-apiserver': [
    'flowschemas prioritylevelconfigurations apiservices customresourcedefinitions validatingadmissionpolicies',
    'its own work queues: k8s.io/apiserver pkg/util/flowcontrol, admission/plugin/policy; kube-aggregator pkg/controllers/status; apiextensions-apiserver pkg/controller',
    { ...OWN_KEYS, isOneOfSeveral: true },
    OWN,
  ],
  'kube-apiserver-serving-clustertrustbundle-publisher': [
    'clustertrustbundles',
    'pkg/controller/certificates/clustertrustbundlepublisher',
  ],
  'kube-scheduler': [
    'pods nodes csinodes csidrivers csistoragecapacities volumeattachments storageclasses persistentvolumes ' +
      'persistentvolumeclaims resourceclaims resourceslices deviceclasses',
    'pkg/scheduler/eventhandlers.go: addAllEventHandlers',
    { ...OWN_KEYS, reportsInTurn: true },
  ],
  'legacy-service-account-token-cleaner': ['', 'pkg/controller/serviceaccount: evaluateSATokens'],
  'namespace-controller': [
    'namespaces',
    'pkg/controller/namespace: syncNamespaceFromKey',
    { resource: 'namespaces', last: [] },
  ],
  // One name for several controllers: the node monitor wakes the controller that taints nodes.
  'node-controller': [
    'nodes pods',
    'pkg/controller/nodelifecycle: doNoScheduleTaintingPass; nodeipam/ipam: updateCIDRsAllocation (cidrUpdateRetries)',
    { resource: 'nodes', last: ['patch nodes'], isOneOfSeveral: true, repeats: 'failures' },
    OWN,
  ],
  // A claim has a volume provisioned, and is bound once that exists.
  'persistent-volume-binder': [
    'persistentvolumes persistentvolumeclaims',
    'pkg/controller/volume/persistentvolume: claimWorker, volumeWorker, syncVolume',
    { resource: '', last: [] },
  ],
  'pod-garbage-collector': ['', 'pkg/controller/podgc: gc'],
  'pv-protection-controller': ['persistentvolumes', 'pkg/controller/volume/pvprotection'],
  'pvc-protection-controller': ['persistentvolumeclaims pods', 'pkg/controller/volume/pvcprotection'],
  // updateReplicaSetStatus gets the object and tries again.
  'replicaset-controller': [
    'replicasets pods',
    'pkg/controller/replicaset: syncReplicaSet, updateReplicaSetStatus',
    ofReplicas('replicasets'),
  ],
  'replication-controller': [
    'replicationcontrollers pods',
    'pkg/controller/replication: a ReplicaSet controller behind an adapter',
    ofReplicas('replicationcontrollers'),
  ],
  'resource-claim-controller': ['pods resourceclaims resourceclaimtemplates', 'pkg/controller/resourceclaim'],
  'resourcequota-controller': [
    'resourcequotas',
    'pkg/controller/resourcequota: replenishQuota',
    {
      resource: 'resourcequotas',
      last: ['update resourcequotas/status'],
      addedBy: 'removals in the namespace',
    },
  ],
  'root-ca-cert-publisher': ['configmaps namespaces', 'pkg/controller/certificates/rootcacertpublisher'],
  'route-controller': ['nodes', 'k8s.io/cloud-provider/controllers/route'],
  'sealed-secrets-controller': ['sealedsecrets secrets', 'sealed-secrets pkg/controller'],
  'selinux-warning-controller': [
    'pods persistentvolumeclaims persistentvolumes csidrivers',
    'pkg/controller/volume/selinuxwarning: NewController',
  ],
  'service-account-controller': ['serviceaccounts namespaces', 'pkg/controller/serviceaccount: syncNamespace'],
  'service-cidrs-controller': ['servicecidrs ipaddresses', 'pkg/controller/servicecidrs'],
  'service-controller': ['services nodes', 'k8s.io/cloud-provider/controllers/service'],
  // RetryOnConflict; retry.DefaultRetry waits 10 ms and a tenth of it at most.
  'statefulset-controller': [
    'statefulsets pods',
    'pkg/controller/statefulset: stateful_set_status_updater.go',
    {
      resource: 'statefulsets',
      last: ['update statefulsets/status'],
      repeats: 'conflicts',
      repeatsAfterMs: 11,
      isWhole: true,
    },
  ],
  'storage-version-garbage-collector': ['leases storageversions', 'pkg/controller/storageversiongc'],
  'token-cleaner': ['secrets', 'pkg/controller/bootstrap: NewTokenCleaner'],
  'tokens-controller': ['serviceaccounts secrets', 'pkg/controller/serviceaccount: TokensController'],
  'ttl-after-finished-controller': ['jobs', 'pkg/controller/ttlafterfinished'],
  'ttl-controller': ['nodes', 'pkg/controller/ttl: updateNodeIfNeeded', { resource: 'nodes', last: ['patch nodes'] }],
  'validatingadmissionpolicy-status-controller': [
    'validatingadmissionpolicies',
    'pkg/controller/validatingadmissionpolicystatus',
  ],
  'volumeattributesclass-protection-controller': [
    'volumeattributesclasses persistentvolumeclaims persistentvolumes',
    'pkg/controller/volume/vacprotection',
  ],
} satisfies Record<string, ControllerRow>);
