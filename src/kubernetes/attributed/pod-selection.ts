// Tracks which Services and PodDisruptionBudgets select which Pods, so that an event of a Pod adds their keys to work queues.

import { BoundedMap } from '../../core/collections/bounded.js';
import { entryOf } from '../../core/collections/series-table.js';
import { type LabelSelector, type Labels, labelsOf, podSelectorOf, selects } from '../objects/label-selectors.js';

interface SelectedPod {
  readonly namespace: string;
  readonly labels: Labels;
  /** Keys of the Services and budgets that select it, found when the count of selector changes was `selectorsAt`. */
  keys: readonly string[];
  selectorsAt: number;
}

export class PodSelection {
  /** By namespace: selectors, by key of their object. */
  readonly #selectors = new BoundedMap<string, Map<string, LabelSelector>>(MAX_NAMESPACES, 'selectors of namespaces');
  /** By key. */
  readonly #pods = new BoundedMap<string, SelectedPod>(MAX_PODS, 'Pods that are selected');
  /** Grows with each change of a selector. */
  #changes = 0;

  /** An object was created, changed or delivered. @param bytes of it, borrowed. */
  observe(kind: string, namespace: string, key: string, bytes: Uint8Array, contentType: string): void {
    if (kind === 'Pod') {
      const pod = { namespace, labels: labelsOf(bytes, contentType), keys: NO_KEYS, selectorsAt: -1 };
      this.#pods.set(key, pod);
      return;
    }
    const selector = podSelectorOf(bytes, contentType, kind);
    const known = entryOf(this.#selectors, namespace, () => new BoundedMap(MAX_SELECTORS, 'selectors of a namespace'));
    if (isSame(known.get(key) ?? null, selector)) return;
    if (selector === null) known.delete(key);
    else known.set(key, selector);
    this.#changes += 1;
  }

  /** A Service or budget is gone. */
  deleted(namespace: string, key: string): void {
    if (this.#selectors.get(namespace)?.delete(key) === true) this.#changes += 1;
  }

  /** Keys of the objects that select a Pod. */
  selecting(key: string): readonly string[] {
    const pod = this.#pods.get(key);
    if (pod === undefined) return NO_KEYS;
    if (pod.selectorsAt !== this.#changes) {
      const selectors = this.#selectors.get(pod.namespace) ?? NO_SELECTORS;
      pod.keys = [...selectors].filter(([, selector]) => selects(selector, pod.labels)).map(([one]) => one);
      pod.selectorsAt = this.#changes;
    }
    return pod.keys;
  }
}

/** Selectors are read from each event of their object, most of which change its status alone. */
function isSame(a: LabelSelector | null, b: LabelSelector | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Kinds that select Pods, and Pods. */
export const SELECTING: ReadonlySet<string> = new Set(['Pod', 'Service', 'PodDisruptionBudget']);

const NO_KEYS: readonly string[] = [];
const NO_SELECTORS: ReadonlyMap<string, LabelSelector> = new Map();
/** Limit: Pods of a large cluster. 0.5 KiB each. */
const MAX_PODS = 10_000;
/** Limit: namespaces with Services or budgets. */
const MAX_NAMESPACES = 1_000;
/** Limit: Services and budgets of one namespace. */
const MAX_SELECTORS = 1_000;
