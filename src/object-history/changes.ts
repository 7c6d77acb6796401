// Compares two bodies of one object field by field, with list elements matched as Kubernetes keys them.

import { isRecord } from '../core/record.js';
import type { FieldChange } from './model.js';

/**
 * In: decoded bodies, either undefined. Out: their differing fields, in the order of the newer body, then what is gone.
 *
 * Elements of a list are matched by what names them (`name`, a condition's `type`), as a strategic merge does
 * (k8s.io/api, patchMergeKey); an element that comes or goes is one field. What is empty counts as absent: encodings differ
 * in it. A condition and a container's state are one field each. What names the object or the write is left out.
 */
export function changesBetween(before: unknown, after: unknown): FieldChange[] {
  const out: FieldChange[] = [];
  walk('', before, after, 0, out);
  return out;
}

/** Names of managedFields entries that are new or other than before: who wrote, as they called themselves. */
export function managersBetween(before: unknown, after: unknown): string[] {
  const known = new Set(entriesOf(before).map((entry) => JSON.stringify(entry)));
  const fresh = entriesOf(after).filter((entry) => !known.has(JSON.stringify(entry)));
  return [...new Set(fresh.flatMap(({ manager }) => (typeof manager === 'string' ? [manager] : [])))];
}

function walk(path: string, before: unknown, after: unknown, depth: number, out: FieldChange[]): void {
  if (isEmpty(before) && isEmpty(after)) return;
  if (depth > DEPTH_LIMIT || isWhole(path, before, after)) {
    if (!isSame(before, after)) out.push(change(path, before, after));
  } else if (isRecord(after) && (isRecord(before) || isEmpty(before))) {
    walkRecord(path, isRecord(before) ? before : {}, after, depth, out);
  } else if (isRecords(after) && (isRecords(before) || isEmpty(before))) {
    walkList(path, isRecords(before) ? before : [], after, depth, out);
  } else if (!isSame(before, after)) out.push(change(path, before, after));
}

function walkRecord(path: string, before: ObjectFields, after: ObjectFields, depth: number, out: FieldChange[]): void {
  for (const [name, value] of Object.entries(after))
    if (!isLeftOut(path, name))
      // A label may be named as what every object inherits.
      walk(inside(path, name), Object.hasOwn(before, name) ? before[name] : undefined, value, depth + 1, out);
  for (const [name, value] of Object.entries(before))
    if (!Object.hasOwn(after, name) && !isLeftOut(path, name))
      walk(inside(path, name), value, undefined, depth + 1, out);
}

function walkList(
  path: string,
  before: readonly ObjectFields[],
  after: readonly ObjectFields[],
  depth: number,
  out: FieldChange[],
): void {
  const key = keyOf(before, after);
  const nameOf = (element: ObjectFields, i: number): string => (key === null ? String(i) : String(element[key]));
  const old = new Map(before.map((element, i) => [nameOf(element, i), element]));
  after.forEach((element, i) => {
    const name = nameOf(element, i);
    const known = old.get(name);
    if (known === undefined) out.push(change(`${path}[${name}]`, undefined, element));
    else walk(`${path}[${name}]`, known, element, depth + 1, out);
    old.delete(name);
  });
  for (const [name, element] of old) out.push(change(`${path}[${name}]`, element, undefined));
}

function change(path: string, before: unknown, after: unknown): FieldChange {
  // Bodies are such that may be shown, and so is each part of them.
  return { path, ...(isEmpty(before) ? null : { before }), ...(isEmpty(after) ? null : { after }) } as FieldChange;
}

/** One field to a reader, whatever is in it. */
function isWhole(path: string, before: unknown, after: unknown): boolean {
  if (CONDITION.test(path)) {
    // Where only its times moved, those are what changed.
    return !isRecord(before) || !isRecord(after) || TELLING.some((name) => before[name] !== after[name]);
  }
  return STATE.test(path) && stateOf(before) !== stateOf(after);
}

function stateOf(value: unknown): string | undefined {
  return isRecord(value) ? Object.keys(value)[0] : undefined;
}

/** The member that names the elements of both lists; null: their places do. */
function keyOf(before: readonly ObjectFields[], after: readonly ObjectFields[]): string | null {
  const names = (key: string, list: readonly ObjectFields[]): boolean => {
    const values = list.map((element) => element[key]);
    return (
      values.every((value) => typeof value === 'string' || typeof value === 'number') &&
      new Set(values).size === values.length
    );
  };
  return KEYS.find((key) => names(key, before) && names(key, after)) ?? null;
}

function inside(path: string, name: string): string {
  if (path === '') return name;
  return PLAIN_NAME.test(name) ? `${path}.${name}` : `${path}[${name}]`;
}

function isLeftOut(path: string, name: string): boolean {
  return (path === '' ? TYPE : path === 'metadata' ? IDENTITY : NONE).has(name);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (typeof value !== 'object') return false;
  return Array.isArray(value) ? value.length === 0 : Object.values(value).every(isEmptyInside);
}

/** One level only: `{}` within `{}` is rare, and a body is not walked twice for it. */
function isEmptyInside(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function isSame(before: unknown, after: unknown): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}

type ObjectFields = Readonly<Record<string, unknown>>;

function isRecords(value: unknown): value is readonly ObjectFields[] {
  return Array.isArray(value) && value.every(isRecord);
}

function entriesOf(body: unknown): readonly ObjectFields[] {
  const metadata = isRecord(body) ? body['metadata'] : undefined;
  const entries = isRecord(metadata) ? metadata['managedFields'] : undefined;
  return isRecords(entries) ? entries : [];
}

/** Limit: nesting of a body that is compared field by field, below it values are compared whole; real objects have some 15 levels. */
const DEPTH_LIMIT = 40;
/** What names an element, the more telling first: conditions have a type, most have a name, the rest what they are about. */
const KEYS = ['type', 'name', 'uid', 'ip', 'key', 'mountPath', 'containerPort', 'port', 'topologyKey', 'path'];
const TYPE = new Set(['kind', 'apiVersion']);
const IDENTITY = new Set(['name', 'namespace', 'uid', 'resourceVersion', 'managedFields']);
const NONE: ReadonlySet<string> = new Set();
const CONDITION = /(?:^|\.)conditions\[[^[\]]*\]$/;
const TELLING = ['status', 'reason', 'message'];
const STATE = /\.(?:state|lastState)$/;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
