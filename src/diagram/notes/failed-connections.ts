// Adds notes about connections that failed: refused, unanswered, unreachable, or without a TLS agreement; with their
// number, client and server, duration, and when the server answers again.

import { BoundedMap } from '../../core/collections/bounded.js';
import { clientOf, hostOf, serverOf } from '../../core/connection-name.js';
import { ASKED_FOR, type NoticeCode } from '../../core/notice.js';
import { compareTimes } from '../../core/origin.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { LifelineLayout } from '../layout/lifelines.js';
import { seconds } from '../layout/pauses.js';
import type { Observation } from '../message-index.js';
import type { Note, Step } from '../model.js';
import { arrowsOf } from '../model.js';

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
  const times = selected.map((message) => message.time);
  if (times.length === 0) return [];
  return series.filter(({ first }) => first >= times[0] && first <= times[times.length - 1]);
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
  const taken = count === 1 ? '' : ` in ${seconds(last - first)} s`;
  const after = back === undefined ? 'no answer after that' : `answers again after ${seconds(back - first)} s`;
  const refused = `${count} ${count === 1 ? 'connection' : 'connections'} refused${taken}`;
  if (code === REFUSED) return [refused, by === undefined ? whom : `from ${by} to ${whom}`, after];
  const times = count === 1 ? '' : `, ${count} times${taken}`;
  const what = FAILURES[code] ?? '';
  const isOfTls = code.startsWith('tls');
  return [
    ...(isOfTls ? [`${what}${times}`, ...detail.split('; ')] : [`${what}: ${detail}${times}`]),
    `from ${by ?? where} to ${whom}`,
    ...(isOfTls ? [] : [after]),
  ];
}

/** Failures of one kind are one series. For refused connections the client does not matter: the server is away. */
export function kindOf(code: NoticeCode, server: string, client: string, detail: string): string {
  if (code === REFUSED) return `${code} ${server}`;
  return `${code} ${server} ${hostOf(client)} ${BY_DETAIL.has(code) ? detail : ''}`;
}

/** Notice → how the connection failed, in a few words. */
export const FAILURES: Readonly<Partial<Record<NoticeCode, string>>> = {
  'tcp.refused': 'refused',
  'tcp.unanswered': 'no answer',
  'tcp.unreachable': 'cannot be reached',
  'tls.refused': 'TLS is not agreed on',
  'tls.unfinished': 'TLS is not agreed on',
};

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
        const spans = this.#byServer.get(unbracketed(server));
        if (spans === undefined) this.#byServer.set(unbracketed(server), [span]);
        else spans.push(span);
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

function seriesOf({ notices, messages }: Observation): readonly FailureSeries[] {
  const failures = notices.filter(({ code }) => code in FAILURES);
  if (failures.length === 0) return [];
  const answered = lastAnswers(failures, messages);
  const endpoints = new Endpoints();
  for (const message of messages) endpoints.add(message);
  const open = new Map<string, FailureSeries>();
  const all: FailureSeries[] = [];
  for (const { code, origin, connection, detail } of failures) {
    if (origin === undefined || connection === undefined) continue;
    const server = serverOf(connection);
    const client = clientOf(connection);
    const kind = kindOf(code, server, client, detail);
    const now = open.get(kind);
    if (now !== undefined && answered(server, origin.time) < now.last) {
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
  setRecoveries(all, messages);
  return all;
}

/** @param series in the order of time. */
function setRecoveries(series: readonly FailureSeries[], messages: readonly Message[]): void {
  const away = new Map<string, FailureSeries[]>();
  for (const one of [...series].reverse()) {
    const waiting = away.get(one.server);
    if (waiting === undefined) away.set(one.server, [one]);
    else waiting.push(one);
  }
  for (const { kind, connection, time } of messages) {
    if (kind !== 'response') continue;
    const waiting = away.get(serverOf(connection)) ?? [];
    for (let next = waiting.at(-1); next !== undefined && time > next.last; next = waiting.at(-1)) {
      next.back = time;
      waiting.pop();
    }
  }
}

/** Time of a server's last response before a given one, ns. Calls must be in the order of time. */
function lastAnswers(
  failures: Observation['notices'],
  messages: readonly Message[],
): (server: string, before: bigint) => bigint {
  const times = new Map<string, { readonly all: bigint[]; next: number; last: bigint }>();
  for (const { connection } of failures)
    if (connection !== undefined) times.set(serverOf(connection), { all: [], next: 0, last: -1n });
  for (const { kind, connection, time } of messages)
    if (kind === 'response') times.get(serverOf(connection))?.all.push(time);
  return (server, before) => {
    const known = times.get(server);
    if (known === undefined) return -1n;
    while (known.next < known.all.length && known.all[known.next] < before) known.last = known.all[known.next++];
    return known.last;
  };
}

/** Connection names have no brackets. */
function unbracketed(server: string): string {
  return server.replace(/[[\]]/g, '');
}

export const REFUSED: NoticeCode = 'tcp.refused';
/** Codes whose details have no numbers that vary. */
const BY_DETAIL: ReadonlySet<NoticeCode> = new Set(['tls.refused', 'tcp.unreachable']);
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

/** Records which program answers at an address and port, and which sends from an address. */
export class Endpoints {
  readonly #servers = new BoundedMap<string, string>(MAX_ENDPOINTS);
  /** Address → program; null: several programs. */
  readonly #hosts = new BoundedMap<string, string | null>(MAX_ENDPOINTS);

  add({ kind, connection, from, to }: Message): void {
    if (kind !== 'request') return;
    this.#servers.set(serverOf(connection), to.name);
    const host = hostOf(clientOf(connection));
    const known = this.#hosts.get(host);
    const name = from.process.name;
    if (known === undefined) this.#hosts.set(host, name);
    else if (known !== name && known !== null) this.#hosts.set(host, null);
  }

  /** @param server address and port. */
  nameOf(server: string): string | undefined {
    return this.#servers.get(server);
  }

  /** `192.0.2.30, where kubectl is`, if only one program sends from there. @param client address and port. */
  whereIs(client: string): string {
    const host = hostOf(client);
    const name = this.#hosts.get(host) ?? null;
    return name === null ? host : `${host}, where ${name} is`;
  }
}

/** Limit: addresses whose programs are known, for connections without data: those of Pods and nodes of a cluster. */
const MAX_ENDPOINTS = 10_000;
