// Reports the inventory of a summary in short tables: objects, requests by participant, slowest calls, webhooks.

import { latencyCell } from '../core/duration.js';
import { lostText } from '../core/lost-time.js';
import { counted } from '../core/quantity.js';
import { groupResource, objectText } from '../kubernetes/api/object-ref.js';
import { senderText } from '../kubernetes/lives/deletion-words.js';
import { shorten } from '../render/escape/mermaid-escape.js';
import type { ReportSection } from '../render/report/report.js';
import { moreLine } from './lists.js';
import type { Summary } from './summary.js';

/** `objects       248: 63 created, 12 deleted, 3 with problems`; none where there are no objects. */
export function objectCounts({ objects, unlisted }: Summary): string[] {
  if (objects.length === 0) return [];
  const counts = [
    `${objects.filter(({ created }) => created !== undefined).length} created`,
    `${objects.filter(({ deleted }) => deleted !== undefined).length} deleted`,
    `${objects.filter(({ problems }) => problems > 0).length} with problems`,
  ];
  const more = unlisted.objects > 0 ? `; ${unlisted.objects} messages are about further ones` : '';
  return [`objects       ${objects.length}: ${counts.join(', ')}${more}`];
}

/** @param limit rows of each table. */
export function inventorySections(summary: Summary, limit = MOST_ROWS): ReportSection[] {
  return [objectTable, requestTable, slowestTable, webhookTable].flatMap((section) => section(summary, limit));
}

function objectTable({ objects }: Summary, limit: number): ReportSection[] {
  const sorted = [...objects].sort(
    (a, b) => b.problems - a.problems || writesOf(b) - writesOf(a) || b.messages - a.messages,
  );
  const hidden = sorted.slice(limit).filter(({ deleted }) => deleted !== undefined).length;
  const again = recreatedIn(objects);
  const rows = sorted
    .slice(0, limit)
    .map((one) => [
      `${cellText(nameOf(one))}${again.has(one) ? ', recreated' : ''}`,
      writeText(one.created),
      writeText(one.deleted),
      ...[one.problems, one.messages].map(String),
    ]);
  const head = ['', 'created by (message)', 'deleted by (message)', 'problems', 'messages'];
  const title = 'objects, those with problems first, then deleted ones; -: the capture has no request that did it';
  const notes = hidden === 0 ? [] : [`  ${hidden} of them ${hidden === 1 ? 'was' : 'were'} deleted`];
  return section(title, [head, ...rows], objects.length, 'object', [0, 1, 2], notes);
}

function nameOf({ resource, apiGroup, namespace, name }: Summary['objects'][number]): string {
  return objectText(groupResource(resource, apiGroup), namespace, name);
}

/** Objects that have the name of an earlier one. */
function recreatedIn(objects: Summary['objects']): ReadonlySet<Summary['objects'][number]> {
  const names = new Set<string>();
  return new Set(
    objects.filter((one) => {
      const isAgain = names.has(nameOf(one));
      names.add(nameOf(one));
      return isAgain;
    }),
  );
}

/** What was deleted is not there to be looked at, and what is there for long is less of the story. */
function writesOf({ created, deleted }: Summary['objects'][number]): number {
  return deleted === undefined ? (created === undefined ? 0 : 1) : 2;
}

function writeText(write: Summary['objects'][number]['created']): string {
  return write === undefined
    ? '-'
    : `${cellText(senderText({ ...write, from: { name: write.by } }))} (${write.message})`;
}

function requestTable({ requests, unlisted }: Summary, limit: number): ReportSection[] {
  const rows = requests
    .slice(0, limit)
    .map(({ participant, sent, writes, watches, failed, unanswered, received }) => [
      cellText(participant),
      ...[sent, writes, watches, failed, unanswered, received].map(String),
    ]);
  const head = ['', 'sent', 'writes', 'watches', 'errors', 'no response', 'received'];
  const further = `  and ${counted(unlisted.requests, 'request')} of further participants`;
  const notes = unlisted.requests === 0 ? [] : [further];
  return section(REQUESTS, [head, ...rows], requests.length, 'participant', [0], notes);
}

function slowestTable({ slowest }: Summary, limit: number): ReportSection[] {
  const rows = slowest
    .slice(0, limit)
    .map(({ latencyMs, client, server, request, object, times, messages }) => [
      latencyCell(latencyMs),
      messages.join(' to '),
      cellText(`${client} → ${server}: ${request}${object === undefined ? '' : ` ${object}`}`, LONGEST_CALL) +
        lostText(times, latencyMs),
    ]);
  const head = ['latency', 'message numbers', ''];
  return section('slowest requests, without watches', [head, ...rows], slowest.length, 'request', [2]);
}

function webhookTable({ webhooks, unlisted }: Summary, limit: number): ReportSection[] {
  const rows = webhooks.slice(0, limit).map(({ webhook, calls, verdicts, failed, unanswered, latencyMs }) => {
    const counts = [...Object.entries(verdicts), ['failed', failed], ['without a response', unanswered]] as const;
    const { p50, p99, max, message } = latencyMs ?? {};
    return [
      cellText(webhook),
      String(calls),
      ...[p50, p99, max].map(latencyCell),
      String(message ?? '-'),
      counts.flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`])).join(', '),
    ];
  });
  const head = ['', 'requests', 'p50', 'p99', 'longest', 'message', 'verdicts'];
  const further = `  and ${counted(unlisted.webhooks, 'request')} to further webhooks`;
  const notes = unlisted.webhooks === 0 ? [] : [further];
  return section('webhooks', [head, ...rows], webhooks.length, 'webhook', [0, 6], notes);
}

/** @param rows the head first. @param total how many there are, of which `rows` are the first. */
function section(
  title: string,
  rows: readonly (readonly string[])[],
  total: number,
  one: string,
  left: readonly number[],
  further: readonly string[] = [],
): ReportSection[] {
  if (total === 0) return [];
  return [{ title, table: { rows, left }, notes: [...moreLine(total - (rows.length - 1), one), ...further] }];
}

function cellText(text: string, longest = LONGEST_CELL): string {
  return shorten(text, longest);
}

/** Writes and watches are those of API servers; 404 and 409 are errors here, and no problems. */
const REQUESTS =
  'requests by participant; of those sent: writes, watches, errors (status 400 or higher, gRPC errors), without a response';
/** Rows of a table, so that the summary stays readable. */
const MOST_ROWS = 10;
/** Characters: names of objects may have 253. */
const LONGEST_CELL = 60;
const LONGEST_CALL = 140;
