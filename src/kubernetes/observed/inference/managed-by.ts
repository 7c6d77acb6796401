// Reads from metadata.managedFields who wrote an object last, and which part of it.
// Source: k8s.io/apimachinery/pkg/util/managedfields/internal/managedfieldsupdater.go

import { type Carrying, fieldsOf, member } from './shapes.js';

export interface ManagedBy {
  /** The program's name, as its User-Agent begins, or a field manager of its own choice (`kubectl-run`). */
  readonly manager: string;
  /** `Update` (PUT, PATCH, POST) or `Apply` (server-side). */
  readonly operation: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/**
 * The write behind a response: the newest entry, if it is as new as the response and the only one of its second.
 * @param at ns, of the response. @param manager who wrote, where that is known. @returns null where it is not certain.
 */
export function managedBy({ bytes, contentType }: Carrying, at: bigint, manager?: string): ManagedBy | null {
  const entries = member(member(fieldsOf(bytes, contentType), 'metadata'), 'managedFields');
  if (!Array.isArray(entries)) return null;
  let newest = '';
  let found: ManagedBy | null = null;
  for (const entry of entries.slice(0, MAX_ENTRIES)) {
    const time = text(entry, 'time');
    if (time < newest || time === '') continue;
    const is = {
      manager: text(entry, 'manager'),
      operation: text(entry, 'operation'),
      subresource: text(entry, 'subresource'),
    };
    if (manager !== undefined && is.manager !== manager) continue;
    found = time > newest ? is : null;
    newest = time;
  }
  return found !== null && isOfSecond(newest, at) ? found : null;
}

function isOfSecond(time: string, at: bigint): boolean {
  const seconds = Date.parse(time) / 1000;
  return Math.abs(seconds - Number(at / 1_000_000_000n)) <= 1;
}

function text(entry: unknown, name: string): string {
  const value = member(entry, name);
  return typeof value === 'string' ? value : '';
}

/** Limit: entries of `managedFields` that are examined; the API server keeps ten of updates and merges older ones (capmanagers.go). */
const MAX_ENTRIES = 100;
