// Everything that was seen, joined by exchange: what the pictures choose from. Knows messages, not pictures.

import { lookup } from '../core/lookup.js';
import { CLIENT_LEFT, type Notice, SERVER_LEFT } from '../core/notice.js';
import type { Message } from '../kubernetes/message.js';
import { seconds } from './pauses.js';

export interface Talk {
  request: Message | undefined;
  response: Message | undefined;
  /** Watch events and streamed messages. */
  readonly parts: Message[];
  /** How it ended without an answer, in words; undefined: the capture ended, or that is not known. */
  ended?: string;
}

export interface Observation {
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
}

export interface Indexed {
  readonly messages: readonly Message[];
  readonly talks: ReadonlyMap<number, Talk>;
  talkOf(message: Message): Talk;
  /** The request that a message belongs to, itself included. */
  requestOf(message: Message): Message | undefined;
  /** The message to which another one answers. */
  causeOf(message: Message): Message | undefined;
}

/** @param notices tell how requests without an answer ended. */
export function index(messages: readonly Message[], notices: readonly Notice[] = []): Indexed {
  const talks = new Map<number, Talk>();
  for (const message of messages) {
    let talk = talks.get(message.exchange);
    if (talk === undefined) {
      talk = { request: undefined, response: undefined, parts: [] };
      talks.set(message.exchange, talk);
    }
    if (message.kind === 'request') talk.request = message;
    else if (message.kind === 'response') talk.response = message;
    else talk.parts.push(message);
  }
  tellEndings(talks, notices);
  const talkOf = (message: Message): Talk => talks.get(message.exchange) as Talk;
  let bySeq: Map<number, Message> | null = null;
  const causeOf = ({ causedBy }: Message): Message | undefined => {
    if (causedBy === undefined) return undefined;
    bySeq ??= new Map(messages.map((message) => [message.seq, message]));
    return bySeq.get(causedBy);
  };
  return { messages, talks, talkOf, requestOf: (message) => talkOf(message).request, causeOf };
}

/** Notices have the connection and the stream of a request that nobody answered, and when it was given up. */
function tellEndings(talks: ReadonlyMap<number, Talk>, notices: readonly Notice[]): void {
  const endings = notices.filter(({ code, detail }) => code === 'exchange.no-response' && detail in ENDINGS);
  if (endings.length === 0) return;
  const waiting = new Map<string, Talk[]>();
  for (const talk of talks.values()) {
    const { request, response } = talk;
    if (request === undefined || response !== undefined) continue;
    const place = placeOf(request.connection, request.stream);
    const known = waiting.get(place);
    if (known === undefined) waiting.set(place, [talk]);
    else known.push(talk);
  }
  for (const { detail, connection = '', stream = null, origin } of endings) {
    const talk = waiting.get(placeOf(connection, stream))?.shift();
    if (talk?.request === undefined || origin === undefined || origin.time < talk.request.time) continue;
    const after = `after ${seconds(origin.time - talk.request.time)} s`;
    talk.ended = ENDINGS[detail](talk.request, after);
  }
}

function placeOf(connection: string, stream: number | null): string {
  return `${connection} ${stream ?? ''}`;
}

/** By the detail of the notice. */
const ENDINGS: Readonly<Record<string, (request: Message, after: string) => string>> = lookup({
  [CLIENT_LEFT]: ({ from }, after) => `${from.name} gave up ${after}`,
  [SERVER_LEFT]: ({ to }, after) => `${to.name} ended it ${after}, without an answer`,
});
