// Recognises the background of an idle cluster: watches that time out and are renewed, and an API server that checks its own address.
// Where a capture has no story to follow, its diagram has everything but noise and these messages.

import type { Message } from '../../kubernetes/messages/message.js';
import type { FoldReason } from '../disposition.js';
import type { MessageIndex } from '../message-index.js';
import { succeeded } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';

/** null: the message is part of nothing that goes on in the background. */
export function backgroundReasonOf(message: Message, index: MessageIndex): FoldReason | null {
  const request = index.requestOf(message);
  if (message.protocol !== 'kubernetes' || message.kind === 'event') return null;
  // The end of a response that began before the capture.
  if (request === undefined)
    return message.kind === 'response' && message.status === undefined ? 'renewed-watches' : null;
  if (isPerson(request.from) || !succeeded(index.exchangeOf(request).response)) return null;
  if (isRenewed(request, index)) return 'renewed-watches';
  return isOwnAddress(request) ? 'own-address' : null;
}

/** A watch that continues an earlier one: a new watch follows a list or includes it. */
function isRenewed(request: Message, index: MessageIndex): boolean {
  if (request.verb !== 'watch' || !GOES_ON.test(request.target ?? '') || LISTS.test(request.target ?? '')) return false;
  return index.causeOf(request)?.kind !== 'response';
}

/** pkg/controlplane/controller/kubernetesservice: every ten seconds. */
function isOwnAddress({ from, verb, name, resource }: Message): boolean {
  const isOwn = name === 'kubernetes' && (resource === 'endpoints' || resource === 'endpointslices');
  return isOwn && verb === 'get' && from.component === 'kube-apiserver';
}

const GOES_ON = /[?&]resourceVersion=[1-9]/;
const LISTS = /[?&]sendInitialEvents=/;
