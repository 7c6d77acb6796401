// Gathers what went wrong from messages and notices, heaviest first: for the summary and the first look.

import type { ConnectionEnd } from '../core/connection-end.js';
import { serverOf } from '../core/connection-name.js';
import type { Notice } from '../core/notice.js';
import { compareTimes } from '../core/origin.js';
import type { Message } from '../kubernetes/messages/message.js';
import { CutExchanges } from './cut-exchanges.js';
import { LeaderChanges } from './leader-changes.js';
import type { Observation } from './message-index.js';
import type { Endpoints } from './notes/endpoints.js';
import { REFUSED } from './notes/failed-connections.js';
import { FailedConnections } from './problem-connections.js';
import { heaviestFirst } from './problem-kinds.js';
import { Problems, type TimedProblem } from './problems.js';
import { SilentServers } from './silent-servers.js';

/** What one kind of problems is gathered by; `uncounted`: what was beyond its limits. */
interface Gatherer {
  readonly uncounted: number;
  result(): readonly TimedProblem[];
}

export class WentWrong {
  readonly #problems: Problems;
  readonly #connections: FailedConnections;
  readonly #leaders = new LeaderChanges();
  readonly #cuts = new CutExchanges();
  readonly #silent = new SilentServers();

  /**
   * @param onProblem is called for every message that shows a problem, known or new; not for what is usual at a start.
   * @param endpoints of all messages, where not all of them are added.
   */
  constructor(onProblem?: (message: Message) => void, endpoints?: Endpoints) {
    this.#problems = new Problems(onProblem);
    this.#connections = new FailedConnections(endpoints);
  }

  /** @param message in the order of time. */
  add(message: Message): void {
    this.#problems.add(message);
    this.#connections.observe(message);
    this.#leaders.add(message);
    this.#cuts.add(message);
    this.#silent.add(message);
  }

  addNotice(notice: Notice): void {
    this.#connections.add(notice);
    const { code, connection, origin } = notice;
    if (code === REFUSED && connection !== undefined && origin !== undefined)
      this.#problems.refused(serverOf(connection), origin.time);
  }

  /** @param end may come before messages that are older. */
  addEnd(end: ConnectionEnd): void {
    this.#leaders.ended(end);
  }

  /** What was beyond the limits. */
  get uncounted(): number {
    return this.#all().reduce((sum, one) => sum + one.uncounted, 0);
  }

  result(): readonly TimedProblem[] {
    return heaviestFirst(this.#all().flatMap((one) => one.result()));
  }

  #all(): readonly Gatherer[] {
    return [this.#problems, this.#connections, this.#leaders, this.#cuts, this.#silent];
  }
}

/** @returns heaviest first. */
export function wentWrongIn({ messages, notices, remainder }: Observation): readonly TimedProblem[] {
  const wrong = new WentWrong(undefined, remainder?.endpoints);
  const ofConnections = notices
    .flatMap((notice) => (notice.origin === undefined ? [] : [{ notice, time: notice.origin.time }]))
    .sort((a, b) => compareTimes(a.time, b.time));
  let next = 0;
  for (const message of messages) {
    for (; next < ofConnections.length && ofConnections[next].time < message.time; next++)
      wrong.addNotice(ofConnections[next].notice);
    wrong.add(message);
  }
  for (const { notice } of ofConnections.slice(next)) wrong.addNotice(notice);
  return wrong.result();
}

/** Messages that `summary` counts as problems. */
export function problemsIn(messages: readonly Message[]): ReadonlySet<Message> {
  const found = new Set<Message>();
  const wrong = new WentWrong((message) => found.add(message));
  for (const message of messages) wrong.add(message);
  // That a leader changed is known later than its message.
  const first = new Set(wrong.result().flatMap(({ kind, message }) => (kind === 'start-up' ? [] : [message])));
  for (const message of messages) if (first.has(message.seq)) found.add(message);
  return found;
}
