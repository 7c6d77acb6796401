// A speaker that is found out later: first it is whoever its address says, then whom its own words prove. Knows speakers,
// not evidence.

import { DeferredParticipant } from '../identity/deferred-participant.js';
import type { Participant } from '../messages/message.js';

export class ResolvableParticipant extends DeferredParticipant {
  #is: Participant;
  #proven: boolean;

  /** @param proven it has named itself: nothing is to be found out. */
  constructor(first: Participant, proven: boolean) {
    super();
    this.#is = first;
    this.#proven = proven;
  }

  get proven(): boolean {
    return this.#proven;
  }

  /** Somebody likely, until proof comes. */
  assume(participant: Participant): void {
    if (!this.#proven) this.#is = participant;
  }

  resolve(participant: Participant): void {
    this.#is = participant;
    this.#proven = true;
  }

  protected get is(): Participant {
    return this.#is;
  }
}
