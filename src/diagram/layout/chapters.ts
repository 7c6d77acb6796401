// Divides a long diagram into chapters: each begins with a person's write; the writes of one Helm operation are one
// chapter.

import type { Message } from '../../kubernetes/messages/message.js';
import type { Dispositions } from '../disposition.js';
import type { MessageIndex } from '../message-index.js';
import { arrowsOf, type Note, type Step } from '../model.js';
import { isCarriedOut } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';
import { operationsIn } from './releases.js';

export class Chapters {
  /** The first write of each chapter, in order. */
  readonly beginnings: readonly Message[];
  readonly #index: MessageIndex;
  readonly #operations: ReadonlyMap<Message, string>;

  constructor(index: MessageIndex, dispositions: Dispositions) {
    this.#index = index;
    this.#operations = index.once(operationsIn);
    const begun = new Map<number, string>();
    this.beginnings = index.messages.filter((message) => {
      if (dispositions.get(message) !== 'drawn' || !changes(message, index)) return false;
      const operation = this.#operations.get(message) ?? '';
      const goesOn = operation !== '' && begun.get(message.from.id) === operation;
      begun.set(message.from.id, operation);
      return !goesOn;
    });
  }

  /** Number of a message's chapter; 0: before the first one. */
  of(message: Message): number {
    let low = 0;
    let high = this.beginnings.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.beginnings[middle].seq <= message.seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** `patch deployments/web/scale`, or the Helm operation that the write is part of. A generated name is in the response. */
  titleOf(write: Message): string {
    const operation = this.#operations.get(write);
    if (operation !== undefined) return operation;
    const { verb, resource, subresource, name = this.#index.exchangeOf(write).response?.object?.name } = write;
    return [verb, [resource, name, subresource].filter((part) => part !== undefined).join('/')].join(' ');
  }
}

/** Adds a heading to each chapter of a long diagram. @param ends first and last lifeline. */
export function withChapters(steps: readonly Step[], chapters: Chapters, ends: Note['over']): readonly Step[] {
  const beginnings = new Map(chapters.beginnings.map((message) => [message.seq, message]));
  if (beginnings.size < 2 || arrowsOf(steps).length < LONG_STORY) return steps;
  return steps.flatMap((step): Step[] => {
    const begins = arrowsOf([step]).flatMap(({ message }) => beginnings.get(message.seq) ?? []);
    return begins.length === 0
      ? [step]
      : [{ kind: 'note', over: ends, lines: begins.map((write) => chapters.titleOf(write)) }, step];
  });
}

function changes(message: Message, index: MessageIndex): boolean {
  if (message.resource === undefined || message.subresource === 'token' || !isPerson(message.from)) return false;
  return isCarriedOut(message, index);
}

/** Arrows; a shorter diagram needs no chapters. */
export const LONG_STORY = 100;
