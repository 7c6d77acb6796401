// Finds the type of an object by its kind, or by the resource of its request if it does not hold its kind.

import { pluralOf } from '../../core/api-resources.js';
import { memo } from '../../core/collections/memo.js';
import { kubernetesTable } from '../../protobuf/tables.js';
import type { RequestedResource } from '../objects.js';
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
  const found = ofKind(kind.toLowerCase()).find((one) => group === undefined || one.group === group);
  return found === undefined ? undefined : messagePlace(kubernetesPlan(found.type));
}

/** The place of a body without a kind, by its request. */
export function placeOfResource(requested: RequestedResource): FieldPlace | undefined {
  const { resource, subresource, apiGroup, apiVersion } = requested;
  const kind = subresource === undefined ? undefined : SUBRESOURCE_KINDS.get(subresource);
  if (kind !== undefined) return placeOfKind(undefined, kind);
  if (resource === undefined) return undefined;
  const inGroup = ofResource(resource).filter((one) => apiGroup === undefined || one.group === apiGroup);
  const found = inGroup.find((one) => one.version === apiVersion) ?? inGroup.at(0);
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
  /** In lower case. */
  readonly kind: string;
  readonly resource: string;
}

function knownKinds(): readonly KnownKind[] {
  known ??= Object.entries(kubernetesTable().section<Record<string, string>>('gvk')).map(([gvk, type]) => {
    const [group, version, kind] = gvk.split('/');
    return { group, version, type, kind: kind.toLowerCase(), resource: pluralOf(kind) };
  });
  return known;
}

let known: readonly KnownKind[] | undefined;
/** Limit: kinds, and resources, whose types are remembered: Kubernetes has some 200. */
const MAX_KINDS = 1000;
const ofKind = memo((kind) => knownKinds().filter((one) => one.kind === kind), MAX_KINDS);
const ofResource = memo((resource) => knownKinds().filter((one) => one.resource === resource), MAX_KINDS);

/** Kinds of request bodies of subresources that differ from the resource's kind. */
const SUBRESOURCE_KINDS: ReadonlyMap<string, string> = new Map([
  ['binding', 'Binding'],
  ['eviction', 'Eviction'],
  ['scale', 'Scale'],
  ['token', 'TokenRequest'],
]);
const OPTIONS = /^(?:Create|Delete|Get|List|Patch|Update|Apply)Options$/;
