// What goes on where nobody does anything: watches that end after some minutes and are opened again, an API server that looks whether
// its own address is still told. Folded where a picture would be made of that alone; in one with a story these are about other
// objects. Knows requests and their causes.

import type { Message } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import { succeeded } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';

/** Name of it, as it stands in the note; null: something else. */
export function idleOf(message: Message, index: MessageIndex): string | null {
  const request = index.requestOf(message);
  if (message.protocol !== 'kubernetes' || message.kind === 'event') return null;
  // The end of an answer that began before the capture.
  if (request === undefined) return message.kind === 'response' && message.status === undefined ? RENEWED : null;
  if (isPerson(request.from) || !succeeded(index.exchangeOf(request).response)) return null;
  if (isRenewed(request, index)) return RENEWED;
  return isOwnAddress(request) ? 'own address' : null;
}

/** It goes on where another one ended; who begins has a list before it, or in it. */
function isRenewed(request: Message, index: MessageIndex): boolean {
  if (request.verb !== 'watch' || !GOES_ON.test(request.target ?? '') || LISTS.test(request.target ?? '')) return false;
  return index.causeOf(request)?.kind !== 'response';
}

/** pkg/controlplane/controller/kubernetesservice: every ten seconds. */
function isOwnAddress({ from, verb, name, resource }: Message): boolean {
  const isOwn = name === 'kubernetes' && (resource === 'endpoints' || resource === 'endpointslices');
  return isOwn && verb === 'get' && from.component === 'kube-apiserver';
}

const RENEWED = 'renewed watches';
const GOES_ON = /[?&]resourceVersion=[1-9]/;
const LISTS = /[?&]sendInitialEvents=/;
