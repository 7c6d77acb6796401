// Counts messages that diagrams fold away whatever they tell of: of other layers, and the periodic requests of Kubernetes.

import { FOLD_REASONS, type FoldReason, reasonWords } from '../diagram/disposition.js';
import { noiseOf } from '../diagram/selection/noise.js';
import { DEFAULT_LAYERS, layerOf } from '../diagram/selection/visibility.js';
import { requestOf } from '../kubernetes/emitted/message-links.js';
import type { Message } from '../kubernetes/messages/message.js';

/** Messages by the words for what they are: `Events`, `layer etcd`. Most of them first. */
export type BackgroundCounts = Readonly<Record<string, number>>;

export class BackgroundCounter {
  readonly #counts = new Map<FoldReason, number>();

  /** @param message in the order of time. */
  add(message: Message): void {
    const layer = layerOf(message);
    const reason = DEFAULT_LAYERS.has(layer) ? noiseOf(message, requestOf(message)) : (`layer-${layer}` as const);
    if (reason !== null) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  result(): BackgroundCounts {
    const found = FOLD_REASONS.flatMap((reason): [string, number][] => {
      const count = this.#counts.get(reason);
      return count === undefined ? [] : [[reasonWords(reason), count]];
    });
    return Object.fromEntries(found.sort((a, b) => b[1] - a[1]));
  }
}
