// Indexes the messages of an observation by exchange and cause.

import { dictionary } from '../core/collections/dictionary.js';
import { elapsedText } from '../core/duration.js';
import { CLIENT_LEFT, type Notice, SERVER_LEFT } from '../core/notice.js';
import type { Cause, Message } from '../kubernetes/messages/message.js';
import type { Remainder, TrafficFacts } from './remainder.js';

export interface ExchangeMessages {
  request: Message | undefined;
  response: Message | undefined;
  /** Watch events and streamed messages. */
  readonly parts: Message[];
  /** How the exchange ended without a response, in words; undefined: unknown. */
  ended?: string;
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
  /** The request that a message belongs to, itself included. */
  requestOf(message: Message): Message | undefined;
  /** The message with a `seq`. */
  withSeq(seq: number): Message | undefined;
  /** The message that caused another one. */
  causeOf(message: Message): Message | undefined;
}

/** @param notices show how requests without a response ended. @param facts if `messages` are not all there are. */
export function indexMessages(
  messages: readonly Message[],
  notices: readonly Notice[] = [],
  facts?: TrafficFacts,
): MessageIndex {
  const exchanges = new Map<number, ExchangeMessages>();
  for (const message of messages) {
    let exchange = exchanges.get(message.exchange);
    if (exchange === undefined) {
      exchange = { request: undefined, response: undefined, parts: [] };
      exchanges.set(message.exchange, exchange);
    }
    if (message.kind === 'request') exchange.request = message;
    else if (message.kind === 'response') exchange.response = message;
    else exchange.parts.push(message);
  }
  addEndings(exchanges, notices);
  const exchangeOf = (message: Message): ExchangeMessages => exchanges.get(message.exchange) as ExchangeMessages;
  let bySeq: Map<number, Message> | null = null;
  const withSeq = (seq: number): Message | undefined => {
    bySeq ??= new Map(messages.map((message) => [message.seq, message]));
    return bySeq.get(seq);
  };
  const causeOf = ({ causedBy }: Message): Message | undefined =>
    causedBy === undefined ? undefined : withSeq(causedBy);
  return {
    messages,
    facts,
    exchanges,
    exchangeOf,
    requestOf: (message) => exchangeOf(message).request,
    withSeq,
    causeOf,
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

/** `exchange.no-response` has the connection and stream of a request, and the time at which it ended. */
function addEndings(exchanges: ReadonlyMap<number, ExchangeMessages>, notices: readonly Notice[]): void {
  const endings = notices.filter(({ code, detail }) => code === 'exchange.no-response' && detail in ENDINGS);
  if (endings.length === 0) return;
  const open = new Map<string, ExchangeMessages[]>();
  for (const exchange of exchanges.values()) {
    const { request, response } = exchange;
    if (request === undefined || response !== undefined) continue;
    const place = placeOf(request.connection, request.stream);
    const known = open.get(place);
    if (known === undefined) open.set(place, [exchange]);
    else known.push(exchange);
  }
  for (const { detail, connection = '', stream = null, origin } of endings) {
    const exchange = open.get(placeOf(connection, stream))?.shift();
    if (exchange?.request === undefined || origin === undefined || origin.time < exchange.request.time) continue;
    const after = `after ${elapsedText(origin.time - exchange.request.time)}`;
    exchange.ended = ENDINGS[detail](exchange.request, after);
  }
}

function placeOf(connection: string, stream: number | null): string {
  return `${connection} ${stream ?? ''}`;
}

/** Detail of the notice → words. */
const ENDINGS: Readonly<Record<string, (request: Message, after: string) => string>> = dictionary({
  [CLIENT_LEFT]: ({ from }, after) => `${from.name} gave up ${after}`,
  [SERVER_LEFT]: ({ to }, after) => `${to.name} ended it ${after}, without a response`,
});
