// The chapters of a long picture: what people changed, one chapter from each of their writes to the next; what Helm does for one
// release is one. Knows who is a person and what a write is; folding inside a chapter is others' business.

import type { Message } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import { arrowsOf, type Note, type Step } from '../model.js';
import { type Dispositions, isCarriedOut } from '../selection/follow.js';
import { isPerson } from '../selection/noise.js';
import { operationsIn } from './releases.js';

export class Chapters {
  /** The write that each chapter begins with, in order. */
  readonly beginnings: readonly Message[];
  readonly #seen: MessageIndex;
  readonly #operations: ReadonlyMap<Message, string>;

  constructor(seen: MessageIndex, fates: Dispositions) {
    this.#seen = seen;
    this.#operations = operationsIn(seen);
    const begun = new Map<number, string>();
    this.beginnings = seen.messages.filter((message) => {
      if (fates.get(message) !== null || !changes(message, seen)) return false;
      const operation = this.#operations.get(message) ?? '';
      const goesOn = operation !== '' && begun.get(message.from.id) === operation;
      begun.set(message.from.id, operation);
      return !goesOn;
    });
  }

  /** Number of the chapter that a message stands in; 0 is what comes before the first. */
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

  /**
   * What the chapter is called that begins with a write: `patch deployments/web/scale`, or the operation that it is part of. A
   * name that was generated is in the answer.
   */
  titleOf(write: Message): string {
    const operation = this.#operations.get(write);
    if (operation !== undefined) return operation;
    const { verb, resource, subresource, name = this.#seen.exchangeOf(write).response?.object?.name } = write;
    return [verb, [resource, name, subresource].filter((part) => part !== undefined).join('/')].join(' ');
  }
}

/** A long story of several changes that people made gets a line where each begins. @param ends first and last participant. */
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

function changes(message: Message, seen: MessageIndex): boolean {
  if (message.resource === undefined || message.subresource === 'token' || !isPerson(message.from)) return false;
  return isCarriedOut(message, seen);
}

/** Arrows; a shorter one is taken in at a glance. */
export const LONG_STORY = 100;
