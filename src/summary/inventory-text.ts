// Renders the inventory of a summary as short tables for a terminal: objects, requests by participant, slowest calls, webhooks.

import { latencyCell } from '../core/duration.js';
import { lostText } from '../core/lost-time.js';
import { counted } from '../core/quantity.js';
import { shorten } from '../render/escape/mermaid-escape.js';
import { escapeTerminal } from '../render/escape/terminal-escape.js';
import { moreLine, textTable } from './lists.js';
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
export function inventoryLines(summary: Summary, limit = MOST_ROWS): string[] {
  return [objectLines, requestLines, slowestLines, webhookLines].flatMap((lines) => lines(summary, limit));
}

function objectLines({ objects }: Summary, limit: number): string[] {
  const sorted = [...objects].sort(
    (a, b) => b.problems - a.problems || writesOf(b) - writesOf(a) || b.messages - a.messages,
  );
  const again = recreatedIn(objects);
  const rows = sorted
    .slice(0, limit)
    .map((one) => [
      `${cellText(objectText(one))}${again.has(one) ? ', recreated' : ''}`,
      writeText(one.created),
      writeText(one.deleted),
      ...[one.problems, one.messages].map(String),
    ]);
  const head = ['', 'created by (message)', 'deleted by (message)', 'problems', 'messages'];
  const title = 'objects, those with problems first; -: the capture has no request that did it';
  return section(title, [head, ...rows], objects.length, 'object', [0, 1, 2]);
}

function objectText({ resource, apiGroup, namespace, name }: Summary['objects'][number]): string {
  return `${resource}${apiGroup === '' ? '' : `.${apiGroup}`} ${namespace === null ? '' : `${namespace}/`}${name}`;
}

/** Objects that have the name of an earlier one. */
function recreatedIn(objects: Summary['objects']): ReadonlySet<Summary['objects'][number]> {
  const names = new Set<string>();
  return new Set(
    objects.filter((one) => {
      const isAgain = names.has(objectText(one));
      names.add(objectText(one));
      return isAgain;
    }),
  );
}

/** Whether somebody created or deleted it: what is there for long is less of the story. */
function writesOf({ created, deleted }: Summary['objects'][number]): number {
  return created === undefined && deleted === undefined ? 0 : 1;
}

function writeText(write: Summary['objects'][number]['created']): string {
  return write === undefined ? '-' : `${cellText(write.by)} (${write.message})`;
}

function requestLines({ requests, unlisted }: Summary, limit: number): string[] {
  const rows = requests
    .slice(0, limit)
    .map(({ participant, sent, writes, watches, failed, unanswered, received }) => [
      cellText(participant),
      ...[sent, writes, watches, failed, unanswered, received].map(String),
    ]);
  const head = ['', 'sent', 'writes', 'watches', 'errors', 'no response', 'received'];
  const lines = section(REQUESTS, [head, ...rows], requests.length, 'participant');
  return unlisted.requests === 0
    ? lines
    : [...lines, `  and ${counted(unlisted.requests, 'request')} of further participants`];
}

function slowestLines({ slowest }: Summary, limit: number): string[] {
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

function webhookLines({ webhooks, unlisted }: Summary, limit: number): string[] {
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
  const lines = section('webhooks', [head, ...rows], webhooks.length, 'webhook', [0, 6]);
  return unlisted.webhooks === 0
    ? lines
    : [...lines, `  and ${counted(unlisted.webhooks, 'request')} to further webhooks`];
}

/** @param rows the head first. @param total how many there are, of which `rows` are the first. */
function section(
  title: string,
  rows: readonly (readonly string[])[],
  total: number,
  one: string,
  left?: readonly number[],
): string[] {
  if (total === 0) return [];
  return ['', title, ...textTable(rows, left), ...moreLine(total - (rows.length - 1), one)];
}

function cellText(text: string, longest = LONGEST_CELL): string {
  return escapeTerminal(shorten(text, longest));
}

/** Writes and watches are those of API servers; 404 and 409 are errors here, and no problems. */
const REQUESTS =
  'requests by participant; of those sent: writes, watches, errors (status 400 or higher, gRPC errors), without a response';
/** Rows of a table, so that the summary stays readable. */
const MOST_ROWS = 10;
/** Characters: names of objects may have 253. */
const LONGEST_CELL = 60;
const LONGEST_CALL = 140;
