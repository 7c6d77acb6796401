// Gathers what is shown, by participant: requests, errors, and how long answers took.

import { type ChartRow, type Model, REQUEST, RESPONSE } from './model.js';

export interface Statistics {
  /** Of everything that is shown. */
  readonly total: ExchangeCounts;
  /** By the participant that sends the requests, and by the one that answers; the most requests first. */
  readonly clients: readonly ParticipantStatistics[];
  readonly servers: readonly ParticipantStatistics[];
}

export interface ExchangeCounts {
  readonly requests: readonly ChartRow[];
  /** Answers that refuse, or report a failure. */
  readonly errors: readonly ChartRow[];
  /** Requests whose answer is not in the capture. */
  readonly unanswered: readonly ChartRow[];
  /** The answer whose first byte took so long; null: no answer is shown. */
  readonly p50: ChartRow | null;
  readonly p99: ChartRow | null;
}

export interface ParticipantStatistics extends ExchangeCounts {
  readonly participant: number;
}

/** @param shown rows in order. */
export function statisticsOf(model: Model, shown: readonly ChartRow[]): Statistics {
  const total = new Counter();
  const clients = new Map<number, Counter>();
  const servers = new Map<number, Counter>();
  for (const row of shown) {
    if (row.kind !== REQUEST && row.kind !== RESPONSE) continue;
    const isRequest = row.kind === REQUEST;
    const isAlone = isRequest && !model.exchangeOf(row).some(({ kind }) => kind === RESPONSE);
    const [client, server] = isRequest ? [row.from, row.to] : [row.to, row.from];
    for (const counter of [total, counterOf(clients, client), counterOf(servers, server)])
      counter.add(row, isRequest, isAlone);
  }
  return { total: total.result(), clients: listOf(clients), servers: listOf(servers) };
}

function counterOf(counters: Map<number, Counter>, participant: number): Counter {
  const known = counters.get(participant) ?? new Counter();
  counters.set(participant, known);
  return known;
}

function listOf(counters: ReadonlyMap<number, Counter>): ParticipantStatistics[] {
  return [...counters]
    .map(([participant, counter]) => ({ participant, ...counter.result() }))
    .sort((a, b) => b.requests.length - a.requests.length);
}

class Counter {
  readonly #requests: ChartRow[] = [];
  readonly #errors: ChartRow[] = [];
  readonly #unanswered: ChartRow[] = [];
  readonly #answers: ChartRow[] = [];

  add(row: ChartRow, isRequest: boolean, isAlone: boolean): void {
    if (isRequest) this.#requests.push(row);
    if (isAlone) this.#unanswered.push(row);
    if (isRequest) return;
    if (row.isError) this.#errors.push(row);
    if (row.latency >= 0) this.#answers.push(row);
  }

  result(): ExchangeCounts {
    const answers = this.#answers.sort((a, b) => a.latency - b.latency);
    return {
      requests: this.#requests,
      errors: this.#errors,
      unanswered: this.#unanswered,
      p50: percentile(answers, 0.5),
      p99: percentile(answers, 0.99),
    };
  }
}

/** The nearest rank. @param sorted from small to large. */
function percentile(sorted: readonly ChartRow[], part: number): ChartRow | null {
  return sorted.length === 0 ? null : sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
}
