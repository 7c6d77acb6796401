// Folds the watches that restart together when an API server comes back: continued, refused, or expired (410) and
// relisted. One of each component is drawn, with the number of all.

import { append } from '../../core/collections/many.js';
import { appendTo } from '../../core/collections/multimap.js';
import { requestOf } from '../../kubernetes/emitted/message-links.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { Disposition, Dispositions } from '../disposition.js';
import type { MessageIndex } from '../message-index.js';
import { isPerson } from '../selection/noise.js';
import type { FoldGroup } from './similar-objects.js';

/** An expired watch: the ERROR event, its watch, and the list that follows. */
interface Expired {
  readonly event: Message;
  readonly watch: Message;
  readonly list: Message | undefined;
}

/** Folds restarted watches, and draws one watch of each component for all. */
export function foldWatchRestarts(index: MessageIndex, dispositions: Dispositions): readonly FoldGroup[] {
  const byComponent = new Map<string, Expired[]>();
  for (const one of expiredWatches(index)) {
    for (const request of [one.watch, one.list])
      if (request !== undefined) setExchange(request, 'expired-watches', index, dispositions);
    const { component } = one.event.to;
    appendTo(byComponent, component, one);
  }
  const groups = [...foldResumed(index, dispositions), ...foldRefused(index, dispositions)];
  const drawn: RestartSpan[] = [];
  for (const [component, all] of byComponent) {
    const { watch, list, span } = exampleOf(all, drawn, index);
    drawn.push(span);
    const requests = list === undefined ? [watch] : [watch, list];
    for (const request of requests) setExchange(request, 'drawn', index, dispositions);
    const title = `${all.length} watches of ${component} request a version that is too old, and list again`;
    if (all.length > 1) groups.push({ title, sentence: title, times: all.length, requests });
  }
  return groups;
}

/** `seq` of the first and the last message. */
interface RestartSpan {
  readonly from: number;
  readonly to: number;
}

/** The watch with the shortest span, if possible one that does not overlap another drawn example. */
function exampleOf(
  all: readonly Expired[],
  drawn: readonly RestartSpan[],
  index: MessageIndex,
): Expired & { span: RestartSpan } {
  const spanned = all
    .map((one) => ({ ...one, span: spanOf(one, index) }))
    .sort((a, b) => a.span.to - a.span.from - (b.span.to - b.span.from));
  const isFree = ({ span }: { span: RestartSpan }): boolean =>
    drawn.every((one) => span.to < one.from || one.to < span.from);
  return spanned.find(isFree) ?? spanned[0];
}

function spanOf({ watch, list }: Expired, index: MessageIndex): RestartSpan {
  const end = list === undefined ? undefined : index.exchangeOf(list).response?.seq;
  return { from: watch.seq, to: end ?? Number.MAX_SAFE_INTEGER };
}

/** Watches that continue where the one before ended; one of each component is drawn if there are many. */
function foldResumed(index: MessageIndex, dispositions: Dispositions): FoldGroup[] {
  const events = new Set(index.messages.filter((message) => message.kind === 'event').map((message) => message.seq));
  const resumed = watchesOf(index, (request, response) => {
    // An expired watch has its own reason, and one without a response did not continue.
    if (!events.has(request.causedBy ?? 0) || dispositions.get(request) === 'expired-watches') return false;
    if (response?.status !== 200) return false;
    for (const message of [request, response])
      if (dispositions.get(message) !== 'drawn') dispositions.set(message, 'resumed-watches');
    return true;
  });
  return [...resumed].flatMap(([component, requests]) =>
    requests.length < MANY
      ? []
      : example(requests, `of ${component} resume from the version that they received last`, index, dispositions),
  );
}

/** Watches that are refused: after a restart, the API server does not have all RBAC rules at once. One of each component and reason is drawn. */
function foldRefused(index: MessageIndex, dispositions: Dispositions): FoldGroup[] {
  const refused = watchesOf(index, (request, response) => {
    const isRefused = (response?.status ?? 0) >= 400 && dispositions.get(request) !== 'drawn';
    if (isRefused) setExchange(request, 'refused-watches', index, dispositions);
    return isRefused;
  });
  const groups: FoldGroup[] = [];
  for (const [component, requests] of refused) {
    const byReason = new Map<string, Message[]>();
    for (const request of requests) {
      const { status, reason } = index.exchangeOf(request).response ?? {};
      const key = `${status} ${reason}`;
      appendTo(byReason, key, request);
    }
    for (const equal of byReason.values())
      append(groups, example(equal, `of ${component} are refused`, index, dispositions));
  }
  return groups;
}

/** Component → watches, in the order of the requests. */
function watchesOf(
  { exchanges }: MessageIndex,
  wanted: (request: Message, response: Message | undefined) => boolean,
): ReadonlyMap<string, readonly Message[]> {
  const byComponent = new Map<string, Message[]>();
  for (const { request, response } of exchanges.values()) {
    if (request?.verb !== 'watch' || !wanted(request, response) || isPerson(request.from)) continue;
    appendTo(byComponent, request.from.component, request);
  }
  return byComponent;
}

/** Draws the first request for all. */
function example(
  requests: readonly Message[],
  what: string,
  index: MessageIndex,
  dispositions: Dispositions,
): FoldGroup[] {
  setExchange(requests[0], 'drawn', index, dispositions);
  const title = `${requests.length} watches ${what}`;
  return requests.length === 1 ? [] : [{ title, sentence: title, times: requests.length, requests: [requests[0]] }];
}

function expiredWatches(index: MessageIndex): Expired[] {
  const lists = new Map<number, Message>();
  for (const message of index.messages)
    if (message.kind === 'request' && LISTS.has(message.verb ?? '') && message.causedBy !== undefined)
      lists.set(message.causedBy, message);
  return index.messages.flatMap((event): Expired[] => {
    if (event.kind !== 'event' || event.type !== 'ERROR' || event.reason !== 'Expired' || isPerson(event.to)) return [];
    const watch = requestOf(event);
    return watch === undefined ? [] : [{ event, watch, list: lists.get(event.seq) }];
  });
}

/** So many at once show that the server was away. */
const MANY = 10;
/** A watch with sendInitialEvents replaces a list. */
const LISTS = new Set(['list', 'watch']);

function setExchange(
  request: Message,
  disposition: Disposition,
  index: MessageIndex,
  dispositions: Dispositions,
): void {
  const { response, parts } = index.exchangeOf(request);
  dispositions.set(request, disposition);
  if (response !== undefined) dispositions.set(response, disposition);
  for (const part of parts) if (part.type === 'ERROR') dispositions.set(part, disposition);
}
