// Selects messages by sender, receiver, time and expression. A request waits for its response, so that both are
// selected if one is; the order stays.

import type { Message, Participant } from '../../kubernetes/messages/message.js';
import type { Predicate } from './where.js';

export interface Selection {
  /** Component or full participant name. */
  readonly from?: string;
  readonly to?: string;
  /** ns since the epoch. */
  readonly since?: bigint;
  readonly until?: bigint;
  readonly where?: Predicate;
}

interface SelectionEntry {
  readonly message: Message;
  verdict: boolean | undefined;
}

export class Selector {
  readonly #selection: Selection;
  #queue: SelectionEntry[] = [];

  constructor(selection: Selection) {
    this.#selection = selection;
  }

  /** @returns selected messages in order; messages behind an undecided request wait for it. */
  feed(message: Message): readonly Message[] {
    if (this.#selection.where === undefined) return this.#isInside(message) ? [message] : [];
    const entry: SelectionEntry = { message, verdict: this.#decide(message) };
    this.#queue.push(entry);
    return this.#release();
  }

  end(): readonly Message[] {
    for (const entry of this.#queue) entry.verdict ??= false;
    return this.#release();
  }

  #decide(message: Message): boolean | undefined {
    const { where } = this.#selection;
    if (where === undefined) return true;
    const { kind, request } = message;
    const matches = where(message, request);
    if (kind === 'request') return matches ? true : undefined;
    if (kind !== 'response' || request === undefined) return matches;
    // A request that no longer waits was selected, or given up, by itself.
    const waiting = this.#queue.find((entry) => entry.message === request);
    const together = matches || (waiting === undefined ? where(request, undefined) : waiting.verdict === true);
    if (waiting !== undefined) waiting.verdict = together;
    return together;
  }

  #release(): readonly Message[] {
    const surplus = this.#queue.length - MAX_WAITING;
    for (let i = 0; i < surplus; i++) this.#queue[i].verdict ??= false;
    let ready = 0;
    while (ready < this.#queue.length && this.#queue[ready].verdict !== undefined) ready += 1;
    if (ready === 0) return [];
    const decided = this.#queue.splice(0, ready);
    return decided
      .filter((entry) => entry.verdict === true && this.#isInside(entry.message))
      .map((entry) => entry.message);
  }

  #isInside(message: Message): boolean {
    const { from, to, since, until } = this.#selection;
    if (from !== undefined && !hasSide(message, 'from', from)) return false;
    if (to !== undefined && !hasSide(message, 'to', to)) return false;
    if (since !== undefined && message.time < since) return false;
    return until === undefined || message.time <= until;
  }
}

/** Has the sender, or the receiver, this name? A Service on the route counts as both. */
export function hasSide(message: Message, side: 'from' | 'to', name: string): boolean {
  return isNamed(message[side], name) || message.via?.some((one) => isNamed(one, name)) === true;
}

/** `kubelet` matches any kubelet, `kubelet (node-1)` one, `kube-controller-manager` each of its controllers. */
export function isNamed(participant: Participant, name: string): boolean {
  return participant.name === name || participant.component === name || participant.process.component === name;
}

/** Limit: messages that wait behind one undecided request, which then counts as not selected. */
const MAX_WAITING = 100_000;
