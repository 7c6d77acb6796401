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

/** The fields of a request that its words are made of. */
export type NamedCall = Pick<
  Message,
  'protocol' | 'verb' | 'resource' | 'subresource' | 'service' | 'rpcMethod' | 'method'
>;
