// The arrows of a picture with what stands beside them: from whom to whom each drawn message goes, which of them are set-up,
// and the notes that say what an arrow cannot. Knows exchanges and participants; not what comes before and behind.

import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { FOLDED_READS_BEFORE_WRITES } from '../folding/reads-before-writes.js';
import type { MessageIndex } from '../message-index.js';
import type { Arrow, Note, Step } from '../model.js';
import { remarksOn } from '../notes/arrow-notes.js';
import type { Dispositions } from '../selection/follow.js';
import { drawnVia } from './hops.js';
import type { LifelineLayout } from './lifelines.js';

/** A message that is drawn, and its ends in this picture. */
export interface DrawnMessage {
  readonly message: Message;
  readonly from: Participant;
  readonly to: Participant;
}

/** An event of a shared informer points at the controller that acted on it first. */
export function receiversOf(
  drawn: readonly Message[],
  seen: MessageIndex,
  fates: Dispositions,
): ReadonlyMap<Message, Participant> {
  const events = new Map(drawn.filter((message) => message.kind === 'event').map((message) => [message.seq, message]));
  const receivers = new Map<Message, Participant>();
  for (const message of seen.messages) {
    const fate = fates.get(message);
    if (fate !== null && fate !== FOLDED_READS_BEFORE_WRITES) continue;
    if (message.verb === 'watch' || message.verb === 'list') continue;
    const event =
      message.kind === 'request' && message.causedBy !== undefined ? events.get(message.causedBy) : undefined;
    if (event === undefined || receivers.has(event) || message.from.process !== event.to.process) continue;
    receivers.set(event, message.from);
  }
  return receivers;
}

/** Watches that were opened before the story begins stand at the top. */
export function split(
  arrows: readonly DrawnMessage[],
  seen: MessageIndex,
): { setUp: DrawnMessage[]; story: DrawnMessage[] } {
  const isWatch = ({ message }: DrawnMessage): boolean => {
    const request = seen.requestOf(message);
    return (
      message.kind !== 'event' && request?.verb === 'watch' && (seen.exchangeOf(message).response?.status ?? 200) < 300
    );
  };
  const begin = arrows.findIndex((arrow) => !isWatch(arrow));
  if (begin < 0) return { setUp: [], story: [...arrows] };
  return { setUp: arrows.slice(0, begin), story: arrows.slice(begin) };
}

/** Watches whose opening is not in the capture. */
export function watchesBefore(arrows: readonly DrawnMessage[], seen: MessageIndex, cast: LifelineLayout): Note[] {
  const told = new Map<string, Set<string>>();
  for (const { message, to } of arrows) {
    if (message.kind !== 'event' || seen.requestOf(message) !== undefined) continue;
    const id = cast.idOf(to);
    const kinds = told.get(id) ?? new Set();
    kinds.add(message.object?.kind ?? 'objects');
    told.set(id, kinds);
  }
  return [...told].map(([id, kinds]) => ({
    kind: 'note',
    over: [id],
    lines: [`watches ${[...kinds].join(', ')}`, '(opened before the capture)'],
  }));
}

/** @param together what else to say beside a message. */
export function stepsFor(
  arrow: DrawnMessage,
  seen: MessageIndex,
  fates: Dispositions,
  cast: LifelineLayout,
  together: ReadonlyMap<Message, readonly string[]>,
): Step[] {
  const { message } = arrow;
  const from = cast.idOf(arrow.from);
  const to = cast.idOf(arrow.to);
  const exchange = seen.exchangeOf(message);
  // mermaid reads no picture in which what is not active is ended: an answer may stand before its request (clocks differ).
  const paired =
    exchange.request !== undefined &&
    exchange.response !== undefined &&
    exchange.request.seq < exchange.response.seq &&
    fates.get(exchange.response) === null;
  const via = drawnVia(message).map((one) => cast.idOf(one));
  const drawn: Arrow = {
    ...(via.length === 0 ? null : { via }),
    kind: 'arrow',
    message,
    from,
    to,
    activates: message.kind === 'request' && paired,
    deactivates: message.kind === 'response' && paired && fates.get(exchange.request as Message) === null,
  };
  const lines = [...(together.get(message) ?? []), ...remarksOn(message, exchange)];
  return lines.length === 0 ? [drawn] : [drawn, { kind: 'note', over: over(from, to, cast), lines }];
}

/** A note over the two ends of an arrow. */
export function noteAt({ from, to }: Arrow, line: string, cast: LifelineLayout): Note {
  return { kind: 'note', over: over(from, to, cast), lines: [line] };
}

function over(from: string, to: string, cast: LifelineLayout): Note['over'] {
  if (from === to) return [from];
  const order = cast.lifelines.map((one) => one.id);
  return order.indexOf(from) < order.indexOf(to) ? [from, to] : [to, from];
}
