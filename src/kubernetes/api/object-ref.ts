// Identifies objects: by key, uid, owners and related objects; says which namespace an object is in, and writes its name.

import { resourceOfKind, splitApiVersion } from './kinds.js';

export interface ObjectRef {
  /** Resource and group, namespace, name: `pods. default nginx`; empty: only its uid is known. */
  readonly key: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** uids of its owners, all of them; undefined: not known. */
  readonly owners?: readonly string[];
  readonly related?: Related;
}

/** Related objects: uids (Pods behind a Service) and keys (the Service that Endpoints are named after). */
export interface Related {
  readonly uids: readonly string[];
  readonly keys: readonly string[];
  /** Keys of nodes: the one that a Pod is bound to; the one that it is evicted from, if known. */
  readonly node?: string;
  readonly evictedFrom?: string | null;
  /** Keys of the VolumeAttachments of a node, whose state the node's status reports. */
  readonly attachments?: readonly string[];
}

/**
 * Whether objects of a resource are Namespaces. A request for a Namespace has its name in both fields, `namespace` and `name`
 * (k8s.io/apiserver, pkg/endpoints/request/requestinfo.go); the object itself is in no namespace.
 */
export function isNamespaceResource(resource: string | undefined): boolean {
  return resource === NAMESPACES;
}

/** @param namespace of a request or an object. @returns the namespace that the object is in; undefined for a Namespace. */
export function namespaceOf<Name>(resource: string | undefined, namespace: Name): Name | undefined {
  return resource === NAMESPACES ? undefined : namespace;
}

/** A part of a name that a request or an object need not have. */
export type NamePart = string | null | undefined;

/** `pods. default nginx`: resource and group, namespace, name. A subresource has the key of its object. */
export function objectKey(resource: NamePart, group: NamePart, namespace: NamePart, name: NamePart): string {
  return `${resource ?? ''}.${group ?? ''} ${resource === NAMESPACES ? '' : (namespace ?? '')} ${name ?? ''}`;
}

/** The same by the apiVersion and kind of the object itself. */
export function keyOfKind(apiVersion: string, kind: string, namespace: string | undefined, name: string): string {
  return objectKey(resourceOfKind(kind), splitApiVersion(apiVersion).apiGroup, namespace, name);
}

/** An object in a sentence: `pods default/nginx`. @param word its resource or its kind. */
export function objectText(word: NamePart, namespace: NamePart, name: NamePart): string {
  return `${word ?? ''} ${qualifiedName(namespace, name)}`;
}

/** An object as kubectl's TYPE/NAME: `pods/nginx`. */
export function objectReference(resource: NamePart, name: NamePart): string {
  return `${resource ?? ''}/${name ?? ''}`;
}

/** `default/nginx`; the name alone, or the namespace alone, where the other is missing. */
export function qualifiedName(namespace: NamePart, name: NamePart): string {
  return namespace == null || namespace === '' ? (name ?? '') : name == null ? namespace : `${namespace}/${name}`;
}

/** A name as labels have it: `nginx`, and `shop/web` outside the namespace `default`. */
export function labelName(namespace: NamePart, name: string): string {
  return qualifiedName(namespace === 'default' ? undefined : namespace, name);
}

/** A resource with its group: `deployments.apps`; `pods` of the core group. */
export function groupResource(resource: string, group: NamePart): string {
  return group == null || group === '' ? resource : `${resource}.${group}`;
}

const NAMESPACES = 'namespaces';
