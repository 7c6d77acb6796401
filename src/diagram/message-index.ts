// Indexes the messages of an observation by exchange and cause.

import type { Notice } from '../core/notice.js';
import type { Cause, Message } from '../kubernetes/messages/message.js';
import type { Remainder, TrafficFacts } from './remainder.js';

export interface ExchangeMessages {
  request: Message | undefined;
  response: Message | undefined;
  /** Watch events and streamed messages. */
  readonly parts: Message[];
  /** How a side broke the exchange off. */
  end?: Message;
}

export interface Observation {
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
  /** Of messages that are left out; undefined: none is. */
  readonly remainder?: Remainder;
}

export interface MessageIndex {
  readonly messages: readonly Message[];
  /** undefined: the messages are all there are. */
  readonly facts?: TrafficFacts;
  readonly exchanges: ReadonlyMap<number, ExchangeMessages>;
  exchangeOf(message: Message): ExchangeMessages;
  /** The message with a `seq`. */
  withSeq(seq: number): Message | undefined;
  /** The message that caused another one. */
  causeOf(message: Message): Message | undefined;
  /**
   * What `facts` finds in all messages: computed at the first call, shared by all diagrams that are made of them, changed by none.
   * The function itself is the key, so give a named one.
   */
  once<Facts>(facts: (index: MessageIndex) => Facts): Facts;
  /** The same in the messages of this part alone; of an index that is no part, what `once` gives. */
  ofPart<Facts>(facts: (index: MessageIndex) => Facts): Facts;
  /** The index that this one is a part of; null: it has all messages. */
  readonly whole: MessageIndex | null;
  /** @param messages some of them, in their order. @returns an index with these alone; causes, exchanges and facts are those of all. */
  part(messages: readonly Message[]): MessageIndex;
}

/** @param facts if `messages` are not all there are. */
export function indexMessages(messages: readonly Message[], facts?: TrafficFacts): MessageIndex {
  const exchanges = new Map<number, ExchangeMessages>();
  for (const message of messages) {
    let exchange = exchanges.get(message.exchange);
    if (exchange === undefined) {
      exchange = { request: undefined, response: undefined, parts: [] };
      exchanges.set(message.exchange, exchange);
    }
    if (message.kind === 'request') exchange.request = message;
    else if (message.kind === 'response') exchange.response = message;
    else {
      exchange.parts.push(message);
      if (message.kind === 'end') exchange.end = message;
    }
  }
  const exchangeOf = (message: Message): ExchangeMessages => exchanges.get(message.exchange) as ExchangeMessages;
  let bySeq: Map<number, Message> | null = null;
  const withSeq = (seq: number): Message | undefined => {
    bySeq ??= new Map(messages.map((message) => [message.seq, message]));
    return bySeq.get(seq);
  };
  const causeOf = ({ causedBy }: Message): Message | undefined =>
    causedBy === undefined ? undefined : withSeq(causedBy);
  const once = computedOnce(() => index);
  const index: MessageIndex = {
    messages,
    facts,
    exchanges,
    exchangeOf,
    withSeq,
    causeOf,
    once,
    ofPart: once,
    whole: null,
    part: (some) => partOf(index, some),
  };
  return index;
}

function partOf(whole: MessageIndex, messages: readonly Message[]): MessageIndex {
  const exchanges = new Map(messages.map((message) => [message.exchange, whole.exchangeOf(message)]));
  const part: MessageIndex = { ...whole, messages, exchanges, ofPart: computedOnce(() => part), whole };
  return part;
}

function computedOnce(index: () => MessageIndex): MessageIndex['once'] {
  const found = new Map<(index: MessageIndex) => unknown, unknown>();
  return <Facts>(of: (index: MessageIndex) => Facts): Facts => {
    if (!found.has(of)) found.set(of, of(index()));
    return found.get(of) as Facts;
  };
}

/**
 * `seq` of a message that must come first, because this one follows from it; undefined: none is known. What triggered a program, and
 * which request a store or webhook was called for, counts only where the capture proves it: a verdict must not depend on a guess.
 */
export function predecessorOf({ cause }: Message): number | undefined {
  return cause !== undefined && (cause.certain || SHOWN_BY_ITSELF.has(cause.how)) ? cause.seq : undefined;
}

/** `seq` of all messages that must come before this one: its predecessor, that one's, and so on. Each is lower than the one before. */
export function* ancestorsOf(message: Message, { withSeq }: Pick<MessageIndex, 'withSeq'>): Generator<number> {
  for (let one: Message | undefined = message; one !== undefined; ) {
    const seq = predecessorOf(one);
    if (seq === undefined || seq >= one.seq) return;
    yield seq;
    one = withSeq(seq);
  }
}

/** Where the message itself shows what it belongs to: its exchange, version or image, or the request that it repeats. */
const SHOWN_BY_ITSELF: ReadonlySet<Cause['how']> = new Set([
  'response',
  'forwarded',
  'pull',
  'stream',
  'list',
  'write',
]);

/**
 * @param frame number in any of the captures.
 * @returns messages that begin or end in the frame, else messages that continue in it.
 */
export function messagesInFrame(messages: readonly Message[], frame: number): readonly Message[] {
  const edges = messages.filter((message) => rangesOf(message).some((range) => range.includes(frame)));
  if (edges.length > 0) return edges;
  return messages.filter((message) => rangesOf(message).some(([first, last]) => first < frame && frame < last));
}

/** The message that ends nearest to a frame; undefined: there are no messages. */
export function nearestToFrame(messages: readonly Message[], frame: number): Message | undefined {
  let nearest: Message | undefined;
  for (const message of messages)
    if (nearest === undefined || distance(message, frame) < distance(nearest, frame)) nearest = message;
  return nearest;
}

function distance({ frames }: Message, frame: number): number {
  return Math.abs(frames[1] - frame);
}

/** Includes translated copies. Of a message that spans two captures, only the first and the last frame are known. */
function rangesOf({ frames, lastCapture, translated = [] }: Message): (readonly number[])[] {
  const own: (readonly number[])[] = lastCapture === undefined ? [frames] : frames.map((frame) => [frame]);
  return [...own, ...translated.map((copy) => copy.frames)];
}
