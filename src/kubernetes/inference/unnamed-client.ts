// The client of one connection that did not say its name within the capture. Who it is may be found out later, from what
// it does or from what it says then: this speaker then speaks in that one's name. Knows speakers, not evidence.

import type { Speaker, Tier } from '../message.js';

export class UnnamedClient implements Speaker {
  /** As in the capture. */
  readonly address: string;
  readonly #id: number;
  readonly #frame: number;
  #found: Speaker | null = null;
  /** Two programs were heard on the connection: something forwards for many. */
  #isShared = false;

  /** @param id that no other speaker has. @param frame in which the connection was first seen. */
  constructor(id: number, address: string, frame: number) {
    this.#id = id;
    this.address = address;
    this.#frame = frame;
  }

  /** Takes what was found out; a second, different finding undoes the first. */
  learn(found: Speaker): void {
    if (this.#isShared) return;
    if (this.#found !== null && this.#found.process !== found.process) {
      this.#isShared = true;
      this.#found = null;
    } else this.#found = found.perNode ? found : found.process;
  }

  /** It is told who this is, by other evidence than its own words in the message. */
  get concluded(): boolean {
    return this.#found !== null;
  }

  /** Waiting longer may tell who this is. */
  get open(): boolean {
    return this.#found === null && !this.#isShared;
  }

  get id(): number {
    return this.#found?.id ?? this.#id;
  }

  get component(): string {
    return this.#found?.component ?? `client ${this.address}`;
  }

  get name(): string {
    return this.#found?.name ?? `client ${this.address}`;
  }

  /** What was connected before the capture is rarely a person. */
  get tier(): Tier {
    return this.#found?.tier ?? 'others';
  }

  get shortId(): string | null {
    return this.#found?.shortId ?? null;
  }

  get perNode(): boolean {
    return this.#found?.perNode ?? false;
  }

  get process(): Speaker {
    return this.#found?.process ?? this;
  }

  get evidence(): readonly string[] {
    return (
      this.#found?.evidence ?? [`was connected before the capture and did not say its name (frame ${this.#frame})`]
    );
  }
}
