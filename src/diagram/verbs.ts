// Defines which verbs write (as in audit logs), and the words for a kind of request.

import type { Message } from '../kubernetes/messages/message.js';

export const WRITES: ReadonlySet<string> = new Set([
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'apply',
]);

/** Verb and resource without the object: `create pods/binding`, `KV/Txn`. */
export function requestWords({ protocol, verb, resource, subresource, service, rpcMethod, method }: NamedCall): string {
  if (protocol === 'etcd' || protocol === 'cri' || protocol === 'grpc')
    return `${service?.split('.').at(-1) ?? '?'}/${rpcMethod ?? '?'}`;
  if (resource !== undefined)
    return `${verb || method || '?'} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  return verb || method || '?';
}

/** The same with the namespace; without a resource, method and path. */
export function requestText(message: NamedCall & Pick<Message, 'target' | 'namespace'>): string {
  const { protocol, method, target, resource, namespace, rpcMethod } = message;
  if (rpcMethod != null) return rpcMethod;
  if (protocol !== 'kubernetes' || resource === undefined) return `${method ?? ''} ${target ?? ''}`.trim();
  return `${requestWords(message)}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

/** The fields of a request that its words are made of. */
export type NamedCall = Pick<
  Message,
  'protocol' | 'verb' | 'resource' | 'subresource' | 'service' | 'rpcMethod' | 'method'
>;
