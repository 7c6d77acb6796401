// A speaker that is found out later: first it is whoever its address says, then whom its own words prove. Knows speakers,
// not evidence.

import type { Speaker, Tier } from '../message.js';

export class KnownLater implements Speaker {
  #is: Speaker;
  #proven: boolean;

  /** @param proven it has named itself: nothing is to be found out. */
  constructor(first: Speaker, proven: boolean) {
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

  get id(): number {
    return this.#is.id;
  }

  get component(): string {
    return this.#is.component;
  }

  get name(): string {
    return this.#is.name;
  }

  get tier(): Tier {
    return this.#is.tier;
  }

  get shortId(): string | null {
    return this.#is.shortId;
  }

  get perNode(): boolean {
    return this.#is.perNode;
  }

  get process(): Speaker {
    return this.#is.process;
  }

  get evidence(): readonly string[] {
    return this.#is.evidence;
  }
}
