// Lists what a capture holds: objects, requests by participant, the slowest calls, webhooks with their verdicts.

import type { Message } from '../kubernetes/messages/message.js';
import { Latencies, type LatencySummary, type SlowCall, SlowestCalls } from './latencies.js';
import { type ObjectSummary, ObjectTable } from './object-table.js';
import { ParticipantCounts, type ParticipantRequests } from './participant-counts.js';
import { type WebhookSummary, WebhookVerdicts } from './webhook-verdicts.js';

export interface InventorySummary {
  /** In the order of their first messages. */
  readonly objects: readonly ObjectSummary[];
  /** Most requests first. */
  readonly requests: readonly ParticipantRequests[];
  /** Slowest first. */
  readonly slowest: readonly SlowCall[];
  /** Most calls first. */
  readonly webhooks: readonly WebhookSummary[];
  /** Beyond the limits: messages about further objects, requests of further participants, calls of further webhooks. */
  readonly unlisted: { readonly objects: number; readonly requests: number; readonly webhooks: number };
}

export class Inventory {
  readonly #objects = new ObjectTable();
  readonly #requests = new ParticipantCounts();
  readonly #latencies = new Latencies();
  readonly #slowest = new SlowestCalls();
  readonly #webhooks = new WebhookVerdicts();

  /** @param message in the order of time. @param isProblem whether it shows one. */
  add(message: Message, isProblem: boolean): void {
    const { kind, request } = message;
    this.#objects.add(message, isProblem);
    if (kind === 'request') {
      this.#requests.request(message);
      this.#webhooks.request(message);
    } else if (request !== undefined && kind === 'response') this.#response(message, request);
  }

  get isFull(): boolean {
    const { objects, requests, webhooks } = this.#unlisted();
    return objects + requests + webhooks + this.#latencies.uncounted > 0;
  }

  /** Kinds on which most time was spent come first. */
  latencies(): readonly LatencySummary[] {
    return this.#latencies.result();
  }

  result(): InventorySummary {
    return {
      objects: this.#objects.result(),
      requests: this.#requests.result(),
      slowest: this.#slowest.result(),
      webhooks: this.#webhooks.result(),
      unlisted: this.#unlisted(),
    };
  }

  #response(message: Message, request: Message): void {
    this.#requests.response(message, request);
    this.#webhooks.response(message, request);
    this.#latencies.response(message, request);
    this.#slowest.response(message, request);
  }

  #unlisted(): InventorySummary['unlisted'] {
    return {
      objects: this.#objects.uncounted,
      requests: this.#requests.uncounted,
      webhooks: this.#webhooks.uncounted,
    };
  }
}
