// Speakers as they become known: a name depends on what was learnt of the program and on whether there are others of its
// component. Knows evidence and names; who is the same as whom is decided in speakers.ts.

import { inOnePiece } from '../core/bytes.js';
import { componentNamed, type Tier, tierOf } from './components.js';
import type { Speaker } from './message.js';

/** A program that spoke; what is learnt of it changes its name. */
export class MutableSpeaker implements Speaker {
  node: string | null = null;
  fixedName: string | null = null;
  /** Its name with its address, made once: each message asks for it. */
  #addressName = '';
  #addressNamed = '';
  manager: MutableSpeaker | null = null;
  sameAs: MutableSpeaker | null = null;

  constructor(
    readonly id: number,
    readonly component: string,
    public address: string,
    /** All of its component, itself too. */
    private readonly siblings: readonly MutableSpeaker[],
    public evidence: readonly string[],
  ) {}

  get process(): MutableSpeaker {
    return this.manager ?? this;
  }

  get tier(): Tier {
    return this.manager === null ? tierOf(this.component) : this.manager.tier;
  }

  get shortId(): string | null {
    return componentNamed(this.component)?.id ?? null;
  }

  get perNode(): boolean {
    return componentNamed(this.component)?.perNode === true;
  }

  get name(): string {
    if (this.fixedName !== null) return this.fixedName;
    if (this.sameAs !== null) return this.sameAs.name;
    if (this.node !== null) return `${this.component} (${this.node})`;
    if (this.siblings.length === 1 || this.siblings[0] === this) return this.component;
    if (this.#addressNamed !== this.address) {
      this.#addressNamed = this.address;
      this.#addressName = inOnePiece(`${this.component} (${this.address})`);
    }
    return this.#addressName;
  }

  learn(how: string): void {
    // Most have one: an array that was pushed to holds room for seventeen.
    if (this.evidence.length < MAX_EVIDENCE) this.evidence = [...this.evidence, how];
  }
}

/** Nobody said who receives here; one program on the address is proof enough, two are none. */
export class Listener implements Speaker {
  readonly perNode = false;

  constructor(
    private readonly ownId: number,
    private readonly unknown: string,
    private readonly candidates: readonly MutableSpeaker[],
    private readonly frame: number,
  ) {}

  get id(): number {
    return this.#found?.id ?? this.ownId;
  }

  get component(): string {
    return this.#found?.component ?? this.unknown;
  }

  get name(): string {
    return this.#found?.name ?? this.unknown;
  }

  /** What was opened before the capture is rarely a person's. */
  get tier(): Tier {
    return this.#found?.tier ?? 'others';
  }

  get shortId(): string | null {
    return this.#found?.shortId ?? null;
  }

  get process(): Speaker {
    return this.#found ?? this;
  }

  get evidence(): readonly string[] {
    const found = this.#found;
    if (found === undefined) return [`receives what was asked before the capture (frame ${this.frame})`];
    return [...found.evidence, `receives on its address what was asked before the capture (frame ${this.frame})`];
  }

  /** It is told who this is, by other evidence than its own words. */
  get concluded(): boolean {
    return this.#found !== undefined;
  }

  /** A person's program is rarely older than the capture: that it alone spoke from the address tells nothing. */
  get #found(): MutableSpeaker | undefined {
    const [only] = this.candidates;
    return this.candidates.length === 1 && only.tier !== 'people' ? only : undefined;
  }
}

/** Enough to convince a reader; the first ones are the strongest. */
const MAX_EVIDENCE = 8;
