// Finds the type of an object by its kind, or by the resource of its request if it does not hold its kind.

import { pluralOf } from '../../core/api-resources.js';
import { kubernetesTable } from '../../protobuf/tables.js';
import { extraPlan } from './extra-kinds.js';
import type { FieldPlace } from './field-places.js';
import { kubernetesPlan, messagePlace } from './field-places.js';

/** @returns undefined if the kind is none of Kubernetes' own. @param apiVersion undefined if the object has none. */
export function placeOfKind(apiVersion: string | undefined, kind: string): FieldPlace | undefined {
  const group = apiVersion === undefined ? undefined : groupOf(apiVersion);
  const extra = extraPlan(group, kind);
  if (extra !== undefined) return { at: 'message', type: extra };
  // Options of a request belong to apimachinery, whatever group the client used.
  if (OPTIONS.test(kind)) return messagePlace(kubernetesPlan(`k8s.io.apimachinery.pkg.apis.meta.v1.${kind}`));
  const gvk = kubernetesTable().section<Record<string, string>>('gvk');
  if (apiVersion !== undefined) {
    const exact = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}/${kind}`;
    if (Object.hasOwn(gvk, exact)) return messagePlace(kubernetesPlan(gvk[exact]));
  }
  // A removed or newer version looks almost like the one in the table.
  const found = kindIndex()
    .byKind.get(kind.toLowerCase())
    ?.find((one) => group === undefined || one.group === group);
  return found === undefined ? undefined : messagePlace(kubernetesPlan(found.type));
}

export interface RequestedResource {
  readonly resource?: string;
  readonly subresource?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
}

/** The place of a body without a kind, by its request. */
export function placeOfResource({
  resource,
  subresource,
  apiGroup,
  apiVersion,
}: RequestedResource): FieldPlace | undefined {
  const kind = subresource === undefined ? undefined : SUBRESOURCE_KINDS.get(subresource);
  if (kind !== undefined) return placeOfKind(undefined, kind);
  if (resource === undefined) return undefined;
  const candidates = kindIndex().byResource.get(resource);
  const inGroup = candidates?.filter((one) => apiGroup === undefined || one.group === apiGroup);
  const found = inGroup?.find((one) => one.version === apiVersion) ?? inGroup?.[0];
  return found === undefined ? undefined : messagePlace(kubernetesPlan(found.type));
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

interface KnownKind {
  readonly group: string;
  readonly version: string;
  readonly type: string;
}

interface KindIndex {
  readonly byKind: ReadonlyMap<string, readonly KnownKind[]>;
  readonly byResource: ReadonlyMap<string, readonly KnownKind[]>;
}

function kindIndex(): KindIndex {
  if (index !== undefined) return index;
  const byKind = new Map<string, KnownKind[]>();
  const byResource = new Map<string, KnownKind[]>();
  for (const [gvk, type] of Object.entries(kubernetesTable().section<Record<string, string>>('gvk'))) {
    const [group, version, kind] = gvk.split('/');
    const known = { group, version, type };
    add(byKind, kind.toLowerCase(), known);
    add(byResource, pluralOf(kind), known);
  }
  index = { byKind, byResource };
  return index;
}

function add(map: Map<string, KnownKind[]>, key: string, known: KnownKind): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [known]);
  else list.push(known);
}

let index: KindIndex | undefined;

/** Kinds of request bodies of subresources that differ from the resource's kind. */
const SUBRESOURCE_KINDS: ReadonlyMap<string, string> = new Map([
  ['binding', 'Binding'],
  ['eviction', 'Eviction'],
  ['scale', 'Scale'],
  ['token', 'TokenRequest'],
]);
const OPTIONS = /^(?:Create|Delete|Get|List|Patch|Update|Apply)Options$/;
