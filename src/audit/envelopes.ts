// Finds the audit events in a line of a log: an event by itself, or wrapped by what collected it. A new collector is a new row.

import { type LoggedRecord, recordOf } from './audit-event.js';
import { isLogEntry } from './log-entry.js';

/** The events in a line of JSON, each as the API server or Cloud Logging wrote it; empty: there are none. */
export function eventsIn(line: string): readonly LoggedRecord[] {
  const record = parsed(line.startsWith('{') ? line : line.slice(Math.max(0, line.indexOf('{'))));
  return record === undefined ? NONE : within(record, MAX_ENVELOPES);
}

function within(record: LoggedRecord, left: number): readonly LoggedRecord[] {
  if (typeof record['auditID'] === 'string' && typeof record['stage'] === 'string') return [record];
  if (isLogEntry(record)) return [record];
  if (left === 0) return NONE;
  for (const open of ENVELOPES) {
    const inside = open(record);
    const found = inside.flatMap((one) => within(one, left - 1));
    if (found.length > 0) return found;
  }
  return NONE;
}

/** What collectors wrap events in; each gives what is inside, nothing where the line is not theirs. */
const ENVELOPES: readonly ((record: LoggedRecord) => readonly LoggedRecord[])[] = [
  // The webhook backend sends lists (k8s.io/apiserver, plugin/pkg/audit/webhook).
  ({ kind, items }) => (kind === 'EventList' && Array.isArray(items) ? records(items) : []),
  // Amazon EKS: what `aws logs filter-log-events` and an Insights query give.
  (record) => textIn(record['message'] ?? record['@message']),
  ({ events }) => (Array.isArray(events) ? records(events) : []),
  // Azure AKS: diagnostic settings, categories kube-audit and kube-audit-admin.
  ({ properties }) => textIn(recordOf(properties)?.['log']),
  // fluentd, Fluent Bit, containerd's and Docker's JSON of a log that goes to standard output.
  ({ log }) => textIn(log),
  ({ log_processed: processed }) => textIn(processed),
];

function records(values: readonly unknown[]): readonly LoggedRecord[] {
  return values.map(recordOf).filter((one) => one !== undefined);
}

/** A record, or the text of one. */
function textIn(value: unknown): readonly LoggedRecord[] {
  const record = typeof value === 'string' ? parsed(value) : recordOf(value);
  return record === undefined ? NONE : [record];
}

function parsed(text: string): LoggedRecord | undefined {
  if (!text.includes('"')) return undefined;
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const NONE: readonly LoggedRecord[] = [];
/** Limit: envelopes inside each other: a list of a collector's records is two. */
const MAX_ENVELOPES = 3;
