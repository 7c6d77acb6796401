// Everything that was seen, joined by exchange: what the pictures choose from. Knows messages, not pictures.

import type { Notice } from '../core/notice.js';
import type { Message } from '../kubernetes/message.js';

export interface Talk {
  request: Message | undefined;
  response: Message | undefined;
  /** Watch events and streamed messages. */
  readonly parts: Message[];
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

export function index(messages: readonly Message[]): Indexed {
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
  const talkOf = (message: Message): Talk => talks.get(message.exchange) as Talk;
  let bySeq: Map<number, Message> | null = null;
  const causeOf = ({ causedBy }: Message): Message | undefined => {
    if (causedBy === undefined) return undefined;
    bySeq ??= new Map(messages.map((message) => [message.seq, message]));
    return bySeq.get(causedBy);
  };
  return { messages, talks, talkOf, requestOf: (message) => talkOf(message).request, causeOf };
}
