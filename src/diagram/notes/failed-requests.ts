// Decides which exchanges failed and are therefore never noise. A read of an object that does not exist yet, and a
// lost race for a lease, are usual and do not count.

import { objectKey } from '../../kubernetes/api/object-ref.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import { isDiscovery, isManualChange, isPerson, noiseOf } from '../selection/noise.js';

type ResponseStatus = Pick<Message, 'status' | 'grpcStatus'>;

/** Did the request fail? false without a response. */
export function wentWrong(request: Message, response: ResponseStatus | undefined): boolean {
  if (response === undefined) return false;
  const { status = 0, grpcStatus = 0 } = response;
  if (grpcStatus > 0) return grpcStatus !== CANCELLED && !isGone(request, response) && !isUnknown(request, response);
  if (status < 400) return false;
  if (status === CONFLICT && request.resource === 'leases' && !isManualChange(request)) return false;
  // kubectl probes for APIs that may not exist; for other requests of a person, 404 is a result to show.
  if (isPerson(request.from)) return status !== NOT_FOUND || !isDiscovery(request);
  return status !== NOT_FOUND || request.verb !== 'get';
}

/** Is the exchange noise that did not fail? */
export function isAsUsual(request: Message, response: ResponseStatus | undefined): boolean {
  return noiseOf(request, request) !== null && !isManualChange(request) && !wentWrong(request, response);
}

/** A runtime poll about an object that was just removed ends with NOT_FOUND. */
export function isGone(request: Message, response: ResponseStatus): boolean {
  return request.protocol === 'cri' && response.grpcStatus === GRPC_NOT_FOUND && noiseOf(request, request) !== null;
}

/** A kubelet calls methods that older runtimes do not implement. */
function isUnknown(request: Message, response: ResponseStatus): boolean {
  return response.grpcStatus === UNIMPLEMENTED && noiseOf(request, request) !== null;
}

const NOT_FOUND = 404;
const CONFLICT = 409;
/** google.rpc.Code: streams end with CANCELLED. */
const CANCELLED = 1;
const GRPC_NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

/** `seq` of answers of 404 to a person's `get` of an object that is created later, or was deleted before. */
export function ordinaryLooks({ messages, exchangeOf }: Pick<MessageIndex, 'messages' | 'exchangeOf'>): Set<number> {
  const deleted = new Set<string>();
  const waiting = new Map<string, number[]>();
  const ordinary = new Set<number>();
  for (const message of messages) {
    const { verb, subresource, kind, status } = message;
    if (kind === 'request' && subresource === undefined) {
      const key = keyOf(message);
      if (verb === 'delete') deleted.add(key);
      else if (verb === 'create') {
        for (const seq of waiting.get(key) ?? []) ordinary.add(seq);
        waiting.delete(key);
        deleted.delete(key);
      }
    } else if (kind === 'response' && status === NOT_FOUND) {
      const { request } = exchangeOf(message);
      if (request?.verb !== 'get' || !isPerson(request.from)) continue;
      const key = keyOf(request);
      if (deleted.has(key)) ordinary.add(message.seq);
      else waiting.set(key, [...(waiting.get(key) ?? []), message.seq]);
    }
  }
  return ordinary;
}

function keyOf({ apiGroup, resource, namespace, name }: Message): string {
  return objectKey(resource, apiGroup, namespace, name);
}
