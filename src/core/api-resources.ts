// Lists what API resources Kubernetes has: their groups, scopes and short names. All other folders ask this table.

/** A resource that Kubernetes itself has. */
export interface ApiResource {
  /** Plural, lower case. */
  readonly resource: string;
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly isNamespaced: boolean;
  /** The first one of kubectl's; undefined: it has none. */
  readonly shortName?: string;
}

type GroupRow = readonly [apiGroup: string, namespaced: string, clusterScoped: string];

/**
 * A new resource is a word; behind `=` its short names, as `kubectl api-resources` lists them. Groups of Kubernetes 1.34 to 1.37 (k8s.io/api,
 * pkg/registry/core/rest/storage_core.go); a test compares them with the API server's own discovery.
 */
const ROWS: readonly GroupRow[] = [
  [
    '',
    'bindings configmaps=cm endpoints=ep events=ev limitranges=limits persistentvolumeclaims=pvc pods=po podtemplates replicationcontrollers=rc resourcequotas=quota secrets serviceaccounts=sa services=svc',
    'componentstatuses namespaces=ns nodes=no persistentvolumes=pv',
  ],
  ['apps', 'controllerrevisions daemonsets=ds deployments=deploy replicasets=rs statefulsets=sts', ''],
  ['autoscaling', 'horizontalpodautoscalers=hpa', ''],
  ['batch', 'cronjobs=cj jobs', ''],
  // Until 1.21 its resources were those of apps and networking.k8s.io.
  ['extensions', '', ''],
  ['policy', 'poddisruptionbudgets=pdb', ''],
  [
    'admissionregistration.k8s.io',
    '',
    'mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations',
  ],
  ['apiextensions.k8s.io', '', 'customresourcedefinitions=crd,crds'],
  ['apiregistration.k8s.io', '', 'apiservices'],
  ['authentication.k8s.io', '', 'selfsubjectreviews tokenreviews'],
  [
    'authorization.k8s.io',
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews',
  ],
  ['certificates.k8s.io', 'podcertificaterequests', 'certificatesigningrequests=csr clustertrustbundles'],
  ['coordination.k8s.io', 'leasecandidates leases', ''],
  ['discovery.k8s.io', 'endpointslices', ''],
  ['events.k8s.io', 'events', ''],
  ['flowcontrol.apiserver.k8s.io', '', 'flowschemas prioritylevelconfigurations'],
  ['internal.apiserver.k8s.io', '', 'storageversions'],
  ['lifecycle.k8s.io', 'evictionrequests', ''],
  ['networking.k8s.io', 'ingresses=ing networkpolicies=netpol', 'ingressclasses ipaddresses servicecidrs'],
  ['node.k8s.io', '', 'runtimeclasses'],
  ['rbac.authorization.k8s.io', 'rolebindings roles', 'clusterrolebindings clusterroles'],
  [
    'resource.k8s.io',
    'resourceclaims resourceclaimtemplates',
    'deviceclasses devicetaintrules resourcepoolstatusrequests resourceslices',
  ],
  ['scheduling.k8s.io', 'compositepodgroups podgroups workloads', 'priorityclasses=pc'],
  [
    'storage.k8s.io',
    'csistoragecapacities',
    'csidrivers csinodes storageclasses=sc volumeattachments volumeattributesclasses',
  ],
  ['storagemigration.k8s.io', '', 'storageversionmigrations'],
];

const GROUPS: ReadonlySet<string> = new Set(ROWS.map(([group]) => group));
const RESOURCES = new Map<string, ApiResource>();
const SHORT_NAMES = new Map<string, string>();
for (const [apiGroup, namespaced, clusterScoped] of ROWS) {
  for (const word of `${namespaced} ${clusterScoped}`.split(' ').filter(Boolean)) {
    const [resource, list] = word.split('=');
    const shortNames = list?.split(',') ?? [];
    const isNamespaced = namespaced.split(' ').includes(word);
    // Events are in two groups: the core group is first.
    if (!RESOURCES.has(resource))
      RESOURCES.set(resource, { resource, apiGroup, isNamespaced, shortName: shortNames.at(0) });
    for (const short of shortNames) SHORT_NAMES.set(short, resource);
  }
}

/** @param resource plural, lower case. @returns undefined: none of Kubernetes' own. */
export function builtInResource(resource: string): ApiResource | undefined {
  return RESOURCES.get(resource);
}

/** @param name `po`, lower case. @returns `pods`; undefined: no short name of a resource of Kubernetes. */
export function resourceOfShortName(name: string): string | undefined {
  return SHORT_NAMES.get(name);
}

/** Whether Kubernetes itself has a group; the core group is empty. */
export function isBuiltInGroup(apiGroup: string): boolean {
  return GROUPS.has(apiGroup);
}

function resourcesOf(groups: readonly string[]): readonly string[] {
  return [...RESOURCES.values()].filter(({ apiGroup }) => groups.includes(apiGroup)).map(({ resource }) => resource);
}

/** Subresources whose responses are followed by bytes (pkg/registry/core/rest/storage_core.go). */
export const STREAMED_SUBRESOURCES: ReadonlySet<string> = new Set(['exec', 'attach', 'log', 'portforward', 'proxy']);

/** Subresources whose requests leave the object as it is, whatever their verb. */
export const UNCHANGING_SUBRESOURCES: ReadonlySet<string> = new Set([...STREAMED_SUBRESOURCES, 'token']);

/** Resources of the core group, which tell paths of the API from similar ones. */
export const CORE_RESOURCES = resourcesOf(['']);

/** Groups of custom resources have a dot (apiextensions-apiserver, pkg/apis/apiextensions/validation). */
export const UNDOTTED_GROUPS: readonly string[] = [...GROUPS].filter((group) => group !== '' && !group.includes('.'));

/** Resources of these groups, of all versions. */
export const UNDOTTED_RESOURCES: readonly string[] = [...resourcesOf(UNDOTTED_GROUPS), 'ingresses'];

/** `databases` of `Database`, in lower case, as the API server guesses it (apimachinery, UnsafeGuessKindToResource) and code generators do. */
export function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (lower.endsWith('endpoints')) return lower;
  if (/(?:s|x|ch|sh)$/.test(lower)) return `${lower}es`;
  return /[^aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}

/** Pattern of a version of an API: `v1`, `v2beta1` (kubernetes.io/docs/reference/using-api, versioning). */
export const API_VERSION = 'v\\d{1,3}(?:(?:alpha|beta)\\d{1,3})?';
