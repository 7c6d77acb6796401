// Decides which exchanges failed and are therefore never noise. A read of an object that does not exist yet, and a
// lost race for a lease, are usual and do not count.

import type { Message } from '../../kubernetes/messages/message.js';
import { isDiscovery, isManualChange, isPerson, type NoiseFacts, noiseOf } from '../selection/noise.js';

type ResponseStatus = Pick<Message, 'status' | 'grpcStatus'>;

/** Did the request fail? false without a response. */
export function wentWrong(request: NoiseFacts, response: ResponseStatus | undefined): boolean {
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
export function isAsUsual(request: NoiseFacts, response: ResponseStatus | undefined): boolean {
  return noiseOf(request, request) !== null && !isManualChange(request) && !wentWrong(request, response);
}

/** A runtime poll about an object that was just removed ends with NOT_FOUND. */
export function isGone(request: NoiseFacts, response: ResponseStatus): boolean {
  return request.protocol === 'cri' && response.grpcStatus === GRPC_NOT_FOUND && noiseOf(request, request) !== null;
}

/** A kubelet calls methods that older runtimes do not implement. */
function isUnknown(request: NoiseFacts, response: ResponseStatus): boolean {
  return response.grpcStatus === UNIMPLEMENTED && noiseOf(request, request) !== null;
}

const NOT_FOUND = 404;
const CONFLICT = 409;
/** google.rpc.Code: streams end with CANCELLED. */
const CANCELLED = 1;
const GRPC_NOT_FOUND = 5;
const UNIMPLEMENTED = 12;
