// Numbers participants, which are kept as they are: their names get better until the end.

import type { Participant } from '../kubernetes/messages/message.js';

export class ParticipantNumbers {
  /** By number. */
  readonly all: Participant[] = [];
  /** By the object, not by its id: the unknown client of a connection takes the id of the program that it turns out to be. */
  readonly #numbers = new Map<Participant, number>();

  of(participant: Participant): number {
    const known = this.#numbers.get(participant);
    if (known !== undefined) return known;
    const number = this.all.push(participant) - 1;
    this.#numbers.set(participant, number);
    return number;
  }
}
