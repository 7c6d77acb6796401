// A storm of watches: when an API server comes back, dozens of watches go on at once, are refused, or are told that their
// version is too old (410), list again and watch again. One of each component is drawn, with the number of all. Knows which
// requests belong to such a watch; the rest is counted.

import type { Message } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import type { Dispositions } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';
import type { FoldGroup } from './similar-objects.js';

export const FOLDED_EXPIRED = 'of expired watches';
export const FOLDED_RESUMED = 'of resumed watches';
export const FOLDED_REFUSED = 'of refused watches';

/** One watch that expired: the event that says so, its watch, the list that follows. */
interface Expired {
  readonly event: Message;
  readonly watch: Message;
  readonly list: Message | undefined;
}

/** Gives each message of such a watch its reason, and draws one watch of each component. */
export function foldWatchRestarts(seen: MessageIndex, fates: Dispositions): readonly FoldGroup[] {
  const byComponent = new Map<string, Expired[]>();
  for (const one of expiredWatches(seen)) {
    for (const request of [one.watch, one.list])
      if (request !== undefined) setExchange(request, FOLDED_EXPIRED, seen, fates);
    const { component } = one.event.to;
    const known = byComponent.get(component);
    if (known === undefined) byComponent.set(component, [one]);
    else known.push(one);
  }
  const lanes = [...foldResumed(seen, fates), ...foldRefused(seen, fates)];
  const drawn: RestartSpan[] = [];
  for (const [component, all] of byComponent) {
    const { watch, list, span } = exampleOf(all, drawn, seen);
    drawn.push(span);
    const requests = list === undefined ? [watch] : [watch, list];
    for (const request of requests) setExchange(request, null, seen, fates);
    const title = `${all.length} watches of ${component} request a version that is too old, and list again`;
    if (all.length > 1) lanes.push({ title, sentence: title, times: all.length, requests });
  }
  return lanes;
}

/** From its first to its last message. */
interface RestartSpan {
  readonly from: number;
  readonly to: number;
}

/** The one that is told in the fewest messages, and not while another example is. */
function exampleOf(
  all: readonly Expired[],
  drawn: readonly RestartSpan[],
  seen: MessageIndex,
): Expired & { span: RestartSpan } {
  const spanned = all
    .map((one) => ({ ...one, span: spanOf(one, seen) }))
    .sort((a, b) => a.span.to - a.span.from - (b.span.to - b.span.from));
  const isFree = ({ span }: { span: RestartSpan }): boolean =>
    drawn.every((one) => span.to < one.from || one.to < span.from);
  return spanned.find(isFree) ?? spanned[0];
}

function spanOf({ watch, list }: Expired, seen: MessageIndex): RestartSpan {
  const end = list === undefined ? undefined : seen.exchangeOf(list).response?.seq;
  return { from: watch.seq, to: end ?? Number.MAX_SAFE_INTEGER };
}

/** Watches that go on where the one before them ended: one of each component is drawn, where they are many. */
function foldResumed(seen: MessageIndex, fates: Dispositions): FoldGroup[] {
  const events = new Set(seen.messages.filter((message) => message.kind === 'event').map((message) => message.seq));
  const resumed = watchesOf(seen, (request, response) => {
    // What is told as a watch that expired is told; one that nobody answers did not go on.
    if (!events.has(request.causedBy ?? 0) || fates.get(request) === FOLDED_EXPIRED) return false;
    if (response?.status !== 200) return false;
    for (const message of [request, response]) if (fates.get(message) !== null) fates.set(message, FOLDED_RESUMED);
    return true;
  });
  return [...resumed].flatMap(([component, requests]) =>
    requests.length < MANY
      ? []
      : example(requests, `of ${component} resume from the version that they received last`, seen, fates),
  );
}

/** Watches that are refused: an API server that comes back does not know at once who may what. One of each component and reason. */
function foldRefused(seen: MessageIndex, fates: Dispositions): FoldGroup[] {
  const refused = watchesOf(seen, (request, response) => {
    const isRefused = (response?.status ?? 0) >= 400 && fates.get(request) !== null;
    if (isRefused) setExchange(request, FOLDED_REFUSED, seen, fates);
    return isRefused;
  });
  const lanes: FoldGroup[] = [];
  for (const [component, requests] of refused) {
    const byReason = new Map<string, Message[]>();
    for (const request of requests) {
      const { status, reason } = seen.exchangeOf(request).response ?? {};
      const key = `${status} ${reason}`;
      const known = byReason.get(key);
      if (known === undefined) byReason.set(key, [request]);
      else known.push(request);
    }
    for (const alike of byReason.values()) lanes.push(...example(alike, `of ${component} are refused`, seen, fates));
  }
  return lanes;
}

/** Watches of programs, by component, in the order of their requests. */
function watchesOf(
  { exchanges }: MessageIndex,
  wanted: (request: Message, response: Message | undefined) => boolean,
): ReadonlyMap<string, readonly Message[]> {
  const byComponent = new Map<string, Message[]>();
  for (const { request, response } of exchanges.values()) {
    if (request?.verb !== 'watch' || !wanted(request, response) || isPerson(request.from)) continue;
    const known = byComponent.get(request.from.component);
    if (known === undefined) byComponent.set(request.from.component, [request]);
    else known.push(request);
  }
  return byComponent;
}

/** The first is drawn for all. */
function example(requests: readonly Message[], what: string, seen: MessageIndex, fates: Dispositions): FoldGroup[] {
  setExchange(requests[0], null, seen, fates);
  const title = `${requests.length} watches ${what}`;
  return requests.length === 1 ? [] : [{ title, sentence: title, times: requests.length, requests: [requests[0]] }];
}

function expiredWatches(seen: MessageIndex): Expired[] {
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

/** So many at once are no habit, but a server that was gone. */
const MANY = 10;
/** A watch that begins with the state is a list too. */
const LISTS = new Set(['list', 'watch']);

function setExchange(request: Message, fate: string | null, seen: MessageIndex, fates: Dispositions): void {
  const { response, parts } = seen.exchangeOf(request);
  fates.set(request, fate);
  if (response !== undefined) fates.set(response, fate);
  for (const part of parts) if (part.type === 'ERROR') fates.set(part, fate);
}
