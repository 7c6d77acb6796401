// Converts kinds and their short names to resources, as kubectl's api-resources lists them: `deploy/web`, `deployment.apps/web`.

import { dictionary } from '../../core/collections/dictionary.js';

export interface FollowedName {
  /** Plural resource, lower case. */
  readonly resource: string;
  /** null: any group. */
  readonly group: string | null;
  readonly name: string;
  /** null: cluster-scoped, or in whichever namespace it is. */
  readonly namespace: string | null;
  readonly anywhere?: true;
}

/**
 * @param namespace null: any that has such an object.
 * @returns null where the text is not KIND/NAME.
 */
export function parseFollow(text: string, namespace: string | null): FollowedName | null {
  const match = /^([A-Za-z][A-Za-z0-9-]*)(?:\.([A-Za-z0-9.-]+))?\/([^/\s]+)$/.exec(text);
  if (match === null) return null;
  const resource = resourceOfKind(match[1]);
  return {
    resource,
    group: match[2]?.replace(/^v\d\w*\./, '') ?? null,
    name: match[3],
    namespace: CLUSTER_SCOPED.has(resource) ? null : namespace,
    ...(namespace === null ? { anywhere: true } : null),
  };
}

/** Of the built-in resources in the list; others count as namespaced. */
export function isClusterScoped(resource: string): boolean {
  return CLUSTER_SCOPED.has(resource);
}

export function resourceOfKind(kind: string): string {
  const lower = kind.toLowerCase();
  const long = SHORT_NAMES[lower];
  if (long !== undefined) return long;
  // Already a plural, as most resources are: `pods`, `ingresses`, `networkpolicies`, `endpoints`.
  if (/(?:ies|sses|[^s]s)$/.test(lower) && lower !== 'ingress') return lower;
  if (/[^aeiou]y$/.test(lower)) return `${lower.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(lower) ? `${lower}es` : `${lower}s`;
}

/** `apps/v1` is version v1 of group apps, `v1` that of the core group, whose name is empty. */
export function splitApiVersion(apiVersion: string): { apiGroup: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { apiGroup: '', version: apiVersion };
  return { apiGroup: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** A group of custom resources: its kinds are in no table. */
export function isCustomGroup(apiGroup: string): boolean {
  return apiGroup.includes('.') && !/(?:^|\.)k8s\.io$/.test(apiGroup);
}

/** k8s.io/api shortNames as `kubectl api-resources` lists them. */
const SHORT_NAMES: Readonly<Record<string, string>> = dictionary({
  po: 'pods',
  deploy: 'deployments',
  rs: 'replicasets',
  sts: 'statefulsets',
  ds: 'daemonsets',
  rc: 'replicationcontrollers',
  svc: 'services',
  ep: 'endpoints',
  cm: 'configmaps',
  ns: 'namespaces',
  no: 'nodes',
  pv: 'persistentvolumes',
  pvc: 'persistentvolumeclaims',
  sa: 'serviceaccounts',
  ing: 'ingresses',
  netpol: 'networkpolicies',
  cj: 'cronjobs',
  hpa: 'horizontalpodautoscalers',
  pdb: 'poddisruptionbudgets',
  sc: 'storageclasses',
  crd: 'customresourcedefinitions',
  crds: 'customresourcedefinitions',
  csr: 'certificatesigningrequests',
  ev: 'events',
  quota: 'resourcequotas',
  limits: 'limitranges',
  pc: 'priorityclasses',
});

const CLUSTER_SCOPED = new Set([
  'namespaces',
  'nodes',
  'persistentvolumes',
  'storageclasses',
  'customresourcedefinitions',
  'certificatesigningrequests',
  'priorityclasses',
  'clusterroles',
  'clusterrolebindings',
  'csinodes',
  'csidrivers',
  'ingressclasses',
  'runtimeclasses',
  'deviceclasses',
  'apiservices',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
]);
