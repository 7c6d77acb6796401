// Reports that say the same of brothers: twenty Pods of one ReplicaSet for which there is no node are one thing that went wrong.
// The first report is drawn, with the names of the others; where one of them is reported anew, that is another time. A report that
// was refused, or that nobody answered, stands for itself. Knows Events, identities and owners; what they mean is the reader's.

import type { K8sEventInfo, Message } from '../../kubernetes/messages/message.js';
import type { Chapters } from '../layout/chapters.js';
import type { MessageIndex } from '../message-index.js';
import { type Dispositions, succeeded } from '../selection/follow.js';
import { FOLDED_SIMILAR, foldExchange } from './similar-objects.js';

/** Folds in `fates`. @returns what to say beside the reports that stand for others. */
export function foldRepeatedEvents(
  seen: MessageIndex,
  fates: Dispositions,
  chapters: Chapters,
): ReadonlyMap<Message, readonly string[]> {
  const owners = ownersIn(seen);
  const groups = new Map<string, EventGroup>();
  const all: EventGroup[] = [];
  for (const { request, response } of seen.exchanges.values()) {
    const k8sEvent = request?.k8sEvent ?? response?.k8sEvent;
    if (request === undefined || k8sEvent === undefined || fates.get(request) !== null) continue;
    const owner = owners.get(k8sEvent.uid);
    if (owner === undefined || !succeeded(response)) continue;
    const said = k8sEvent.message.replaceAll(k8sEvent.name, '*');
    const key = JSON.stringify([request.from.id, owner, k8sEvent.kind, k8sEvent.reason, said, chapters.of(request)]);
    let group = groups.get(key);
    if (group === undefined || group.uids.has(k8sEvent.uid)) {
      group = { reports: [], uids: new Set() };
      groups.set(key, group);
      all.push(group);
    }
    group.reports.push({ request, k8sEvent });
    group.uids.add(k8sEvent.uid);
  }
  const remarks = new Map<Message, readonly string[]>();
  for (const { reports } of all) {
    const [first, ...others] = reports;
    if (others.length === 0) continue;
    remarks.set(first.request, [`reported on ${reports.length} ${first.k8sEvent.kind}s: ${namesOf(reports)}`]);
    for (const { request } of others) foldExchange(request, FOLDED_SIMILAR, seen, fates);
  }
  return remarks;
}

interface RepeatedEvent {
  readonly request: Message;
  readonly k8sEvent: K8sEventInfo;
}

interface EventGroup {
  readonly reports: RepeatedEvent[];
  readonly uids: Set<string>;
}

/** By uid: of the first owner. */
function ownersIn({ messages }: MessageIndex): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { object } of messages) {
    const owner = object?.owners?.[0]?.uid;
    if (object?.uid != null && owner !== undefined) owners.set(object.uid, owner);
  }
  return owners;
}

function namesOf(reports: readonly RepeatedEvent[]): string {
  const names = reports.slice(0, MAX_NAMES).map(({ k8sEvent }) => k8sEvent.name);
  const more = reports.length - names.length;
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`;
}

/** A note stays a few lines. */
const MAX_NAMES = 8;
