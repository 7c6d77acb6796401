// What a user selected: by sender, receiver, time, expression. A request waits until its answer tells whether the two
// are wanted, so that an exchange's request and response are kept together; the order stays. Knows messages, not pictures.

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
  /** Requests whose exchange may still be asked about, by exchange. */
  readonly #requests = new Map<number, SelectionEntry>();

  constructor(selection: Selection) {
    this.#selection = selection;
  }

  /** @returns messages that are selected, in order; later ones wait behind one that is not decided. */
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
    const asked = this.#requests.get(message.exchange);
    const matches = where(message, asked?.message);
    if (message.kind === 'request') {
      const entry: SelectionEntry = { message, verdict: matches ? true : undefined };
      this.#remember(message.exchange, entry);
      return entry.verdict;
    }
    if (message.kind !== 'response' || asked === undefined) return matches;
    const together = matches || asked.verdict === true;
    asked.verdict = together;
    const waiting = this.#queue.find((entry) => entry.message === asked.message);
    if (waiting !== undefined) waiting.verdict = together;
    return together;
  }

  #remember(exchange: number, entry: SelectionEntry): void {
    this.#requests.set(exchange, entry);
    if (this.#requests.size <= MAX_OPEN) return;
    const [oldest] = this.#requests.keys();
    this.#requests.delete(oldest);
  }

  #release(): readonly Message[] {
    const surplus = this.#queue.length - MAX_WAITING;
    for (let i = 0; i < surplus; i++) this.#queue[i].verdict ??= false;
    let ready = 0;
    while (ready < this.#queue.length && this.#queue[ready].verdict !== undefined) ready += 1;
    if (ready === 0) return [];
    const settled = this.#queue.splice(0, ready);
    return settled
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

/** Did somebody of that name send it, or receive it? A Service that it passed did both. */
export function hasSide(message: Message, side: 'from' | 'to', name: string): boolean {
  return isNamed(message[side], name) || message.via?.some((one) => isNamed(one, name)) === true;
}

/** `kubelet` is any kubelet, `kubelet (node-1)` that one, `kube-controller-manager` each of its controllers. */
export function isNamed(participant: Participant, name: string): boolean {
  return participant.name === name || participant.component === name || participant.process.component === name;
}

/** Exchanges that can be open at a time with their request remembered. */
const MAX_OPEN = 100_000;
/** Messages that wait behind one undecided request, which then counts as not selected. */
const MAX_WAITING = 100_000;
