// Reads labels and label selectors of objects, and matches them (apimachinery pkg/labels/selector.go: Requirement.Matches).

import { pick } from './encoding.js';
import { FieldSet, message, messages, string, strings, texts } from './fields.js';

export type Labels = Readonly<Record<string, string>>;

/** What a selector requires of one label. */
interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export type LabelSelector = readonly Requirement[];

/** @param bytes of an object, borrowed. @param contentType as for `carriedObject`. */
export function labelsOf(bytes: Uint8Array, contentType: string): Labels {
  return pick(bytes, contentType, LABELS)?.metadata?.labels ?? NO_LABELS;
}

/** The selector for Pods of a Service or PodDisruptionBudget; null: it selects none. */
export function podSelectorOf(bytes: Uint8Array, contentType: string, kind: string): LabelSelector | null {
  if (kind === 'Service') {
    const selector = pick(bytes, contentType, SERVICE)?.spec?.selector;
    return selector === undefined || Object.keys(selector).length === 0 ? null : equal(selector);
  }
  const selector = pick(bytes, contentType, BUDGET)?.spec?.selector;
  if (selector === undefined) return null;
  const expressions = (selector.matchExpressions ?? []).map(({ key = '', operator = '', values = [] }) => ({
    key,
    operator,
    values,
  }));
  return [...equal(selector.matchLabels ?? NO_LABELS), ...expressions].slice(0, MAX_REQUIREMENTS);
}

export function selects(selector: LabelSelector, labels: Labels): boolean {
  return selector.every(({ key, operator, values }) => {
    const value = labels[key];
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'DoesNotExist') return value === undefined;
    const isIn = value !== undefined && values.includes(value);
    return operator === 'NotIn' ? !isIn : isIn;
  });
}

function equal(labels: Labels): LabelSelector {
  return Object.entries(labels)
    .slice(0, MAX_REQUIREMENTS)
    .map(([key, value]) => ({ key, operator: 'In', values: [value] }));
}

/** Without a prototype: `constructor` is no label. */
const NO_LABELS: Labels = Object.freeze(Object.create(null));
/** Limit: labels of a selector; people write one to five. */
const MAX_REQUIREMENTS = 64;
const LABELS = new FieldSet({ metadata: message(1, { labels: texts(11) }) });
const SERVICE = new FieldSet({ spec: message(2, { selector: texts(2) }) });
const EXPRESSION = { key: string(1), operator: string(2), values: strings(3) };
const SELECTOR = { matchLabels: texts(1), matchExpressions: messages(2, EXPRESSION) };
const BUDGET = new FieldSet({ spec: message(2, { selector: message(2, SELECTOR) }) });
