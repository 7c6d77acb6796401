// Defines what `kubeseq top` finds wrong with how clients use an API server, and the evidence for it.

import type { Participant } from '../../kubernetes/messages/message.js';

export const FINDING_KINDS = ['hot-loop', 'fight'] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface UsageFinding {
  readonly kind: FindingKind;
  readonly clients: readonly Participant[];
  /** In words, without the clients: `get 60 times the same …`. */
  readonly what: string;
  /** Requests that it is about. */
  readonly count: number;
  /** ns since the epoch: of the first and of the last of them. */
  readonly first: bigint;
  readonly last: bigint;
  /** `seq` of the first ones and of the last one. */
  readonly messages: readonly number[];
}

/** From when on something is a finding. */
export interface FindingThresholds {
  /** hot-loop: unchanged answers to one client about one object, a second. */
  readonly loopRate: number;
  /** fight: how often in turn two clients undo each other's change of a field. */
  readonly fightTurns: number;
}

export const DEFAULT_THRESHOLDS: FindingThresholds = {
  loopRate: 5,
  fightTurns: 3,
};

/** What happened again and again: how often, from when to when, in which messages. */
export class Recurrence {
  count = 0;
  first = 0n;
  last = 0n;
  readonly #messages: number[] = [];
  #lastMessage = 0;

  add(time: bigint, seq: number): void {
    if (this.count === 0) this.first = time;
    this.count += 1;
    this.last = time;
    this.#lastMessage = seq;
    if (this.#messages.length < SHOWN_MESSAGES) this.#messages.push(seq);
  }

  /** `seq` of the first ones and of the last one. */
  get messages(): readonly number[] {
    const { length } = this.#messages;
    return this.#messages[length - 1] === this.#lastMessage || length === 0
      ? [...this.#messages]
      : [...this.#messages, this.#lastMessage];
  }

  get seconds(): number {
    return Number(this.last - this.first) / 1e9;
  }

  /** `60 times in 9.8 s`. */
  get words(): string {
    const times = `${this.count} times`;
    return this.seconds > 0 ? `${times} in ${Number(this.seconds.toPrecision(3))} s` : times;
  }
}

/** Puts a finding together. */
export function findingOf(
  kind: FindingKind,
  clients: readonly Participant[],
  what: string,
  { count, first, last, messages }: Pick<UsageFinding, 'count' | 'first' | 'last' | 'messages'>,
): UsageFinding {
  return { kind, clients, what, count, first, last, messages };
}

const SHOWN_MESSAGES = 5;
/** Limit: findings of one kind; no reader needs more. */
export const MAX_FINDINGS = 200;
