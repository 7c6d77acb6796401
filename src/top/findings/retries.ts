// Finds retries without back-off: one client repeats a request that fails, soon and at a constant interval.

import { LruMap } from '../../core/collections/bounded.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { objectWords, requestKey } from '../request-words.js';
import { findingOf, MAX_FINDINGS, Recurrence, type UsageFinding } from './finding.js';

interface FailedRequest {
  /** ns since the epoch: the last failed response. */
  answered: bigint;
  /** ns: the shortest wait before a request was repeated; null: none was. */
  shortest: bigint | null;
  status: number;
  recurrence: Recurrence;
  retries: Retries | null;
}

interface Retries {
  readonly request: Message;
  readonly status: number;
  readonly recurrence: Recurrence;
}

export class RetriesWithoutBackOff {
  readonly #threshold: number;
  readonly #failed = new LruMap<string, FailedRequest>(MAX_REQUESTS, 'requests that failed');
  readonly #found: Retries[] = [];

  /** @param threshold how many failures in a row make a finding. */
  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  /** @param response that answers the request. */
  observe(request: Message, response: Message): void {
    const { status = 0, time } = response;
    if (request.resource === undefined) return;
    const key = requestKey(request);
    let known = this.#failed.get(key);
    if (status < 400) {
      if (known !== undefined) reset(known);
      return;
    }
    if (known === undefined) {
      known = { answered: 0n, shortest: null, status, recurrence: new Recurrence(), retries: null };
      this.#failed.set(key, known);
    }
    // Requests that were under way at the same time are no retries; a longer wait is a back-off.
    const wait = request.time - known.answered;
    const isSoon = wait >= 0n && wait <= LONGEST_WAIT_NS;
    const isConstant = known.shortest === null || wait <= 2n * known.shortest + JITTER_NS;
    if (known.recurrence.count > 0 && !(isSoon && isConstant && status === known.status)) reset(known);
    else if (known.recurrence.count > 0 && (known.shortest === null || wait < known.shortest)) known.shortest = wait;
    known.answered = time;
    known.status = status;
    known.recurrence.add(request.time, request.seq);
    if (known.recurrence.count < this.#threshold || known.retries !== null || this.#found.length >= MAX_FINDINGS)
      return;
    // The recurrence is shared: later failures extend the finding.
    known.retries = { request, status, recurrence: known.recurrence };
    this.#found.push(known.retries);
  }

  findings(): UsageFinding[] {
    return this.#found.map(({ request, status, recurrence }) =>
      findingOf(
        'retries',
        [request.from],
        `${request.verb ?? ''} ${objectWords(request)} ${recurrence.words}, each answered with ${status}, without waiting longer from time to time`,
        recurrence,
      ),
    );
  }
}

function reset(known: FailedRequest): void {
  known.shortest = null;
  known.recurrence = new Recurrence();
  known.retries = null;
}

/** ns: a client that waits so long may do so each time. */
const LONGEST_WAIT_NS = 1_000_000_000n;
/** ns: what may be added to a short interval by the scheduling of processes. */
const JITTER_NS = 10_000_000n;
/** Limit: failed requests whose repetition is observed. */
const MAX_REQUESTS = 4096;
