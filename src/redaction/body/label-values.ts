// Decides which values of labels are shown: those whose key Kubernetes or a widespread tool defines, and plain words.

import { isCredentialField } from '../fields.js';

/**
 * @param key of the label; undefined if unknown: then no value is shown.
 * @returns whether its value may be shown.
 */
export function isLabelShown(key: string | undefined, value: string): boolean {
  if (value === '') return true;
  if (!LABEL_VALUE.test(value)) return false;
  if (key === undefined) return false;
  return isWellKnown(key) || (!isCredentialField(key.toLowerCase()) && isOrdinary(value));
}

/**
 * A selector as text: `app=web,tier in (a,b),!old`, also of fields: `spec.nodeName=node-1`.
 * @returns whether each of its values may be shown like that of a label.
 */
export function isSelectorShown(selector: string): boolean {
  if (selector.length > SELECTOR_LIMIT) return false;
  let rest = selector;
  while (rest !== '') {
    const match = REQUIREMENT.exec(rest);
    if (match === null || match[0] === '') return false;
    const [whole, key, , value, , set] = match;
    const values = set === undefined ? [value ?? ''] : set.split(',').map((one) => one.trim());
    const isField = FIELD.test(key);
    if (!values.every((one) => (isField ? FIELD_VALUE.test(one) : isLabelShown(key, one)))) return false;
    rest = rest.slice(whole.length);
  }
  return true;
}

function isWellKnown(key: string): boolean {
  if (key.startsWith('io.kubernetes.')) return true;
  const slash = key.indexOf('/');
  if (slash < 0) return WELL_KNOWN_KEYS.has(key);
  const domain = key.slice(0, slash);
  return WELL_KNOWN_DOMAINS.some((known) => domain === known || domain.endsWith(`.${known}`));
}

/** A value of words and small numbers: `web`, `blue-green`, `v1.27.3`, `us-east-1a`; but not `x7Kq2pTz9`. */
function isOrdinary(value: string): boolean {
  return value.length <= ORDINARY_LIMIT && value.split(/[-_.]/).every(isOrdinaryPart);
}

function isOrdinaryPart(part: string): boolean {
  if (part === '') return true;
  return ORDINARY_PART.test(part) && (part.length <= SHORT_PART || !UNSPEAKABLE.test(part));
}

/** k8s.io/apimachinery, pkg/util/validation: IsValidLabelValue. */
const LABEL_VALUE = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
/** kubernetes.io/docs/reference/labels-annotations-taints, and labels of common tools. */
const WELL_KNOWN_DOMAINS = [
  'kubernetes.io',
  'k8s.io',
  'helm.sh',
  'argoproj.io',
  'fluxcd.io',
  'cert-manager.io',
  'karpenter.sh',
];
const WELL_KNOWN_KEYS = new Set([
  'app',
  'chart',
  'component',
  'controller-revision-hash',
  'controller-uid',
  'createdAt',
  'env',
  'environment',
  'heritage',
  'job-name',
  'k8s-app',
  'modifiedAt',
  'owner',
  'pod-template-generation',
  'pod-template-hash',
  'release',
  'role',
  'run',
  'statefulset.kubernetes.io/pod-name',
  'tier',
  'track',
  'version',
]);
/** Letters as in a name, with at most three digits; a few digits, as in a version or zone; `k8s`, `l7d`. */
const ORDINARY_PART =
  /^(?:[A-Z]?[a-z]{1,20}\d{0,3}|[A-Z]{1,10}\d{0,2}|\d{1,4}[a-z]?|[a-z]\d{1,2}[a-z]|[A-Z][a-z]{1,15}[A-Z][a-z]{1,15})$/;
/** No word has five consonants in a row, or only consonants. */
const UNSPEAKABLE = /[b-df-hj-np-tv-xz]{5}|^[^aeiouy]+$/i;
const SHORT_PART = 5;
/** Limit: characters of a label's value that is shown as a word of people. */
const ORDINARY_LIMIT = 40;
/** One requirement with its comma. */
const REQUIREMENT =
  /^!?([\w./-]{1,317})(?: *(=|==|!=|>|<) *([\w.:-]*)| +(in|notin) +\(([\w., -]{0,4096})\))?(?: *, *(?=[\w!])|$)/;
/** Fields that Kubernetes selects by (pkg/apis/core/v1/conversion.go and others) hold names and states. */
const FIELD =
  /^(?:metadata\.(?:name|namespace)|spec\.[A-Za-z.]+|status\.[A-Za-z.]+|involvedObject\.[A-Za-z]+|type|reason|source|reportingComponent)$/;
const FIELD_VALUE = /^[\w.:-]{0,253}$/;
/** Limit: characters of a selector that is examined; a longer one is not shown. */
const SELECTOR_LIMIT = 16 * 1024;
