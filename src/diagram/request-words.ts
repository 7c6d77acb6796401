// What a request asks for, in words that are the same for all requests of its kind.

import type { Message } from '../kubernetes/messages/message.js';

/** What is asked, but not of which object: `create pods/binding`, `KV/Txn`. */
export function requestWords({ protocol, verb, resource, subresource, service, rpcMethod, method }: Message): string {
  if (protocol === 'etcd' || protocol === 'cri' || protocol === 'grpc')
    return `${service?.split('.').at(-1) ?? '?'}/${rpcMethod ?? '?'}`;
  if (resource !== undefined)
    return `${verb || method || '?'} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  return verb || method || '?';
}
