// Reports a summary: what the captures hold, what went wrong, and who took part.

import { latencyCell } from '../core/duration.js';
import { NOTICE_CODES, type NoticeCode } from '../core/notice.js';
import { counted, sizeText } from '../core/quantity.js';
import type { Problem } from '../diagram/problems.js';
import { type ReportSection, reportMarkdown, reportText } from '../render/report/report.js';
import { inventorySections, objectCounts } from './inventory-text.js';
import { cutAtEnd, firstOf, moreLine } from './lists.js';
import type { Summary } from './summary.js';

/** @param limit rows of each list; undefined: as many as stay readable. */
export function summaryText(result: Summary, limit?: number): string {
  return reportText(sections(result, limit));
}

/** The same as Markdown. */
export function summaryMarkdown(result: Summary, limit?: number): string {
  return reportMarkdown(sections(result, limit));
}

function sections(result: Summary, limit: number | undefined): ReportSection[] {
  const { captures, connections, exchanges, participants, streams = [] } = result;
  const isSingle = captures.length === 1;
  const programs = participants.map(({ name, evidence }) => `  ${name}: ${evidence[0] ?? ''}`);
  const unread = Object.entries(result.unread).map(([why, count]) => `  ${count} × ${why}`);
  const unreadPackets = result.unreadPackets.map((words) => `  ${words.replace(/ not read$/, '')}`);
  const notices = Object.entries(result.notices).map(
    ([code, count]) => `  ${code} × ${count}: ${NOTICE_CODES[code as NoticeCode][1]}`,
  );
  const shown: ReportSection[] = [
    { lines: isSingle ? captureLines(captures[0]) : headLines(captures) },
    ...problemSections(result, limit),
    ...(isSingle ? [] : [{ title: 'captures', lines: captures.flatMap(captureLines) }]),
    {
      lines: [
        `connections   ${connections.total}: ${connections.decoded} decoded, ${connections.encrypted} encrypted, ${connections.other} without data or not HTTP`,
        `requests      ${requestCounts(exchanges)}${result.rpcs === 0 ? '' : `; ${result.rpcs} of all are gRPC`}`,
        `watch events  ${result.events}`,
        ...objectCounts(result),
        ...backgroundLine(result),
      ],
    },
    { title: PARTICIPANTS, lines: firstOf(programs, limit ?? programs.length) },
    ...inventorySections(result, limit),
    ...latencySection(result, limit),
    { title: 'not read, by reason', lines: [...unread, ...unreadPackets] },
    { title: 'notices', lines: notices },
  ];
  return shown.concat({
    title: streams.length === 0 ? undefined : 'bytes of each connection, with their MD5',
    lines: streams.map(
      ({ connection, bytes, md5, protocol, why }) =>
        `${connection}  ${protocol}  client ${bytes.client} ${md5.client}  server ${bytes.server} ${md5.server}${why === undefined ? '' : `  ${why}`}`,
    ),
  });
}

function captureLines(capture: Summary['captures'][number]): string[] {
  const packets = `${capture.format}, ${capture.linkType}, ${counted(capture.frames, 'frame')}, ${sizeText(capture.bytes)}`;
  const saved = {
    messages: 'saved messages',
    audit: `audit log, ${counted(capture.frames, 'line')}, ${sizeText(capture.bytes)}`,
  };
  const what = capture.format === 'messages' || capture.format === 'audit' ? saved[capture.format] : packets;
  const lines = [`${capture.file}: ${what}`];
  if (capture.first !== null)
    lines.push(`  ${capture.first} to ${capture.last}${capture.truncated ? ', cut at its end' : ''}`);
  if (capture.shift !== undefined)
    lines.push(`  by its own clock; its messages' times are moved by ${capture.shift} s`);
  return lines;
}

/** Of several captures together; each has its lines below. */
function headLines(captures: Summary['captures']): string[] {
  const frames = captures.reduce((sum, one) => sum + one.frames, 0);
  const firsts = captures.flatMap(({ first }) => first ?? []).sort();
  const lasts = captures.flatMap(({ last }) => last ?? []).sort();
  const times = firsts.length === 0 ? [] : [`  ${firsts[0]} to ${lasts[lasts.length - 1]}`];
  return [`${captures.length} captures, ${counted(frames, 'frame')}`, ...times];
}

function backgroundLine({ background }: Summary): string[] {
  const counts = Object.entries(background).map(([reason, count]) => `${count} ${reason}`);
  return counts.length === 0 ? [] : [`background    messages that diagrams hide by default: ${counts.join(', ')}`];
}

/** `1918: 1918 with a response, 0 without a response`; the responses whose requests came before the capture are none of them. */
function requestCounts({ total, complete, withoutResponse, withoutRequest, brokenOff }: Summary['exchanges']): string {
  const requests = total - withoutRequest;
  const broken = brokenOff === 0 ? '' : `, ${brokenOff} broken off before a response`;
  const partial = requests - withoutResponse - brokenOff - complete;
  const cut = partial === 0 ? '' : `, ${partial} of them incomplete`;
  const answers = withoutRequest === 0 ? '' : `; besides ${withoutRequest} without their request`;
  return `${requests}: ${complete + partial} with a response${cut}, ${withoutResponse} without a response${broken}${answers}`;
}

/** Most severe first, under a heading for each kind; what is usual while a cluster starts comes after it. */
function problemSections(
  { problems, connections, exchanges, events, captures }: Summary,
  limit = MOST_PROBLEMS,
): ReportSection[] {
  const isUsual = ({ kind }: Problem): boolean => kind === 'start-up';
  const wrong = problems.filter((one) => !isUsual(one));
  const isPartial = connections.decoded < connections.total - connections.other;
  const { withoutResponse } = exchanges;
  const read = isPartial
    ? `the ${connections.decoded} of ${connections.total} connections that were read`
    : 'what was read';
  const where = isPartial || withoutResponse > 0 ? ` in ${read}` : '';
  const open = withoutResponse === 0 ? '' : `; ${counted(withoutResponse, 'request has', 'requests have')} no response`;
  const isEmpty = exchanges.total + events === 0 && captures.some(({ frames }) => frames > 0);
  const nothing = isEmpty && !isPartial ? NOTHING_READ : `No problems found${where}${open}.`;
  const usual = { title: USUAL, lines: firstOf(problems.filter(isUsual).map(problemLine), limit) };
  if (wrong.length === 0) return [{ lines: [nothing] }, usual];
  const lines = groupedLines(wrong.slice(0, limit));
  const unread = isEmpty && connections.total === 0 ? [{ lines: [NOTHING_READ] }] : [];
  return [...unread, { title: PROBLEMS, lines, notes: moreLine(wrong.length - limit) }, usual];
}

/** @param problems those of one kind together. */
function groupedLines(problems: Summary['problems']): string[] {
  return problems.flatMap((one, i) => [
    ...(one.kind === problems[i - 1]?.kind ? [] : [`  ${KIND_HEADINGS[one.kind]}`]),
    problemLine(one),
  ]);
}

/** `   9.974106  message 1537  3 times, last at 40.158310: pods default/web: container web: waiting (CrashLoopBackOff)`. */
function problemLine({ what, count, message, frame, object, at, until }: Summary['problems'][number]): string {
  const place = message === undefined ? `frame ${frame}` : `message ${message}`;
  const last = until?.toFixed(6);
  const times = count === 1 ? '' : `${count} times, ${last === at.toFixed(6) ? 'within 1 µs' : `last at ${last}`}: `;
  const about = object === undefined || count > 1 || hasName(what, object) ? '' : `${object}: `;
  const text = `${about}${what}`.replace(/[\r\n]+/g, ' ').trim();
  const time = at.toFixed(6);
  // Never as far left as a heading.
  return `  ${time.length > 11 ? `  ${time}` : time.padStart(11)}  ${place.padEnd(13)}  ${times}${cutAtEnd(text, LONGEST_PROBLEM)}`;
}

/** Whether the words have the name of an object, and no longer one. @param object `pods default/web` */
function hasName(words: string, object: string): boolean {
  const name = (/[^/ ]*$/.exec(object)?.[0] ?? object).replace(/[^\w-]/g, String.raw`\$&`);
  return new RegExp(`(?<![\\w.-])${name}(?![\\w-]|\\.\\w)`).test(words);
}

/** The groups of like requests with the largest total latency. */
function latencySection({ latencies }: Summary, limit = MOST_LATENCIES): ReportSection[] {
  if (latencies.length === 0) return [];
  const shown = latencies.slice(0, limit);
  const rows = shown.map(({ protocol, request, count, p50, p90, p99, max, message }) => [
    `${protocol === 'kubernetes' ? '' : `${protocol} `}${request}`,
    String(count),
    ...[p50, p90, p99, max].map(latencyCell),
    String(message),
  ]);
  const head = ['', 'responses', 'p50', 'p90', 'p99', 'longest', 'message'];
  const title = 'latencies by kind of request, largest sum first; message: the slowest response';
  return [{ title, table: { rows: [head, ...rows], left: [0] }, notes: moreLine(latencies.length - shown.length) }];
}

/** Rows of a table, so that the summary stays readable. */
const MOST_LATENCIES = 12;
const MOST_PROBLEMS = 40;
const NOTHING_READ = 'Nothing was read: there is no request and no answer.';
const PROBLEMS = 'problems, most severe first; seconds since the first frame; kubeseq explain NUMBER shows a message';
const USUAL = 'normal during a start or restart, not counted as problems';
const PARTICIPANTS = 'participants, each with the first evidence for its name';
const KIND_HEADINGS: Readonly<Record<Problem['kind'], string>> = {
  crash: 'containers that failed',
  unreachable: 'failed connections, nodes that are not ready',
  cut: 'watches and answers that were cut',
  'leader change': 'changes of leaders',
  failed: 'requests that failed: status 500 or higher, errors of container runtimes',
  refused: 'requests that were rejected: status 400 to 499',
  evicted: 'Pods that were evicted or preempted',
  deadline: 'deadlines and retry limits that were exceeded, requests that were given up',
  status: 'other problems in the status of objects',
  warning: 'other Events of type Warning',
  'start-up': USUAL,
};
/** Characters: the scheduler's reason why a Pod fits no node is long. */
const LONGEST_PROBLEM = 220;
