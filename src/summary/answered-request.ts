// Holds what the summary keeps of a request until its response arrives.

import type { Message, Participant } from '../kubernetes/messages/message.js';

export interface AnsweredRequest {
  readonly seq: number;
  readonly client: Participant;
  readonly server: Participant;
  readonly protocol: Message['protocol'];
  readonly method: Message['method'];
  readonly target: Message['target'];
  readonly verb: Message['verb'];
  readonly apiGroup: Message['apiGroup'];
  readonly resource: Message['resource'];
  readonly subresource: Message['subresource'];
  readonly namespace: Message['namespace'];
  readonly name: Message['name'];
  readonly service: Message['service'];
  readonly rpcMethod: Message['rpcMethod'];
  readonly user: Message['user'];
  readonly k8sEvent: Message['k8sEvent'];
  readonly isDryRun: boolean;
  /** A server sent it on for another client, whose own request says the same. */
  readonly isForwarded: boolean;
}

export function answeredRequest(message: Message): AnsweredRequest {
  return {
    seq: message.seq,
    client: message.from,
    server: message.to,
    protocol: message.protocol,
    method: message.method,
    target: message.target,
    verb: message.verb,
    apiGroup: message.apiGroup,
    resource: message.resource,
    subresource: message.subresource,
    namespace: message.namespace,
    name: message.name,
    service: message.service,
    rpcMethod: message.rpcMethod,
    user: message.user,
    k8sEvent: message.k8sEvent,
    isDryRun: message.dryRun === true,
    isForwarded: message.cause?.how === 'forwarded',
  };
}
