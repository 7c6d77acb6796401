// Decides which values of labels are shown: those whose key Kubernetes or a widespread tool defines, and plain words.

import { isKeyShown } from '../keys.js';
import { listOf } from '../lists.js';
import { isRedacted, REDACTED, type Shown, shown } from '../shown.js';

/**
 * @param key of the label; undefined if unknown: then no value is shown.
 * @returns whether its value may be shown.
 */
export function isLabelShown(key: string | undefined, value: string): boolean {
  if (value === '') return true;
  if (!LABEL_VALUE.test(value)) return false;
  if (key === undefined) return false;
  if (HASHES.has(key) && HASH.test(value)) return true;
  return isOrdinary(value) && (isWellKnown(key) || !CREDENTIAL_KEY.test(key));
}

/**
 * A selector as text: `app=web,tier in (a,b),!old`, also of fields: `spec.nodeName=node-1`.
 * @returns it with a replacement for each key and value that labels would not show; undefined if it is no selector.
 */
export function shownSelector(selector: string): Shown | undefined {
  if (selector.length > SELECTOR_LIMIT) return undefined;
  let out = '';
  let rest = selector;
  while (rest !== '') {
    const match = REQUIREMENT.exec(rest);
    if (match === null || match[0] === '') return undefined;
    const [whole, negation, key, space, operator, value, set, end] = match;
    const isField = SELECTED_FIELDS.has(key);
    const shownValue = (one: string): string =>
      (isField ? FIELD_VALUE.test(one) : isLabelShown(key, one)) || isRedacted(one) ? one : REDACTED;
    out += negation + (isKeyShown(key) || isWellKnown(key) ? key : REDACTED) + space + operator;
    out += set === undefined ? shownValue(value ?? '') : `(${set.replace(SET_VALUE, shownValue)})`;
    out += end;
    rest = rest.slice(whole.length);
  }
  return shown(out);
}

/** Whether Kubernetes or a widespread tool defines a label. */
export function isWellKnown(key: string): boolean {
  return key.startsWith('io.kubernetes.') || WELL_KNOWN_KEYS.has(key);
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
/** kubernetes.io/docs/reference/labels-annotations-taints, and the documentation of the tools that the keys name. */
const WELL_KNOWN_KEYS = listOf('labels');
/** Keys whose plain words may be credentials, too. */
const CREDENTIAL_KEY = /token|secret|passw|api-?key|credential|session|auth(?!ority|enticate)|signature/i;
/** Labels whose values are hashes or ids that a controller or the kubelet fills in. */
const HASHES = listOf('labels with hashes');
/** SafeEncodeString of a 32-bit hash (apimachinery, util/rand), after the name of its owner; a UUID; the id of a sandbox. */
const HASH =
  /^(?:[a-z0-9.-]{1,52}-)?[bcdfghjklmnpqrstvwxz2456789]{1,10}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[0-9a-f]{64}$/;
/** Letters as in a name, with at most three digits; a few digits, as in a version or zone; `k8s`, `l7d`. */
const ORDINARY_PART =
  /^(?:[A-Z]?[a-z]{1,20}\d{0,3}|[A-Z]{1,10}\d{0,2}|\d{1,4}[a-z]?|[a-z]\d{1,2}[a-z]|[A-Z][a-z]{1,15}[A-Z][a-z]{1,15})$/;
/** No word has five consonants in a row, or only consonants. */
const UNSPEAKABLE = /[b-df-hj-np-tv-xz]{5}|^[^aeiouy]+$/i;
const SHORT_PART = 5;
/** Limit: characters of a label's value that is shown as a word of people. */
const ORDINARY_LIMIT = 40;
/** One requirement: `!`, key, blanks, operator, value or set, and what follows it. */
const REQUIREMENT =
  /^(!?)([\w./-]{1,317})( *)(=|==|!=|>|<|(?:in|notin) +(?=\()|)(?:(?<=[=<>]) *([\w.:-]*)|\(([\w., -]{0,4096})\)|)( *, *(?=[\w!])|$)/;
const SET_VALUE = /[^, ]+/g;
/** Fields that Kubernetes selects by, which hold names and states (conversion.go and defaults of each group's API). */
const SELECTED_FIELDS = listOf('selected fields');
const FIELD_VALUE = /^[\w.:-]{0,253}$/;
/** Limit: characters of a selector that is examined; a longer one is not shown. */
const SELECTOR_LIMIT = 16 * 1024;
