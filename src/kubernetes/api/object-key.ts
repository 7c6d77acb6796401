// By which text an object is remembered: resource and group, namespace, name. Knows no requests and no events, which both have one.

import { resourceOfKind, splitApiVersion } from './kinds.js';

/**
 * `pods. default nginx`: resource and group, namespace, name. Subresources are about their object. A request for a Namespace says
 * that it is in itself, an event about it does not.
 */
export function objectKey(resource: string, group: string, namespace: string | undefined, name: string): string {
  return `${resource}.${group} ${resource === 'namespaces' ? '' : (namespace ?? '')} ${name}`;
}

/** The same of an object that says what it is, by its own words. */
export function keyOfKind(apiVersion: string, kind: string, namespace: string | undefined, name: string): string {
  return objectKey(resourceOfKind(kind), splitApiVersion(apiVersion).apiGroup, namespace, name);
}
