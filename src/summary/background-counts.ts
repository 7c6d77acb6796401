// Counts messages that diagrams fold away whatever they tell of: of other layers, and the periodic requests of Kubernetes.

import { LruMap } from '../core/collections/bounded.js';
import { FOLD_REASONS, type FoldReason, reasonWords } from '../diagram/disposition.js';
import { type NoiseFacts, noiseFacts, noiseOf } from '../diagram/selection/noise.js';
import { DEFAULT_LAYERS, layerOf } from '../diagram/selection/visibility.js';
import type { Message } from '../kubernetes/messages/message.js';

/** Messages by the words for what they are: `Events`, `layer etcd`. Most of them first. */
export type BackgroundCounts = Readonly<Record<string, number>>;

export class BackgroundCounter {
  readonly #requests = new LruMap<number, NoiseFacts>(MAX_REQUESTS, 'requests of the background');
  readonly #counts = new Map<FoldReason, number>();

  /** @param message in the order of time. */
  add(message: Message): void {
    const layer = layerOf(message);
    const reason = DEFAULT_LAYERS.has(layer) ? this.#noise(message) : (`layer-${layer}` as const);
    if (reason !== null) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  result(): BackgroundCounts {
    const found = FOLD_REASONS.flatMap((reason): [string, number][] => {
      const count = this.#counts.get(reason);
      return count === undefined ? [] : [[reasonWords(reason), count]];
    });
    return Object.fromEntries(found.sort((a, b) => b[1] - a[1]));
  }

  #noise(message: Message): FoldReason | null {
    const { exchange, kind } = message;
    if (kind !== 'request') return noiseOf(message, this.#requests.get(exchange));
    const facts = noiseFacts(message);
    this.#requests.set(exchange, facts);
    return noiseOf(message, facts);
  }
}

/** Limit: requests whose later messages are told by them, as a watch's events are; those of a forgotten one count by their own words. */
const MAX_REQUESTS = 32_768;
