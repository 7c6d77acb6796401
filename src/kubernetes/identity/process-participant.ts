// A participant that is one process; its name depends on what was learnt of it and on other processes of its component.

import { flattenString } from '../../core/bytes/bytes.js';
import type { Participant } from '../messages/message.js';
import { componentNamed, tierOf } from './components.js';
import type { Tier } from './tiers.js';

/** A program that sends or serves; its name changes with what is learnt of it. */
export class ProcessParticipant implements Participant {
  node: string | null = null;
  fixedName: string | null = null;
  /** Its name with its address, built once: each message needs it. */
  #addressName = '';
  #addressNamed = '';
  manager: ProcessParticipant | null = null;
  sameAs: ProcessParticipant | null = null;
  /** Of several nodes. */
  isShared = false;
  /** It sends requests, too. */
  asks = false;
  /** It takes turns with others of its kind, as controllers do. */
  elects = false;
  /** Where it answers; 0: on several ports. */
  #port: number | null = null;

  constructor(
    readonly id: number,
    readonly component: string,
    public address: string,
    /** All of its component, itself too. */
    private readonly siblings: readonly ProcessParticipant[],
    public evidence: readonly string[],
  ) {}

  get process(): ProcessParticipant {
    return this.manager?.process ?? this;
  }

  get tier(): Tier {
    if (this.manager !== null) return this.manager.tier;
    return this.elects ? 'controllers' : tierOf(this.component);
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
      this.#addressName = flattenString(`${this.component} (${this.address})`);
    }
    return this.#addressName;
  }

  /** It answers on a port. */
  serves(port: number): void {
    if (this.#port === null) this.#port = port;
    else if (this.#port !== port) this.#port = 0;
  }

  /** It sends responses. */
  get isServer(): boolean {
    return this.#port !== null;
  }

  /** It was seen only as a server on that port. */
  onlyServes(port: number): boolean {
    return this.#port === port && !this.asks && this.fixedName === null;
  }

  /** It is part of another process. @param how that is known. @param frame where. */
  belongsTo(program: ProcessParticipant, how: string, frame: number): void {
    if (this.manager !== null || program.process === this || this.fixedName !== null || this.node !== null) return;
    this.manager = program;
    this.addEvidence(how);
    if (this.elects) program.takesTurns(frame);
  }

  takesTurns(frame: number): void {
    this.manager?.takesTurns(frame);
    if (this.elects) return;
    this.elects = true;
    this.addEvidence(`elects a leader with a Lease, as controllers do (frame ${frame})`);
  }

  /** Retracts evidence for its node. */
  removeEvidence(node: string, how: string): void {
    if (this.node !== node || !this.evidence.includes(how)) return;
    this.node = null;
    this.evidence = this.evidence.filter((one) => one !== how);
  }

  addEvidence(how: string): void {
    // Most have one: an array that was pushed to holds room for seventeen.
    if (this.evidence.length < MAX_EVIDENCE && !this.evidence.includes(how)) this.evidence = [...this.evidence, how];
  }
}

/** The process itself, or the one it was found to be; null: none yet. */
export function programOf(participant: Participant): ProcessParticipant | null {
  if (participant instanceof ProcessParticipant) return participant;
  const { process } = participant;
  return process instanceof ProcessParticipant ? process : null;
}

/** Enough to convince a reader; the first ones are the strongest. */
const MAX_EVIDENCE = 8;
