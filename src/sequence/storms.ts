// A storm of expired watches: when an API server comes back, dozens of watches are told at once that their version is too
// old (410), list again and watch again. One of each component is drawn, with the number of all. Knows which requests
// belong to such a watch; the rest is counted.

import type { Message } from '../kubernetes/message.js';
import type { Fates } from './follow.js';
import { isPerson } from './noise.js';
import type { Indexed } from './observation.js';
import type { Lane } from './siblings.js';

export const FOLDED_EXPIRED = 'of expired watches';
export const FOLDED_RESUMED = 'of watches that went on';

/** One watch that expired: the event that says so, its watch, the list that follows. */
interface Expired {
  readonly event: Message;
  readonly watch: Message;
  readonly list: Message | undefined;
}

/** Gives each message of such a watch its reason, and draws one watch of each component. */
export function foldStorms(seen: Indexed, fates: Fates): readonly Lane[] {
  const byComponent = new Map<string, Expired[]>();
  for (const one of expiredWatches(seen)) {
    for (const request of [one.watch, one.list])
      if (request !== undefined) setTalk(request, FOLDED_EXPIRED, seen, fates);
    const { component } = one.event.to;
    const known = byComponent.get(component);
    if (known === undefined) byComponent.set(component, [one]);
    else known.push(one);
  }
  foldResumed(seen, fates);
  const lanes: Lane[] = [];
  const drawn: Span[] = [];
  for (const [component, all] of byComponent) {
    const { watch, list, span } = exampleOf(all, drawn, seen);
    drawn.push(span);
    const requests = list === undefined ? [watch] : [watch, list];
    for (const request of requests) setTalk(request, null, seen, fates);
    const title = `${all.length} watches of ${component} ask for a version that is too old, and list again`;
    if (all.length > 1) lanes.push({ title, sentence: title, times: all.length, requests });
  }
  return lanes;
}

/** From its first to its last message. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The one that is told in the fewest messages, and not while another example is. */
function exampleOf(all: readonly Expired[], drawn: readonly Span[], seen: Indexed): Expired & { span: Span } {
  const spanned = all
    .map((one) => ({ ...one, span: spanOf(one, seen) }))
    .sort((a, b) => a.span.to - a.span.from - (b.span.to - b.span.from));
  const isFree = ({ span }: { span: Span }): boolean => drawn.every((one) => span.to < one.from || one.to < span.from);
  return spanned.find(isFree) ?? spanned[0];
}

function spanOf({ watch, list }: Expired, seen: Indexed): Span {
  const end = list === undefined ? undefined : seen.talkOf(list).response?.seq;
  return { from: watch.seq, to: end ?? Number.MAX_SAFE_INTEGER };
}

/** Watches that go on where the one before them ended. */
function foldResumed(seen: Indexed, fates: Fates): void {
  const events = new Set(seen.messages.filter((message) => message.kind === 'event').map((message) => message.seq));
  for (const { request } of seen.talks.values()) {
    if (request?.verb !== 'watch' || request.causedBy === undefined || !events.has(request.causedBy)) continue;
    const { response } = seen.talkOf(request);
    for (const message of [request, response])
      if (message !== undefined && fates.get(message) !== null) fates.set(message, FOLDED_RESUMED);
  }
}

function expiredWatches(seen: Indexed): Expired[] {
  const lists = new Map<number, Message>();
  for (const message of seen.messages)
    if (message.kind === 'request' && LISTS.has(message.verb ?? '') && message.causedBy !== undefined)
      lists.set(message.causedBy, message);
  return seen.messages.flatMap((event): Expired[] => {
    if (event.kind !== 'event' || event.type !== 'ERROR' || event.reason !== 'Expired' || isPerson(event.to)) return [];
    const watch = seen.requestOf(event);
    return watch === undefined ? [] : [{ event, watch, list: lists.get(event.seq) }];
  });
}

/** A watch that begins with the state is a list too. */
const LISTS = new Set(['list', 'watch']);

function setTalk(request: Message, fate: string | null, seen: Indexed, fates: Fates): void {
  const { response, parts } = seen.talkOf(request);
  fates.set(request, fate);
  if (response !== undefined) fates.set(response, fate);
  for (const part of parts) if (part.type === 'ERROR') fates.set(part, fate);
}
