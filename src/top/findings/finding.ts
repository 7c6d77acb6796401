// Defines what `kubeseq top` finds wrong with how clients use an API server, and the evidence for it.

import { elapsedText } from '../../core/duration.js';
import { counted } from '../../core/quantity.js';
import type { Participant } from '../../kubernetes/messages/message.js';

export const FINDING_KINDS = [
  'hot-loop',
  'fight',
  'retries',
  'relists',
  'unpaged-list',
  'whole-watch',
  'cut-watches',
  'nameless-client',
] as const;
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
  /** retries: requests that fail in a row, each soon after the last and at a constant interval. */
  readonly retries: number;
  /** relists: lists of the same objects by one client within a minute. */
  readonly relists: number;
  /** unpaged-list: objects in a list without a limit. */
  readonly largeList: number;
  /** whole-watch: instances of one program that each watch a whole resource. */
  readonly wholeWatches: number;
  /** nameless-client: requests of a client that sends no name of its own. */
  readonly nameless: number;
}

export const DEFAULT_THRESHOLDS: FindingThresholds = {
  loopRate: 5,
  fightTurns: 3,
  retries: 10,
  relists: 10,
  largeList: 500,
  wholeWatches: 4,
  nameless: 20,
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
    return [...new Set([...this.#messages, this.#lastMessage])].sort((a, b) => a - b);
  }

  get seconds(): number {
    return Number(this.last - this.first) / 1e9;
  }

  /** `60 times in 9.8 s`. */
  get words(): string {
    const times = counted(this.count, 'time');
    return this.seconds > 0 ? `${times} in ${elapsedText(this.last - this.first)}` : times;
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
