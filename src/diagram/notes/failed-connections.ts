// Adds notes about connections that failed: refused, unanswered, unreachable, or without a TLS agreement; with their
// number, client and server, duration, and when the server answers again.

import { appendTo } from '../../core/collections/multimap.js';
import { clientOf, hostOf, serverOf } from '../../core/connection-name.js';
import { elapsedText } from '../../core/duration.js';
import { ASKED_FOR, type Notice, type NoticeCode } from '../../core/notice.js';
import { compareTimes } from '../../core/origin.js';
import { counted } from '../../core/quantity.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { LifelineLayout } from '../layout/lifelines.js';
import type { Observation } from '../message-index.js';
import type { Note, Step } from '../model.js';
import { arrowsOf } from '../model.js';
import type { Answer } from '../remainder.js';
import { Endpoints } from './endpoints.js';

/** Connections that failed in the same way, until the server answers any client. */
interface FailureSeries {
  readonly code: NoticeCode;
  readonly detail: string;
  /** Address and port of the first one. */
  readonly client: string;
  readonly server: string;
  /** Program that answers there at other times; undefined: none was seen. */
  readonly name: string | undefined;
  /** Where the client is, in words. */
  readonly where: string;
  readonly first: bigint;
  last: bigint;
  count: number;
  /** Time of the next response of the server, ns; undefined: none. */
  back: bigint | undefined;
}

export type FailedConnection = readonly FailureSeries[];

/** @param selected only failures between the first and the last of these messages; null: all. */
export function failedIn(observation: Observation, selected: readonly Message[] | null): FailedConnection {
  const series = seriesOf(observation);
  if (selected === null || series.length === 0) return series;
  const span = observation.remainder === undefined ? spanOf(selected) : observation.remainder.span;
  return span === null ? [] : series.filter(({ first }) => first >= span[0] && first <= span[1]);
}

/** Time of the first and the last message; null: there is none. */
function spanOf(messages: readonly Message[]): readonly [bigint, bigint] | null {
  const [first] = messages;
  const last = messages.at(-1);
  return last === undefined ? null : [first.time, last.time];
}

/**
 * One line for all refused connections if they are many; a line for each failure if the diagram has nothing else.
 * @param untold notes that would have been too many.
 */
export function failedLines(failed: FailedConnection, isAlone: boolean, undrawn: number): string[] {
  if (isAlone) return [...failed.slice(0, MANY).map((one) => linesOf(one).join(', ')), ...more(failed.length - MANY)];
  const count = failed.reduce((sum, one) => sum + (one.code === REFUSED ? one.count : 0), 0);
  const refused = count < MANY ? [] : [`${count} connections were refused, or reset before a byte was sent`];
  return [...refused, ...more(undrawn)];
}

function more(count: number): string[] {
  return count <= 0 ? [] : [`${count} more notes on connections that failed`];
}

/**
 * @param isAll the diagram is of everything and has all failures. The story of one object has those that a response in it names,
 *   and outages during its time.
 * @returns the steps with a note where each series begins, and the number of notes beyond MOST.
 */
export function addFailedConnections(
  steps: readonly Step[],
  failed: FailedConnection,
  { lifelines }: LifelineLayout,
  drawn: readonly Message[],
  isAll: boolean,
): { readonly steps: readonly Step[]; readonly undrawn: number } {
  if (lifelines.length === 0 || failed.length === 0) return { steps, undrawn: 0 };
  const ids = new Map(lifelines.map((one) => [one.name, one.id]));
  const all: Note['over'] = [lifelines[0].id, lifelines[lifelines.length - 1].id];
  const [begins, ends] = [drawn[0]?.started ?? 0n, drawn.at(-1)?.time ?? 0n];
  // A few refused connections are usual when programs start, but a missing webhook makes requests fail.
  const webhooks = new Set(lifelines.filter((one) => one.component === WEBHOOK).map((one) => one.name));
  const errors = new ServersInErrors(drawn);
  const notes = failed.flatMap((one) => {
    const by = errors.by(one);
    const isUnusual = one.code !== REFUSED || webhooks.has(one.name ?? '');
    const isThen = isAll || (begins <= one.last && one.first <= ends);
    const isShown = by !== undefined || (one.count >= MANY && isThen) || (isAll && isUnusual);
    // A series that began before the request stands at the request.
    const at = by === undefined || by.from < one.first ? one.first : by.from;
    return isShown ? [{ at, note: noteOf(one, by?.name, ids, all) }] : [];
  });
  notes.sort((a, b) => compareTimes(a.at, b.at));
  const undrawn = notes.splice(MOST).length;
  const shown: Step[] = [];
  let next = 0;
  for (const step of steps) {
    const time = arrowsOf([step])[0]?.message.time;
    for (; time !== undefined && next < notes.length && notes[next].at < time; next++) shown.push(notes[next].note);
    shown.push(step);
  }
  for (; next < notes.length; next++) shown.push(notes[next].note);
  return { steps: shown, undrawn };
}

function noteOf(one: FailureSeries, by: string | undefined, ids: ReadonlyMap<string, string>, all: Note['over']): Note {
  // From left to right, in the order of the lifelines.
  const over = [...ids].flatMap(([name, id]) => (name === one.name || name === by ? [id] : []));
  const [left, right] = over;
  const place: Note['over'] = left === undefined ? all : right === undefined ? [left] : [left, right];
  return { kind: 'note', over: place, lines: linesOf(one, by) };
}

/** @param by client, if a response names it. */
function linesOf(
  { code, detail, server, name, where, first, last, count, back }: FailureSeries,
  by?: string,
): string[] {
  const whom = name === undefined ? server : `${name}, ${server}`;
  const taken = count === 1 ? '' : ` in ${elapsedText(last - first)}`;
  const after = back === undefined ? 'no answer after that' : `answers again after ${elapsedText(back - first)}`;
  const refused = `${counted(count, 'connection')} refused${taken}`;
  if (code === REFUSED) return [refused, by === undefined ? whom : `from ${by} to ${whom}`, after];
  const times = count === 1 ? '' : `, ${counted(count, 'time')}${taken}`;
  const what = FAILURES[code] ?? '';
  const isOfTls = code.startsWith('tls');
  const isOfHttp2 = code.startsWith('http2');
  return [
    ...(isOfTls ? [`${what}${times}`, ...detail.split('; ')] : [`${what}: ${detail}${times}`]),
    `from ${by ?? where} to ${whom}`,
    ...(isOfTls || isOfHttp2 || SERVES_NOTHING_ELSE.has(code) ? [] : [after]),
  ];
}

/** Failures of one kind are one series. For refused connections the client does not matter: the server is away. */
export function kindOf(code: NoticeCode, server: string, client: string, detail: string): string {
  if (code === REFUSED || isOrderly({ code, detail })) return `${code} ${server}`;
  return `${code} ${server} ${hostOf(client)} ${BY_DETAIL.has(code) ? detail : ''}`;
}

/** Notice → how the connection failed, in a few words. */
export const FAILURES: Readonly<Partial<Record<NoticeCode, string>>> = {
  'tcp.refused': 'refused',
  'tcp.unanswered': 'no answer',
  'tcp.unreachable': 'cannot be reached',
  'tls.refused': 'TLS is not agreed on',
  'tls.unfinished': 'TLS is not agreed on',
  'dns.failed': 'DNS',
  'connection.not-forwarded': 'not forwarded',
  'connection.tunnel-ended': 'tunnel ended',
  'tcp.lost-time': 'packets were lost',
  'tcp.window-full': 'stalled',
  'tcp.unanswered-keep-alive': 'silence',
  'http2.unanswered': 'silence',
  'http2.window-full': 'stalled',
  'http2.goaway': 'ended by GOAWAY',
};

/** Whether a side ends a connection that served its time (kube-apiserver --goaway-chance), or shuts down. */
export function isOrderly({ code, detail }: Pick<Notice, 'code' | 'detail'>): boolean {
  return code === 'http2.goaway' && detail.startsWith('NO_ERROR');
}

/** Drawn responses whose error message names a server that could not be reached. */
class ServersInErrors {
  readonly #byServer = new Map<string, FailureSpan[]>();
  readonly #ofTls: (FailureSpan & { readonly host: string; readonly statusMessage: string })[] = [];

  constructor(drawn: readonly Message[]) {
    const began = new Map<number, bigint>();
    for (const message of drawn) {
      if (message.kind === 'request') began.set(message.exchange, message.time);
      const { kind, status = 0, statusMessage = '', from, exchange, time } = message;
      if (kind !== 'response' || status < 500 || statusMessage === '') continue;
      const span = { from: began.get(exchange) ?? time, to: time, name: from.name };
      for (const [server] of statusMessage.matchAll(ENDPOINT)) {
        appendTo(this.#byServer, unbracketed(server), span);
      }
      if (OF_TLS.test(statusMessage))
        this.#ofTls.push({ ...span, host: hostOf(serverOf(message.connection)), statusMessage });
    }
  }

  by({ code, client, server, detail, first, last }: FailureSeries): FailureSpan | undefined {
    const isThen = ({ from, to }: FailureSpan): boolean => from <= last && first <= to;
    const named = this.#byServer.get(server)?.find(isThen);
    if (named !== undefined || !code.startsWith('tls')) return named;
    // The error names the server by the name in TLS's server_name instead of the address.
    const name = NAME_ASKED_FOR.exec(detail)?.[1];
    if (name === undefined) return undefined;
    return this.#ofTls.find((one) => one.host === hostOf(client) && one.statusMessage.includes(name) && isThen(one));
  }
}

/** From a request to its response. */
interface FailureSpan {
  readonly from: bigint;
  readonly to: bigint;
  readonly name: string;
}

function seriesOf({ notices, messages, remainder }: Observation): readonly FailureSeries[] {
  const failures = notices.filter((one) => one.code in FAILURES && !isOrderly(one));
  if (failures.length === 0) return [];
  const answers = (): Iterable<Answer> => remainder?.answers() ?? answersIn(messages);
  const answered = lastAnswers(failures, answers());
  const endpoints = remainder?.endpoints ?? endpointsIn(messages);
  const open = new Map<string, FailureSeries>();
  const all: FailureSeries[] = [];
  for (const failure of failures) {
    const { code, origin, connection, detail } = failure;
    if (origin === undefined || connection === undefined) continue;
    const server = serverOf(connection);
    const client = clientOf(connection);
    const kind = kindOf(code, server, client, detail);
    const now = open.get(kind);
    if (now !== undefined && (answered.get(failure) ?? -1n) < now.last) {
      now.count += 1;
      if (origin.time > now.last) now.last = origin.time;
      continue;
    }
    const { time } = origin;
    const begun: FailureSeries = {
      code,
      detail,
      client,
      server,
      name: endpoints.nameOf(server),
      where: endpoints.whereIs(client),
      first: time,
      last: time,
      count: 1,
      back: undefined,
    };
    open.set(kind, begun);
    all.push(begun);
  }
  all.sort((a, b) => compareTimes(a.first, b.first));
  setRecoveries(all, answers());
  return all;
}

/** @param series in the order of time. */
function setRecoveries(series: readonly FailureSeries[], answers: Iterable<Answer>): void {
  const away = new Map<string, FailureSeries[]>();
  for (const one of [...series].reverse()) {
    appendTo(away, one.server, one);
  }
  for (const { server, time } of answers) {
    const waiting = away.get(server) ?? [];
    for (let next = waiting.at(-1); next !== undefined && time > next.last; next = waiting.at(-1)) {
      next.back = time;
      waiting.pop();
    }
  }
}

/** @returns failure → time of its server's last answer before it, ns. Failures must be in the order of time. */
function lastAnswers(failures: readonly Notice[], answers: Iterable<Answer>): ReadonlyMap<Notice, bigint> {
  const servers = new Map<string, { readonly failures: Notice[]; next: number; last: bigint }>();
  for (const failure of failures) {
    if (failure.connection === undefined) continue;
    const server = serverOf(failure.connection);
    const known = servers.get(server);
    if (known === undefined) servers.set(server, { failures: [failure], next: 0, last: -1n });
    else known.failures.push(failure);
  }
  const before = new Map<Notice, bigint>();
  for (const { server, time } of answers) {
    const known = servers.get(server);
    if (known === undefined) continue;
    for (; known.next < known.failures.length; known.next++) {
      const failure = known.failures[known.next];
      if (failure.origin !== undefined && failure.origin.time > time) break;
      before.set(failure, known.last);
    }
    known.last = time;
  }
  for (const { failures: all, next, last } of servers.values())
    for (const failure of all.slice(next)) before.set(failure, last);
  return before;
}

function* answersIn(messages: readonly Message[]): Generator<Answer> {
  for (const { kind, connection, time } of messages)
    if (kind === 'response') yield { server: serverOf(connection), time };
}

function endpointsIn(messages: readonly Message[]): Endpoints {
  const endpoints = new Endpoints();
  for (const message of messages) endpoints.add(message);
  return endpoints;
}

/** Connection names have no brackets. */
function unbracketed(server: string): string {
  return server.replace(/[[\]]/g, '');
}

export const REFUSED: NoticeCode = 'tcp.refused';
/** What its server answers later says nothing of it. */
const SERVES_NOTHING_ELSE: ReadonlySet<NoticeCode> = new Set(['dns.failed', 'connection.tunnel-ended']);
/** Codes whose details have no numbers that vary. */
const BY_DETAIL: ReadonlySet<NoticeCode> = new Set([
  'dns.failed',
  'connection.not-forwarded',
  'connection.tunnel-ended',
  'tls.refused',
  'tcp.unreachable',
  'http2.goaway',
]);
const WEBHOOK = 'webhook';
/** Limit: notes on failed connections in one diagram, and the number of the others. */
const MOST = 40;
/** So many failures are an outage. */
const MANY = 10;
/** Address and port as Go's net package writes them in errors and URLs. */
const ENDPOINT = /(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]):\d{1,5}/g;
const NAME_ASKED_FOR = new RegExp(`; ${ASKED_FOR} (\\S+)$`);
/** crypto/tls and crypto/x509. */
const OF_TLS = /\btls: |\bx509: |\bremote error: /;
