// Counts the verdicts of each webhook, and how long its calls took.

import { LatencyHistogram } from '../core/collections/latency-histogram.js';
import { SeriesTable } from '../core/collections/series-table.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';

export interface WebhookSummary {
  readonly webhook: string;
  readonly calls: number;
  /** How many answers have each verdict; an answer without one could not be read, or is a failure. */
  readonly verdicts: Readonly<Partial<Record<WebhookVerdict, number>>>;
  /** Answered with a status from 400 on. */
  readonly failed: number;
  readonly unanswered: number;
  /** Percentiles are at most 2 % too high, `max` is exact, `message` is `seq` of the slowest answer; null: none was answered. */
  readonly latencyMs: {
    readonly p50: number;
    readonly p99: number;
    readonly max: number;
    readonly message: number;
  } | null;
}

export type WebhookVerdict = NonNullable<Message['verdict']>;

interface CountedWebhook {
  readonly webhook: Participant;
  calls: number;
  answered: number;
  failed: number;
  readonly verdicts: Partial<Record<WebhookVerdict, number>>;
  readonly latencies: LatencyHistogram;
}

export class WebhookVerdicts {
  readonly #webhooks = new SeriesTable<number, CountedWebhook>(MAX_WEBHOOKS);

  /** Calls of webhooks beyond the limit. */
  get uncounted(): number {
    return this.#webhooks.leftOut;
  }

  request({ to }: Message): void {
    if (to.component !== WEBHOOK) return;
    const counted = this.#webhooks.of(to.id, () => newWebhook(to));
    if (counted !== undefined) counted.calls += 1;
  }

  response({ status = 0, verdict, latencyMs, seq }: Message, { to }: Message): void {
    const counted = this.#webhooks.get(to.id);
    if (counted === undefined) return;
    counted.answered += 1;
    if (status >= 400) counted.failed += 1;
    if (verdict !== undefined) counted.verdicts[verdict] = (counted.verdicts[verdict] ?? 0) + 1;
    if (latencyMs !== undefined) counted.latencies.add(latencyMs, seq);
  }

  /** Most calls first. Webhooks that turned out to have one name are one row. */
  result(): readonly WebhookSummary[] {
    const byName = new Map<string, CountedWebhook>();
    for (const one of this.#webhooks.values()) {
      const { name } = one.webhook;
      const known = byName.get(name) ?? newWebhook(one.webhook);
      byName.set(name, known);
      known.calls += one.calls;
      known.answered += one.answered;
      known.failed += one.failed;
      for (const [verdict, count] of Object.entries(one.verdicts) as [WebhookVerdict, number][])
        known.verdicts[verdict] = (known.verdicts[verdict] ?? 0) + count;
      known.latencies.merge(one.latencies);
    }
    return [...byName.entries()]
      .map(([webhook, { calls, answered, failed, verdicts, latencies }]) => {
        const [p50, p99] = latencies.percentiles(0.5, 0.99);
        const { max, slowest } = latencies;
        const latencyMs = latencies.count === 0 ? null : { p50, p99, max, message: slowest };
        return { webhook, calls, verdicts, failed, unanswered: Math.max(0, calls - answered), latencyMs };
      })
      .sort((a, b) => b.calls - a.calls || (a.webhook < b.webhook ? -1 : 1));
  }
}

function newWebhook(webhook: Participant): CountedWebhook {
  return { webhook, calls: 0, answered: 0, failed: 0, verdicts: {}, latencies: new LatencyHistogram() };
}

const WEBHOOK = 'webhook';
/** Limit: webhooks with a histogram of some kilobytes; a cluster with many operators has some hundred. */
const MAX_WEBHOOKS = 2000;
