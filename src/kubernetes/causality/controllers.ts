// Lists which notifications trigger which controller: a shared informer serves all controllers of the controller manager, and each
// reacts to its own kinds alone. Sources: event handlers in pkg/controller, pkg/scheduler and cert-manager.

import type { RequestInfo } from '../api/request-info.js';
import type { K8sEventInfo } from '../objects/object-info.js';

export interface ControllerProfile {
  /** Resources whose events trigger it; null: all. */
  readonly resources: ReadonlySet<string> | null;
  /** Its own writes trigger it too: the garbage collector goes on when the owner that it deleted is gone. */
  readonly reactsToOwnWrites: boolean;
  /** Events of objects that it created trigger it: these are in another queue than the object they were created for. */
  readonly reactsToCreatedObjects?: boolean;
  /** By verb and resource (`patch secrets`): a resource whose objects, of the same owner, trigger the request. */
  readonly siblingTriggers?: ReadonlyMap<string, string>;
  /** It also acts on other objects or on the clock: an event that it has acted on does not trigger it again. */
  readonly edgeTriggered: boolean;
  /** An event of its own write is never its trigger, also where no other event is known. */
  readonly ignoresOwnWrites?: boolean;
}

export function profileOf(component: string): ControllerProfile {
  return ROWS.get(component) ?? (component === 'kubelet' ? KUBELET : ANYTHING);
}

/** What triggers a program: deliveries alone; loops of its own, as those of an API server; or, as of an operator, also what is not known. */
export type Triggers = 'deliveries' | 'own loops' | 'unknown';

export function triggersOf(component: string): Triggers {
  if (component === 'kube-apiserver') return 'own loops';
  return profileOf(component) === ANYTHING ? 'unknown' : 'deliveries';
}

/** Whether a controller acts in a namespace for the Namespace object. */
export function actsForNamespace(component: string): boolean {
  return FOR_NAMESPACES.has(component);
}

/**
 * Requests that no event triggers. By the clock: leader election and heartbeats (client-go tools/leaderelection,
 * component-helpers apimachinery/lease; controllers write Leases of others), a kubelet's own node
 * (pkg/kubelet/kubelet_node_status.go), the API server's own endpoints (pkg/controlplane/controller/kubernetesservice). While
 * another request is served: what the API server counts against quotas and gives out (plugin/resourcequota, ipallocator). Before
 * the first request of a controller: its token (k8s.io/controller-manager, pkg/clientbuilder). Of another object: nodes that
 * are silent or new, and the Pods on them (pkg/controller/nodelifecycle: monitorNodeHealth; tainteviction), Pods that have to
 * go for one that the scheduler has in hand (pkg/scheduler/framework/preemption).
 * @param k8sEvent what the request reports, if it makes an Event.
 */
export function hasNoTrigger(
  component: string,
  { resource, subresource, verb }: Partial<Pick<RequestInfo, 'resource' | 'subresource' | 'verb'>>,
  k8sEvent?: K8sEventInfo,
): boolean {
  if (resource === 'leases') return LOOKS_AT_LEASES.has(component) || !ROWS.has(component);
  if (component === 'kubelet') return OWN_NODE.has(resource ?? '');
  if (component === 'node-controller')
    return k8sEvent === undefined
      ? subresource === 'status' && verb === 'update'
      : k8sEvent.reason !== 'RemovingNode' && k8sEvent.reason !== 'TaintManagerEviction';
  if (component === 'kube-scheduler')
    return k8sEvent?.reason === 'Preempted' || (resource === 'pods' && verb === 'delete');
  if (component === 'kube-controller-manager') return resource === 'serviceaccounts';
  if (component !== 'kube-apiserver') return false;
  return !API_SERVER_QUEUES.has(resource ?? '');
}

const LOOKS_AT_LEASES = new Set(['kube-scheduler', 'node-controller']);
const OWN_NODE = new Set(['nodes', 'csinodes']);
/** An API server's own work queues; its other loops run by the clock, when it starts, and while it serves a request. */
const API_SERVER_QUEUES = new Set([
  // pkg/controlplane/apiserver: priority_and_fairness_config_queue.
  'flowschemas',
  'prioritylevelconfigurations',
  // kube-aggregator/pkg/controllers/status; apiextensions-apiserver/pkg/controller.
  'apiservices',
  'customresourcedefinitions',
  // k8s.io/apiserver, admission/plugin/policy: status of policies' type checks.
  'validatingadmissionpolicies',
]);
const ANYTHING: ControllerProfile = {
  resources: null,
  reactsToOwnWrites: false,
  edgeTriggered: false,
};

/**
 * Its own status is no news to it. Another program's status, as a condition for a readiness gate, starts a worker (pkg/kubelet:
 * HandlePodReconcile, NeedToReconcilePodReadiness).
 */
const KUBELET: ControllerProfile = { ...ANYTHING, ignoresOwnWrites: true };

/** pkg/controller/namespace, serviceaccount, certificates/rootcacertpublisher. */
const FOR_NAMESPACES = new Set(['namespace-controller', 'service-account-controller', 'root-ca-cert-publisher']);

/** The Secret of a Certificate, once its request is signed (cert-manager, pkg/controller/certificates/issuing). */
const SIBLINGS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['cert-manager-certificates-issuing', new Map([['patch secrets', 'certificaterequests']])],
]);

/**
 * One name for several controllers: the approver of a request triggers its signer (pkg/controller/certificates); the node monitor
 * triggers the controller that taints nodes (pkg/controller/nodelifecycle).
 */
const SEVERAL: ReadonlySet<string> = new Set(['certificate-controller', 'node-controller']);

/** A claim has a volume provisioned, and is bound once that exists (pkg/controller/volume/persistentvolume: syncVolume). */
const TO_MADE: ReadonlySet<string> = new Set(['persistent-volume-binder']);

/**
 * cert-manager, pkg/controller: the same calls. Of a Certificate's Secrets, the keys that it owns until a request is signed wake
 * not all of those whom the one that it is for does.
 */
const CERT_MANAGER = {
  'cert-manager-certificaterequests-approver': ['certificaterequests'],
  'cert-manager-certificaterequests-issuer-acme': ['certificaterequests', 'issuers', 'clusterissuers', 'orders'],
  'cert-manager-certificaterequests-issuer-ca': ['certificaterequests', 'issuers', 'clusterissuers'],
  'cert-manager-certificaterequests-issuer-selfsigned': ['certificaterequests', 'issuers', 'clusterissuers', 'secrets'],
  'cert-manager-certificaterequests-issuer-vault': ['certificaterequests', 'issuers', 'clusterissuers'],
  'cert-manager-certificaterequests-issuer-venafi': ['certificaterequests', 'issuers', 'clusterissuers'],
  'cert-manager-certificates-issuing': ['certificates', 'certificaterequests', 'secrets'],
  'cert-manager-certificates-key-manager': ['certificates', 'secrets'],
  'cert-manager-certificates-readiness': ['certificates', 'certificaterequests', 'secrets'],
  'cert-manager-certificates-request-manager': ['certificates', 'certificaterequests', 'secrets'],
  'cert-manager-certificates-revision-manager': ['certificates', 'certificaterequests'],
  'cert-manager-certificates-trigger': ['certificates', 'certificaterequests', 'secrets'],
  'cert-manager-clusterissuers': ['clusterissuers', 'secrets'],
  'cert-manager-issuers': ['issuers', 'secrets'],
};

/** It acts on metrics as well (pkg/controller/podautoscaler). */
const ONCE: ReadonlySet<string> = new Set(['horizontal-pod-autoscaler']);

/**
 * pkg/controller and pkg/scheduler/eventhandlers.go, the AddEventHandler calls of each; the deployment controller's Pods
 * matter to `Recreate` alone. Controllers without a handler poll. The garbage collector watches all resources.
 */
const ROWS: ReadonlyMap<string, ControllerProfile> = new Map(
  Object.entries({
    'attachdetach-controller': ['pods', 'nodes', 'persistentvolumeclaims', 'volumeattachments'],
    'bootstrap-signer': ['configmaps', 'secrets'],
    ...CERT_MANAGER,
    'certificate-controller': ['certificatesigningrequests'],
    'cloud-node-controller': ['nodes'],
    'clusterrole-aggregation-controller': ['clusterroles'],
    'cronjob-controller': ['cronjobs', 'jobs'],
    'daemon-set-controller': ['daemonsets', 'pods', 'nodes', 'controllerrevisions'],
    'deployment-controller': ['deployments', 'replicasets'],
    'device-taint-eviction-controller': [
      'resourceclaims',
      'pods',
      'resourceslices',
      'devicetaintrules',
      'deviceclasses',
    ],
    'disruption-controller': ['pods', 'poddisruptionbudgets'],
    'endpoint-controller': ['services', 'pods', 'endpoints'],
    'endpointslice-controller': ['services', 'pods', 'nodes', 'endpointslices'],
    'endpointslicemirroring-controller': ['endpoints', 'endpointslices', 'services'],
    'ephemeral-volume-controller': ['pods', 'persistentvolumeclaims'],
    'expand-controller': ['persistentvolumeclaims'],
    'horizontal-pod-autoscaler': ['horizontalpodautoscalers'],
    'job-controller': ['jobs', 'pods'],
    'kube-apiserver-serving-clustertrustbundle-publisher': ['clustertrustbundles'],
    'kube-scheduler': [
      ...['pods', 'nodes', 'csinodes', 'csidrivers', 'csistoragecapacities', 'volumeattachments', 'storageclasses'],
      ...['persistentvolumes', 'persistentvolumeclaims', 'resourceclaims', 'resourceslices', 'deviceclasses'],
    ],
    'legacy-service-account-token-cleaner': [],
    'namespace-controller': ['namespaces'],
    'node-controller': ['nodes', 'pods'],
    'persistent-volume-binder': ['persistentvolumes', 'persistentvolumeclaims'],
    'pod-garbage-collector': [],
    'pv-protection-controller': ['persistentvolumes'],
    'pvc-protection-controller': ['persistentvolumeclaims', 'pods'],
    'replicaset-controller': ['replicasets', 'pods'],
    'replication-controller': ['replicationcontrollers', 'pods'],
    'resource-claim-controller': ['pods', 'resourceclaims', 'resourceclaimtemplates'],
    'resourcequota-controller': ['resourcequotas'],
    'root-ca-cert-publisher': ['configmaps', 'namespaces'],
    'route-controller': ['nodes'],
    'sealed-secrets-controller': ['sealedsecrets', 'secrets'],
    'service-account-controller': ['serviceaccounts', 'namespaces'],
    'service-cidrs-controller': ['servicecidrs', 'ipaddresses'],
    'service-controller': ['services', 'nodes'],
    'statefulset-controller': ['statefulsets', 'pods'],
    'storage-version-garbage-collector': ['leases', 'storageversions'],
    'token-cleaner': ['secrets'],
    'tokens-controller': ['serviceaccounts', 'secrets'],
    'ttl-after-finished-controller': ['jobs'],
    'ttl-controller': ['nodes'],
    'validatingadmissionpolicy-status-controller': ['validatingadmissionpolicies'],
    'volumeattributesclass-protection-controller': [
      'volumeattributesclasses',
      'persistentvolumeclaims',
      'persistentvolumes',
    ],
  }).map(([name, resources]): [string, ControllerProfile] => [
    name,
    {
      resources: new Set(resources),
      reactsToOwnWrites: SEVERAL.has(name),
      siblingTriggers: SIBLINGS.get(name),
      reactsToCreatedObjects: TO_MADE.has(name),
      edgeTriggered: ONCE.has(name),
    },
  ]),
).set('generic-garbage-collector', {
  ...ANYTHING,
  reactsToOwnWrites: true,
});

/** Names of the controllers that have a row, as in their User-Agents. */
export const LISTENING_CONTROLLERS: readonly string[] = [...ROWS.keys()];
