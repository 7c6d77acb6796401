// Represents a participant that is identified later: first by its address, then by its own messages.

import { DeferredParticipant } from '../identity/deferred-participant.js';
import type { Participant } from '../messages/message.js';

export class ResolvableParticipant extends DeferredParticipant {
  #target: Participant;
  #proven: boolean;

  /** @param proven `first` is known to be right. */
  constructor(first: Participant, proven: boolean) {
    super();
    this.#target = first;
    this.#proven = proven;
  }

  get proven(): boolean {
    return this.#proven;
  }

  /** A likely participant, until there is proof. */
  assume(participant: Participant): void {
    if (!this.#proven) this.#target = participant;
  }

  resolve(participant: Participant): void {
    this.#target = participant;
    this.#proven = true;
  }

  protected get is(): Participant {
    return this.#target;
  }
}
