// What programs are refused again and again, whatever they try: an informer that may not list, a kubelet that may not write its
// node's status. The first is drawn, with the number of all. Knows noise that failed; a story's own failures are all drawn.

import type { Message } from '../../kubernetes/messages/message.js';
import type { Chapters } from '../layout/chapters.js';
import type { MessageIndex } from '../message-index.js';
import { wentWrong } from '../notes/failed-requests.js';
import type { Dispositions } from '../selection/follow.js';
import { isPerson, noiseOf } from '../selection/noise.js';
import { foldExchange } from './similar-objects.js';

export const FOLDED_REPEATED_ERRORS = 'with the same error as the one drawn';

/** Folds in `fates`. @returns what to say beside the first. */
export function foldRepeatedErrors(
  seen: MessageIndex,
  fates: Dispositions,
  chapters: Chapters,
): ReadonlyMap<Message, readonly string[]> {
  const groups = new Map<string, Message[]>();
  for (const { request, response } of seen.exchanges.values()) {
    if (request === undefined || response === undefined || fates.get(request) !== null) continue;
    if (isPerson(request.from) || noiseOf(request, request) === null || !wentWrong(request, response)) continue;
    const { status, grpcStatus, reason, statusMessage } = response;
    const why = [status, grpcStatus, reason, statusMessage];
    const key = JSON.stringify([chapters.of(request), request.from.name, request.label, ...why]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [request]);
    else group.push(request);
  }
  const remarks = new Map<Message, readonly string[]>();
  for (const [first, ...others] of groups.values()) {
    if (others.length + 1 < FEWEST) continue;
    remarks.set(first, [`${others.length + 1} of these fail alike: the first is drawn`]);
    for (const request of others) foldExchange(request, FOLDED_REPEATED_ERRORS, seen, fates);
  }
  return remarks;
}

/** Fewer are drawn sooner than explained. */
const FEWEST = 4;
