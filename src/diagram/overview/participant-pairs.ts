// Counts who spoke to whom: for each pair of programs its requests, failures, watches and watch events.

import { counted } from '../../core/quantity.js';
import type { Message, Participant, Protocol } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import { wentWrong } from '../notes/failed-requests.js';
import { isInLayers } from '../selection/visibility.js';

export interface ParticipantPair {
  readonly from: Participant;
  readonly to: Participant;
  readonly first: Message;
  last: Message;
  requests: number;
  /** Requests whose answers tell a failure. */
  failed: number;
  /** Watches among the requests. */
  watches: number;
  /** Watch events. */
  events: number;
  /** Messages of other streams: exec, logs. */
  streamed: number;
  /** Exchanges that a side broke off. */
  broken: number;
}

/** @returns programs rather than their controllers, the most frequent pair first. */
export function participantPairs(index: MessageIndex, layers: ReadonlySet<Protocol>): readonly ParticipantPair[] {
  const pairs = new Map<string, ParticipantPair>();
  for (const { request, response, parts } of index.exchanges.values()) {
    const first = request ?? response ?? parts[0];
    if (!isInLayers(first, layers)) continue;
    // A request from before the capture is known by what answers it.
    const [client, server] = request === undefined ? [first.to, first.from] : [first.from, first.to];
    const [from, to] = [client.process, server.process];
    const key = `${from.name}\n${to.name}`;
    let pair = pairs.get(key);
    if (pair === undefined) {
      pair = { from, to, first, last: first, requests: 0, failed: 0, watches: 0, events: 0, streamed: 0, broken: 0 };
      pairs.set(key, pair);
    }
    pair.requests += request === undefined ? 0 : 1;
    pair.watches += request?.verb === 'watch' ? 1 : 0;
    pair.failed += request !== undefined && wentWrong(request, response) ? 1 : 0;
    for (const { kind } of parts) {
      if (kind === 'event') pair.events += 1;
      else if (kind === 'end') pair.broken += 1;
      else pair.streamed += 1;
    }
    const last = parts.at(-1) ?? response ?? first;
    if (last.seq > pair.last.seq) pair.last = last;
  }
  return [...pairs.values()].sort((a, b) => messagesIn(b) - messagesIn(a) || a.first.seq - b.first.seq);
}

/** `412 requests, 9 watches, 1203 watch events, 3 failed`. */
export function pairWords({ requests, failed, watches, events, streamed, broken }: ParticipantPair): string {
  const others = requests - watches;
  const words: string[] = [];
  if (others > 0) words.push(counted(others, 'request'));
  if (watches > 0) words.push(counted(watches, 'watch', 'watches'));
  if (events > 0) words.push(counted(events, 'watch event'));
  if (streamed > 0) words.push(counted(streamed, 'streamed message'));
  if (broken > 0) words.push(`${broken} broken off`);
  if (failed > 0) words.push(`${failed} failed`);
  return words.length === 0 ? 'answers alone' : words.join(', ');
}

/** Requests and what came over their streams. */
export function messagesIn({ requests, events, streamed }: ParticipantPair): number {
  return requests + events + streamed;
}
