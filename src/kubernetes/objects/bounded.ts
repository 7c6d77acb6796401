// What a body says of its object, cut where no object of Kubernetes says so much: names are remembered and told again and again,
// and a body that is inflated can have a name of a megabyte. Knows lengths alone.

import { flattenString } from '../../core/bytes/bytes.js';
import type { BodyObject, CarriedDraft, K8sEventInfo, Mutable, OwnerInfo, StatusInfo } from './object-info.js';

/** @param carried cut in place. @returns it. What was cut ends with `…`. */
export function bounded<T extends BodyObject | null>(carried: T): T {
  if (carried === null) return carried;
  const { info, status, k8sEvent } = carried as CarriedDraft;
  for (const field of IDENTITY) {
    const text = info[field];
    if (text !== undefined) info[field] = boundedName(text);
  }
  for (const field of ROW) {
    const text = info.row?.[field];
    if (text !== undefined) info.row = { ...info.row!, [field]: boundedName(text) };
  }
  for (const owner of (info.owners ?? []) as readonly Mutable<OwnerInfo>[]) cutNames(owner, OWNER);
  if (status !== undefined) cutWords(status as Mutable<StatusInfo>, STATUS);
  if (k8sEvent !== undefined) cutWords(k8sEvent as Mutable<K8sEventInfo>, REPORT);
  return carried;
}

/** A name, or words that are as short. */
export function boundedName(text: string): string {
  return within(text, MAX_NAME);
}

function cutWords<K extends string>(words: { message: string } & Record<K, string>, fields: readonly K[]): void {
  cutNames<K>(words, fields);
  words.message = within(words.message, MAX_MESSAGE);
}

function cutNames<K extends string>(words: Record<K, string>, fields: readonly K[]): void {
  for (const field of fields) words[field] = boundedName(words[field]);
}

/** In one piece: a slice would keep the whole. */
function within(text: string, length: number): string {
  return text.length <= length ? text : flattenString(`${text.slice(0, length)}…`);
}

const IDENTITY = ['apiVersion', 'kind', 'namespace', 'name', 'uid', 'resourceVersion', 'generateName'] as const;
const ROW = ['namespace', 'name', 'uid'] as const;
const OWNER = ['kind', 'name', 'uid'] as const;
const STATUS = ['status', 'reason', 'detailsKind', 'detailsName'] as const;
const REPORT = ['type', 'reason', 'kind', 'namespace', 'name', 'uid', 'component'] as const;
/** Characters: most names have 253 at most (DNS subdomains); those of RBAC are limited by nothing. */
const MAX_NAME = 1024;
/** Characters: Events have 1,024, and a Status may name each node of a large cluster. */
const MAX_MESSAGE = 65_536;
