// Lists the annotations whose values are shown, each with its grammar; of all others only the key is shown.

import type { FieldRow, ShowRule } from './rows.js';

/** @returns the row of an annotation; UNLISTED if its value is not shown. */
export function annotationRow(key: string): FieldRow {
  return BY_KEY.get(key) ?? UNLISTED;
}

/** From kubernetes.io/docs/reference/labels-annotations-taints, and the documentation of the tools that the keys name. */
const LISTED: readonly (readonly [showing: ShowRule, reason: string, keys: string])[] = [
  [
    'number',
    'a count that a controller keeps',
    `deployment.kubernetes.io/revision deployment.kubernetes.io/desired-replicas deployment.kubernetes.io/max-replicas
    deprecated.daemonset.template.generation controller.kubernetes.io/pod-deletion-cost
    batch.kubernetes.io/job-completion-index batch.kubernetes.io/job-index-failure-count node.alpha.kubernetes.io/ttl
    io.kubernetes.container.restartCount io.kubernetes.container.terminationGracePeriod
    io.kubernetes.pod.terminationGracePeriod prometheus.io/port`,
  ],
  ['numbers', 'revisions that a controller keeps', 'deployment.kubernetes.io/revision-history'],
  [
    'boolean',
    'yes or no: a setting or a state',
    `storageclass.kubernetes.io/is-default-class storageclass.beta.kubernetes.io/is-default-class
    ingressclass.kubernetes.io/is-default-class pv.kubernetes.io/bind-completed pv.kubernetes.io/bound-by-controller
    volumes.kubernetes.io/controller-managed-attach-detach rbac.authorization.kubernetes.io/autoupdate
    apf.kubernetes.io/autoupdate-spec cluster-autoscaler.kubernetes.io/safe-to-evict
    k8s.io/initial-events-end service.alpha.kubernetes.io/tolerate-unready-endpoints prometheus.io/scrape sidecar.istio.io/inject
    kubernetes.io/enforce-mountable-secrets karpenter.sh/do-not-disrupt karpenter.sh/nodeclaim-min-values-relaxed cert-manager.io/issue-temporary-certificate`,
  ],
  [
    'time',
    'when something was done',
    `kubectl.kubernetes.io/restartedAt kubernetes.io/config.seen endpoints.kubernetes.io/last-change-trigger-time
    batch.kubernetes.io/cronjob-scheduled-timestamp kubernetes.io/legacy-token-last-used`,
  ],
  [
    'uid',
    'a hash of the specification that an object was made from, or its version',
    `kubernetes.io/config.hash kubernetes.io/config.mirror io.kubernetes.container.hash karpenter.sh/nodepool-hash
    karpenter.sh/nodepool-hash-version`,
  ],
  [
    'name',
    'a name of an object or a component',
    `kubernetes.io/config.source kubectl.kubernetes.io/default-container kubernetes.io/ingress.class
    kubernetes.io/service-account.name kubernetes.io/service-account.uid pv.kubernetes.io/provisioned-by
    pv.kubernetes.io/migrated-to volume.kubernetes.io/storage-provisioner volume.beta.kubernetes.io/storage-provisioner
    resource.kubernetes.io/pod-claim-name kubernetes.io/createdby volume.kubernetes.io/selected-node csi.alpha.kubernetes.io/node-id volume.kubernetes.io/provisioner-deletion-secret-name
    volume.kubernetes.io/provisioner-deletion-secret-namespace meta.helm.sh/release-name meta.helm.sh/release-namespace
    controller-gen.kubebuilder.io/version cert-manager.io/certificate-name cert-manager.io/issuer-name
    cert-manager.io/issuer-kind cert-manager.io/issuer-group cert-manager.io/inject-ca-from cert-manager.io/cluster-issuer
    cert-manager.io/certificate-revision cert-manager.io/private-key-secret-name argocd.argoproj.io/tracking-id
    argocd.argoproj.io/sync-wave io.kubernetes.cri-o.ContainerType io.kubernetes.cri.container-type
    io.kubernetes.cri.sandbox-id io.kubernetes.cri.sandbox-name io.kubernetes.cri.sandbox-namespace
    io.kubernetes.cri.container-name`,
  ],
  [
    'word',
    'an enumerated value',
    `batch.kubernetes.io/job-tracking scheduler.alpha.kubernetes.io/critical-pod helm.sh/hook helm.sh/hook-weight
    helm.sh/hook-delete-policy argocd.argoproj.io/hook argocd.argoproj.io/refresh
    io.kubernetes.container.terminationMessagePolicy service.kubernetes.io/topology-mode pod-security.kubernetes.io/enforce
    pod-security.kubernetes.io/audit pod-security.kubernetes.io/warn`,
  ],
  ['word', 'when the user requested a reconciliation, or another token', 'reconcile.fluxcd.io/requestedAt'],
  [
    'path',
    'where in a file system',
    `kubeadm.alpha.kubernetes.io/cri-socket io.kubernetes.container.terminationMessagePath prometheus.io/path
    container.apparmor.security.beta.kubernetes.io/pod`,
  ],
  [
    'endpoint',
    'where a server is',
    `kubeadm.kubernetes.io/etcd.advertise-client-urls kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint
    kubernetes.io/peer-advertise-address`,
  ],
  ['endpoint', 'URL of the pull request that approved an API', 'api-approved.kubernetes.io'],
  ['image', 'a reference of an image', 'io.kubernetes.cri.image-name'],
  ['text', "what an admission plugin did, in the plugin's words", 'kubernetes.io/limit-ranger'],
];

export const ANNOTATION_ROWS: readonly FieldRow[] = LISTED.flatMap(([showing, reason, keys]) =>
  keys.split(/\s+/).map((key): FieldRow => ({ field: `annotations[${key}]`, showing, reason })),
);

/**
 * All other annotations: they may hold whole objects in JSON (`kubectl.kubernetes.io/last-applied-configuration`), records, compressed
 * documents, prose.
 */
export const UNLISTED: FieldRow = {
  field: 'annotations[*]',
  showing: 'none',
  reason: 'any client may write anything there',
};

const BY_KEY = new Map(ANNOTATION_ROWS.map((row) => [row.field.slice('annotations['.length, -1), row]));
