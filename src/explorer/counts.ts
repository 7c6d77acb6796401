// How many messages there are of each thing that can be chosen. Knows rows, not how they are shown.

import type { Model } from './model.js';

export interface Counts {
  /** By participant: messages that it sends or receives. */
  readonly ends: readonly number[];
  /** By word. */
  readonly verbs: readonly number[];
  readonly resources: readonly number[];
  /** By door and by reason. */
  readonly layers: readonly number[];
  readonly folds: readonly number[];
}

export function modelCounts({ view, rows }: Model): Counts {
  const zeros = (length: number): number[] => new Array<number>(length).fill(0);
  const ends = zeros(view.participants.length);
  const verbs = zeros(view.words.length);
  const resources = zeros(view.words.length);
  const layers = zeros(view.layers.length);
  const folds = zeros(view.folds.length);
  for (const row of rows) {
    ends[row.from] += 1;
    if (row.to !== row.from) ends[row.to] += 1;
    layers[row.layer] += 1;
    if (row.verb >= 0) verbs[row.verb] += 1;
    if (row.resource >= 0) resources[row.resource] += 1;
    if (row.fold >= 0) folds[row.fold] += 1;
  }
  return { ends, verbs, resources, layers, folds };
}
