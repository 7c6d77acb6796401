// Parses etcd's keys into the resource, namespace and name of the object that is stored there.
//
//   /registry/RESOURCE/[NAMESPACE/]NAME            built in
//   /registry/GROUP/RESOURCE/[NAMESPACE/]NAME      custom resources, and a few that began as such
//   /registry/GROUP/GROUP/RESOURCE/…               aggregated API servers whose prefix is their group's name
//
// Source: k8s.io/apiserver/pkg/registry/generic/registry/store.go, pkg/kubeapiserver/default_storage_factory_builder.go

import { builtInResource } from '../../../../core/api-resources.js';
import { dictionary } from '../../../../core/collections/dictionary.js';
import { memo } from '../../../../core/collections/memo.js';
import { isNamespaceResource } from '../../../api/object-ref.js';

export interface StoredAs {
  readonly resource: string;
  /** Empty for the core group; undefined where the key does not have it. */
  readonly apiGroup: string | undefined;
  readonly namespace: string | undefined;
  /** undefined: the key is the beginning of many. */
  readonly name: string | undefined;
}

/** The API server's default of `--etcd-prefix`. */
export const REGISTRY = '/registry/';

/** Limit: keys whose parts are cached: those of a busy minute, some 300 bytes each. */
const MAX_PARSED = 4096;

/** @returns null for a key that an API server does not write. */
export const storedAs: (key: string) => StoredAs | null = memo(parsed, MAX_PARSED);

function parsed(key: string): StoredAs | null {
  if (!key.startsWith(REGISTRY)) return null;
  const parts = key.slice(REGISTRY.length).split('/');
  let at = groupsIn(parts);
  if (parts.length <= at || parts[at] === '') return null;
  const group = at === 0 ? undefined : parts[at - 1];
  const place = group === undefined ? (MOVED[`${parts[0]}/${parts[1]}`] ?? MOVED[parts[0]]) : undefined;
  const resource = place?.resource ?? parts[at];
  at += place?.parts ?? 1;
  const rest = parts.slice(at);
  const builtIn = builtInResource(resource);
  // Events of both of their groups are stored in one place.
  const apiGroup = group ?? (resource === 'events' ? undefined : builtIn?.apiGroup);
  if (isNamespaceResource(resource)) {
    const name = rest[0] || undefined;
    return { resource, apiGroup, namespace: name, name };
  }
  if (rest.length > 2) return null;
  if (rest.length === 2) return { resource, apiGroup, namespace: rest[0], name: rest[1] || undefined };
  const only = rest[0] || undefined;
  return builtIn?.isNamespaced === true
    ? { resource, apiGroup, namespace: only, name: undefined }
    : { resource, apiGroup, namespace: undefined, name: only };
}

/** `/registry/GROUP/GROUP/…`: written by a server of this group alone, not by the cluster's API server. */
export function hasPrefixOfItsOwn(key: string): boolean {
  return key.startsWith(REGISTRY) && groupsIn(key.slice(REGISTRY.length).split('/', 2)) === 2;
}

/** How many of a key's first parts name a group: resources have no dots. */
function groupsIn([first, second]: readonly string[]): 0 | 1 | 2 {
  if (!first.includes('.')) return 0;
  return second?.includes('.') === true ? 2 : 1;
}

/** Resources that are not stored under their own name. */
const MOVED: Readonly<Record<string, { readonly resource: string; readonly parts: number }>> = dictionary({
  minions: { resource: 'nodes', parts: 1 },
  controllers: { resource: 'replicationcontrollers', parts: 1 },
  ingress: { resource: 'ingresses', parts: 1 },
  'services/specs': { resource: 'services', parts: 2 },
  'services/endpoints': { resource: 'endpoints', parts: 2 },
});
