// Renders a summary as text for a terminal.

import { NOTICE_CODES, type NoticeCode } from '../core/notice.js';
import { shorten } from '../render/escape/mermaid-escape.js';
import { escapeTerminal } from '../render/escape/terminal-escape.js';
import { inventoryLines, objectCounts } from './inventory-text.js';
import type { Summary } from './summary.js';
import { textTable } from './text-table.js';

export function summaryText(result: Summary): string {
  const lines: string[] = [];
  for (const capture of result.captures) {
    const packets = `${capture.format}, ${capture.linkType}, ${capture.frames} frames, ${capture.bytes} bytes`;
    const saved = { messages: 'saved messages', audit: `audit log, ${capture.frames} lines, ${capture.bytes} bytes` };
    const what = capture.format === 'messages' || capture.format === 'audit' ? saved[capture.format] : packets;
    lines.push(`${escapeTerminal(capture.file)}: ${what}`);
    if (capture.first !== null)
      lines.push(`  ${capture.first} to ${capture.last}${capture.truncated ? ', cut at its end' : ''}`);
    if (capture.shift !== undefined)
      lines.push(`  by its own clock; its messages' times are moved by ${capture.shift} s`);
  }
  const { connections, exchanges } = result;
  lines.push(
    '',
    `connections  ${connections.total}: ${connections.decoded} decoded, ${connections.encrypted} encrypted, ${connections.other} other`,
    `exchanges    ${exchanges.total}: ${exchanges.complete} complete, ${exchanges.withoutResponse} without a response, ${exchanges.withoutRequest} without a request`,
    `events       ${result.events}`,
    `rpcs         ${result.rpcs}`,
    ...objectCounts(result),
    ...backgroundLine(result),
  );
  if (result.participants.length > 0) {
    lines.push('', 'participants');
    for (const { name, evidence } of result.participants)
      lines.push(`  ${escapeTerminal(name)}: ${escapeTerminal(evidence[0] ?? '')}`);
  }
  lines.push(...problemLines(result), ...inventoryLines(result), ...latencyLines(result));
  const unread = Object.entries(result.unread);
  if (unread.length > 0) {
    lines.push('', 'not read');
    for (const [why, count] of unread) lines.push(`  ${count} × ${escapeTerminal(why)}`);
  }
  const notices = Object.entries(result.notices);
  if (notices.length > 0) {
    lines.push('', 'notices');
    for (const [code, count] of notices) lines.push(`  ${code} × ${count}: ${NOTICE_CODES[code as NoticeCode][1]}`);
  }
  for (const { connection, bytes, md5, protocol, why } of result.streams ?? []) {
    lines.push(
      `${connection}  ${protocol}  client ${bytes.client} ${md5.client}  server ${bytes.server} ${md5.server}${why === undefined ? '' : `  ${escapeTerminal(why)}`}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function backgroundLine({ background }: Summary): string[] {
  const counts = Object.entries(background).map(([reason, count]) => `${count} ${reason}`);
  return counts.length === 0 ? [] : [`background   ${counts.join(', ')}`];
}

/** Problems that occurred at least `OFTEN` times and then the earliest others, `MOST_PROBLEMS` together, in the order of occurrence. */
function problemLines({ problems }: Summary): string[] {
  if (problems.length === 0) return [];
  const often = problems.filter(({ count }) => count >= OFTEN);
  const chosen = [...new Set([...often, ...problems])].slice(0, MOST_PROBLEMS);
  const shown = problems
    .filter((one) => chosen.includes(one))
    .map(({ what, count, message, frame }) => {
      const times = count === 1 ? '' : `${count} × `;
      return `  ${times}${escapeTerminal(shorten(what.replace(/[\r\n]+/g, ' ').trim(), LONGEST_PROBLEM))} (${message === undefined ? `frame ${frame}` : `message ${message}`})`;
    });
  const more = problems.length - shown.length;
  return ['', 'went wrong', ...shown, ...(more > 0 ? [`  and ${more} more: -o json`] : [])];
}

/** The groups of like requests with the largest total latency. */
function latencyLines({ latencies }: Summary): string[] {
  if (latencies.length === 0) return [];
  const shown = latencies.slice(0, MOST_LATENCIES);
  const rows = shown.map(({ protocol, request, count, p50, p90, p99, max, message }) => [
    `${protocol === 'kubernetes' ? '' : `${protocol} `}${escapeTerminal(request)}`,
    ...[count, p50, p90, p99, max, message].map(String),
  ]);
  const lines = textTable([['', 'answers', 'p50', 'p90', 'p99', 'longest', 'message'], ...rows]);
  const more = latencies.length - shown.length;
  return ['', 'latencies in ms, most time first', ...lines, ...(more > 0 ? [`  and ${more} more: -o json`] : [])];
}

/** Rows of a table, so that the summary stays readable. */
const MOST_LATENCIES = 12;
const MOST_PROBLEMS = 40;
/** Occurrences from which on a problem precedes earlier ones. */
const OFTEN = 10;
/** Characters: the scheduler's reason why a Pod fits no node is long. */
const LONGEST_PROBLEM = 220;
