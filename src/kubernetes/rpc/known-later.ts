// A speaker that is found out later: first it is whoever its address says, then whom its own words prove. Knows speakers,
// not evidence.

import type { Speaker } from '../message.js';
import { StandIn } from '../stand-in.js';

export class KnownLater extends StandIn {
  #is: Speaker;
  #proven: boolean;

  /** @param proven it has named itself: nothing is to be found out. */
  constructor(first: Speaker, proven: boolean) {
    super();
    this.#is = first;
    this.#proven = proven;
  }

  get proven(): boolean {
    return this.#proven;
  }

  /** Somebody likely, until proof comes. */
  suppose(speaker: Speaker): void {
    if (!this.#proven) this.#is = speaker;
  }

  prove(speaker: Speaker): void {
    this.#is = speaker;
    this.#proven = true;
  }

  protected get is(): Speaker {
    return this.#is;
  }
}
