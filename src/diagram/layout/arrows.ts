// Creates the arrows of a diagram: sender, receiver and hops of each drawn message, the set-up watches, and the notes
// on arrows.

import { requestOf } from '../../kubernetes/emitted/message-links.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import type { Dispositions } from '../disposition.js';
import type { MessageIndex } from '../message-index.js';
import type { Arrow, Note, Step } from '../model.js';
import { arrowNotes } from '../notes/arrow-notes.js';
import { wentWrong } from '../notes/failed-requests.js';
import type { LifelineLayout } from './lifelines.js';

/** A drawn message with its sender and receiver in this diagram. */
export interface DrawnMessage {
  readonly message: Message;
  readonly from: Participant;
  readonly to: Participant;
}

/** An event of a shared informer is drawn to the controller that reacted to it first. */
export function receiversOf(
  drawn: readonly Message[],
  index: MessageIndex,
  dispositions: Dispositions,
): ReadonlyMap<Message, Participant> {
  const events = new Map(drawn.filter((message) => message.kind === 'event').map((message) => [message.seq, message]));
  const receivers = new Map<Message, Participant>();
  for (const message of index.messages) {
    const disposition = dispositions.get(message);
    if (disposition !== 'drawn' && disposition !== 'reads-before-writes') continue;
    if (message.verb === 'watch' || message.verb === 'list') continue;
    const event =
      message.kind === 'request' && message.causedBy !== undefined ? events.get(message.causedBy) : undefined;
    if (event === undefined || receivers.has(event)) continue;
    if (message.from.process !== event.to.process && !isUnknown(event.to)) continue;
    receivers.set(event, message.from);
  }
  return receivers;
}

/** Nothing identifies it but what its event led to. */
export function isUnknown({ component, tier }: Participant): boolean {
  return tier === 'others' && component.startsWith('client ');
}

/** Separates the watches that were opened before the story begins. */
export function split(
  arrows: readonly DrawnMessage[],
  index: MessageIndex,
): { setUp: DrawnMessage[]; story: DrawnMessage[] } {
  const begin = arrows.findIndex(({ message }) => {
    const isOfWatch = message.kind !== 'event' && requestOf(message)?.verb === 'watch';
    return !isOfWatch || (index.exchangeOf(message).response?.status ?? 200) >= 300;
  });
  if (begin < 0) return { setUp: [], story: [...arrows] };
  return { setUp: arrows.slice(0, begin), story: arrows.slice(begin) };
}

/**
 * Notes about watches that were opened before the capture, or before what was selected of it (`--since`).
 * @param dispositions of the selected messages; null: all are.
 */
export function watchesBefore(
  arrows: readonly DrawnMessage[],
  layout: LifelineLayout,
  dispositions: Dispositions | null,
): Note[] {
  const kinds = new Map<string, Set<string>>();
  const first = arrows[0]?.message.seq ?? 0;
  for (const { message, to } of arrows) {
    const request = requestOf(message);
    if (message.kind !== 'event') continue;
    if (request !== undefined && (dispositions === null || request.seq > first)) continue;
    if (request !== undefined && dispositions?.get(request) === 'drawn') continue;
    const key = `${request === undefined ? BEFORE_CAPTURE : BEFORE_SELECTION} ${layout.idOf(to)}`;
    kinds.set(key, (kinds.get(key) ?? new Set()).add(message.object?.kind ?? 'objects'));
  }
  return [...kinds].map(([key, of]) => {
    const at = key.indexOf(')') + 1;
    return { kind: 'note', over: [key.slice(at + 1)], lines: [`watches ${[...of].join(', ')}`, key.slice(0, at)] };
  });
}

const BEFORE_CAPTURE = '(opened before the capture)';
const BEFORE_SELECTION = '(opened earlier)';

/** What is known of a drawn message besides its exchange. */
export interface ArrowFacts {
  /** Lines of a note on it, before those about its exchange. */
  readonly notes: readonly string[];
  /** It is on the critical path that the diagram shows. */
  readonly isOnPath: boolean;
  /** It is the first that shows what is wrong with its object, or shows that a container still waits for an error to end. */
  readonly tellsProblem: boolean;
  /** It fails, and that is what its reader waits for. */
  readonly isOrdinary: boolean;
}

export function stepsFor(
  arrow: DrawnMessage,
  index: MessageIndex,
  dispositions: Dispositions,
  layout: LifelineLayout,
  { notes, isOnPath, tellsProblem, isOrdinary }: ArrowFacts,
): Step[] {
  const { message } = arrow;
  const from = layout.idOf(arrow.from);
  const to = layout.idOf(arrow.to);
  const exchange = index.exchangeOf(message);
  // mermaid rejects a deactivation without an activation, and a response may stand before its request (clocks differ).
  const paired =
    exchange.request !== undefined &&
    exchange.response !== undefined &&
    exchange.request.seq < exchange.response.seq &&
    dispositions.get(exchange.response) === 'drawn';
  const via = drawnVia(message).map((one) => layout.idOf(one));
  const drawn: Arrow = {
    ...(via.length === 0 ? null : { via }),
    ...(tellsProblem || (!isOrdinary && tellsOfFailure(message, exchange.request)) ? { hasFailed: true } : null),
    ...(isOnPath ? { isOnPath } : null),
    kind: 'arrow',
    message,
    from,
    to,
    activates: message.kind === 'request' && paired,
    deactivates: message.kind === 'response' && paired && dispositions.get(exchange.request as Message) === 'drawn',
  };
  const lines = [...notes, ...arrowNotes(message, exchange)];
  return lines.length === 0 ? [drawn] : [drawn, { kind: 'note', over: over(from, to, layout), lines, isOnArrow: true }];
}

function tellsOfFailure(message: Message, request: Message | undefined): boolean {
  if (message.kind === 'request') return message.k8sEvent?.type === 'Warning';
  if (message.kind === 'event') return message.type === 'ERROR';
  return message.kind === 'response' && wentWrong(request ?? message, message);
}

/** A note over the two ends of an arrow. */
export function noteAt({ from, to }: Arrow, line: string, layout: LifelineLayout): Note {
  return { kind: 'note', over: over(from, to, layout), lines: [line], isOnArrow: true };
}

function over(from: string, to: string, layout: LifelineLayout): Note['over'] {
  if (from === to) return [from];
  const order = layout.lifelines.map((one) => one.id);
  return order.indexOf(from) < order.indexOf(to) ? [from, to] : [to, from];
}

export interface DrawnHop {
  readonly from: Participant;
  readonly to: Participant;
}

/** The hops of a message: one for nearly all. */
export function hopsOf(
  message: Message,
  from: Participant = message.from,
  to: Participant = message.to,
): readonly DrawnHop[] {
  const stops = [from, ...drawnVia(message), to];
  return stops.slice(1).map((stop, i) => ({ from: stops[i], to: stop }));
}

/** Services are drawn between workloads, but not in front of an API server. */
export function drawnVia({ protocol, via }: Message): readonly Participant[] {
  return via !== undefined && (protocol === 'http' || protocol === 'grpc') ? via : [];
}
