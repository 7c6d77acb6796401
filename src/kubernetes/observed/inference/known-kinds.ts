// Maps the kinds that Kubernetes itself has to group, version and resource; a custom kind's resource is in its definition alone.

import { kubernetesTable } from '../../../protobuf/tables.js';
import { resourceOfKind, splitApiVersion } from '../../api/kinds.js';
import { type ObjectKind, tellsKind } from '../../objects/object-info.js';

export interface KindPlace {
  /** Empty for the core group. */
  readonly apiGroup: string;
  /** Without the group: `v1`. */
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource?: string;
}

/** @param apiVersion with the group: `apps/v1`. @returns null for a kind that is not built in, or that no resource has. */
export function placeOfKind(apiVersion: string, kind: string): KindPlace | null {
  const special = OF_SUBRESOURCES.get(kind);
  if (special !== undefined) return special;
  if (!tellsKind(kind) || WITHOUT_RESOURCE.test(kind) || apiVersion.startsWith('meta.k8s.io/')) return null;
  const { apiGroup, version } = splitApiVersion(apiVersion);
  const builtIn = kubernetesTable().section<Record<string, string>>('gvk');
  if (!Object.hasOwn(builtIn, `${apiGroup}/${version}/${kind}`)) return null;
  return { apiGroup, apiVersion: version, resource: resourceOfKind(kind) };
}

/** The kind that a resource stores, or that a subresource takes; null where it is not built in. */
export function kindOfPlace(apiGroup: string, version: string, resource: string, subresource = ''): ObjectKind | null {
  ofPlaces ??= kindsOfPlaces();
  return ofPlaces.get(placeKey(apiGroup, version, resource, STORED.has(subresource) ? '' : subresource)) ?? null;
}

function kindsOfPlaces(): ReadonlyMap<string, ObjectKind> {
  const kinds = new Map<string, ObjectKind>();
  for (const name of Object.keys(kubernetesTable().section<Record<string, string>>('gvk'))) {
    const [group, version, kind] = name.split('/');
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const place = placeOfKind(apiVersion, kind);
    if (place === null) continue;
    const key = placeKey(place.apiGroup, place.apiVersion, place.resource, place.subresource ?? '');
    // An Eviction of any version is sent to the same place: the first version is the newest.
    if (!kinds.has(key)) kinds.set(key, { apiVersion, kind });
  }
  return kinds;
}

function placeKey(apiGroup: string, version: string, resource: string, subresource: string): string {
  return `${apiGroup}/${version}/${resource}/${subresource}`;
}

/** Built on first use, as few captures need it: most clients write the kind into their bodies. */
let ofPlaces: ReadonlyMap<string, ObjectKind> | null = null;
/** Subresources that take the object itself. */
const STORED = new Set(['status', 'finalize', 'approval', 'ephemeralcontainers', 'resize']);

/** Kinds that are sent to a subresource of something else (pkg/registry/core/rest/storage_core.go). */
const OF_SUBRESOURCES: ReadonlyMap<string, KindPlace> = new Map([
  ['Binding', { apiGroup: '', apiVersion: 'v1', resource: 'pods', subresource: 'binding' }],
  ['Eviction', { apiGroup: '', apiVersion: 'v1', resource: 'pods', subresource: 'eviction' }],
  ['TokenRequest', { apiGroup: '', apiVersion: 'v1', resource: 'serviceaccounts', subresource: 'token' }],
]);

/** Kinds that are not the object of a resource, besides those: the Scale of many resources, options, reviews. */
const WITHOUT_RESOURCE =
  /^(?:WatchEvent|Scale|API(?:Group|Resource|Versions|GroupDiscovery).*|.*Options|PodStatusResult|RangeAllocation|SerializedReference|ComponentStatus|AdmissionReview|ConversionReview|ImageReview)$/;
