// Requests of a diagram that wait for their answers at one place of its text: arrows go in from top to bottom, the requests
// that an answer may belong to come out. Knows pairs of participants; what is a request, and where ways part, planner.ts
// knows.

import type { ExpectedArrow } from './plan.js';

export class Unanswered {
  /** By who asked and who was asked. */
  #waiting = new Map<string, UnansweredRequests>();

  /** Whatever waits after one of several ways. */
  static afterOneOf(ways: readonly Unanswered[]): Unanswered {
    const after = new Unanswered();
    const open = after.#waiting;
    for (const way of ways) {
      for (const [key, waiting] of way.#waiting) {
        const known = open.get(key);
        if (known === undefined) open.set(key, waiting);
        else
          open.set(key, {
            requests: [...new Set([...known.requests, ...waiting.requests])],
            pending: Math.max(known.pending, waiting.pending),
            lost: known.lost || waiting.lost,
          });
      }
    }
    return after;
  }

  /** For one of several ways that begin here. */
  copy(): Unanswered {
    const copy = new Unanswered();
    copy.#waiting = new Map(this.#waiting);
    return copy;
  }

  /** @param isAbsent it is taken as if it were not there. */
  asked(request: ExpectedArrow, isAbsent: boolean): void {
    const key = keyOf(request.from, request.to);
    const { requests, pending, lost } = this.#waiting.get(key) ?? NOBODY;
    this.#waiting.set(key, {
      requests: isAbsent ? requests : [...requests, request],
      pending: pending + 1,
      lost: lost || isAbsent,
    });
  }

  /**
   * As many answers as there are requests: then none of them waits any more.
   *
   * @param from who asked, to whom: indices among the participants.
   * @returns requests that the answer may belong to; null: any.
   */
  answered(from: number, to: number): readonly ExpectedArrow[] | null {
    const key = keyOf(from, to);
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return null;
    if (waiting.pending <= 1) this.#waiting.delete(key);
    else this.#waiting.set(key, { ...waiting, pending: waiting.pending - 1 });
    return waiting.lost || waiting.requests.length === 0 ? null : waiting.requests;
  }
}

/** Requests of one pair of participants that wait for their answers. */
interface UnansweredRequests {
  readonly requests: readonly ExpectedArrow[];
  /** How many of them were not answered yet. */
  readonly pending: number;
  /** One of them is taken as absent: its answer may be any. */
  readonly lost: boolean;
}

function keyOf(from: number, to: number): string {
  return `${from} ${to}`;
}

const NOBODY: UnansweredRequests = { requests: [], pending: 0, lost: false };
