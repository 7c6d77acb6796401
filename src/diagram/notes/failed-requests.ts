// Which exchanges went wrong: that is never noise. How a look for what is not there yet ends, and who loses a race for a lease,
// is as usual, or a cluster that starts would be a picture of a hundred failures. Knows requests and answers; nothing of what
// a picture is about.

import type { Message } from '../../kubernetes/messages/message.js';
import { isDiscovery, isHandiwork, isPerson, noiseOf } from '../selection/noise.js';

/** Was it refused, or could it not be done? Nothing is said of what has no answer. */
export function wentWrong(request: Message, response: Message | undefined): boolean {
  if (response === undefined) return false;
  const { status = 0, grpcStatus = 0 } = response;
  if (grpcStatus > 0) return grpcStatus !== CANCELLED && !isGone(request, response) && !isUnknown(request, response);
  if (status < 400) return false;
  if (status === CONFLICT && request.resource === 'leases' && !isHandiwork(request)) return false;
  // kubectl asks for all that an API server may know, and a person for what may not be there: that is to be seen.
  if (isPerson(request.from)) return status !== NOT_FOUND || !isDiscovery(request);
  return status !== NOT_FOUND || request.verb !== 'get';
}

/** Is an exchange noise, and nothing went wrong in it? */
export function isAsUsual(request: Message, response: Message | undefined): boolean {
  return noiseOf(request, request) !== null && !isHandiwork(request) && !wentWrong(request, response);
}

/** A poll of the runtime about what it has just removed: not found is how it ends. */
export function isGone(request: Message, response: Message): boolean {
  return request.protocol === 'cri' && response.grpcStatus === GRPC_NOT_FOUND && noiseOf(request, request) !== null;
}

/** A kubelet asks for what older runtimes do not have, and does without. */
function isUnknown(request: Message, response: Message): boolean {
  return response.grpcStatus === UNIMPLEMENTED && noiseOf(request, request) !== null;
}

const NOT_FOUND = 404;
const CONFLICT = 409;
/** google.rpc.Code. Who ends a stream cancels it. */
const CANCELLED = 1;
const GRPC_NOT_FOUND = 5;
const UNIMPLEMENTED = 12;
