// Converts kinds and their short names to resources, as kubectl's api-resources lists them: `deploy/web`, `deployment.apps/web`.

import { builtInResource, pluralOf, resourceOfShortName } from '../../core/api-resources.js';

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
  const group = match[2]?.replace(/^v\d\w*\./, '') ?? null;
  return {
    resource,
    group,
    name: match[3],
    namespace: isClusterScoped(resource, group) ? null : namespace,
    ...(namespace === null ? { anywhere: true } : null),
  };
}

/** Resources that Kubernetes does not have count as namespaced. @param group null, undefined: any. */
export function isClusterScoped(resource: string, group?: string | null): boolean {
  const builtIn = builtInResource(resource);
  return builtIn?.isNamespaced === false && (group == null || group === builtIn.apiGroup);
}

/** @param kind a kind, its plural or a short name, in any case. */
export function resourceOfKind(kind: string): string {
  const lower = kind.toLowerCase();
  const long = resourceOfShortName(lower);
  if (long !== undefined) return long;
  // Already a plural, as most resources are: `pods`, `ingresses`, `networkpolicies`, `endpoints`.
  return /(?:ies|sses|[^s]s)$/.test(lower) && lower !== 'ingress' ? lower : pluralOf(lower);
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
