// Connections that failed, as notes in a picture: refused, not answered, unreachable, TLS that was not agreed on; how many, by
// whom, in which stretch of time, and when the server answers again. Knows notices, times and what answers say of it; nothing
// was said on such a connection, so who asked is known only where an answer tells, or from one host only one program speaks.

import { clientOf, hostOf, serverOf } from '../../core/connection-name.js';
import { ASKED_FOR, type NoticeCode } from '../../core/notice.js';
import { compareTimes } from '../../core/origin.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { LifelineLayout } from '../layout/lifelines.js';
import { seconds } from '../layout/pauses.js';
import type { Observation } from '../message-index.js';
import type { Note, Step } from '../model.js';
import { arrowsOf } from '../model.js';
import { Endpoints } from './endpoints.js';

/** Failed in the same way one after the other, until the server answers somebody. */
interface Stretch {
  readonly code: NoticeCode;
  readonly detail: string;
  /** Address and port, of the first of them. */
  readonly client: string;
  readonly server: string;
  /** Who answers there when it does; undefined: nobody was heard there. */
  readonly name: string | undefined;
  /** Where the client is. */
  readonly where: string;
  readonly first: bigint;
  last: bigint;
  count: number;
  /** When the server answers somebody again, ns; undefined: nobody. */
  back: bigint | undefined;
}

export type FailedConnection = readonly Stretch[];

/** @param selected only what failed in their time is told, and what has to do with them; null: all. */
export function failedIn(observation: Observation, selected: readonly Message[] | null): FailedConnection {
  const stretches = stretchesOf(observation);
  if (selected === null || stretches.length === 0) return stretches;
  const times = selected.map((message) => message.time);
  if (times.length === 0) return [];
  return stretches.filter(({ first }) => first >= times[0] && first <= times[times.length - 1]);
}

/**
 * All that were refused in one line, where they are many; all that failed, where nothing else is told.
 * @param untold notes that would have been too many.
 */
export function failedLines(failed: FailedConnection, isAlone: boolean, untold: number): string[] {
  if (isAlone) return [...failed.slice(0, MANY).map((one) => linesOf(one).join(', ')), ...more(failed.length - MANY)];
  const count = failed.reduce((sum, one) => sum + (one.code === REFUSED ? one.count : 0), 0);
  const refused = count < MANY ? [] : [`${count} connections were refused, or reset before a byte was sent`];
  return [...refused, ...more(untold)];
}

function more(count: number): string[] {
  return count <= 0 ? [] : [`${count} more notes on connections that failed`];
}

/**
 * @param drawn what is drawn. @param isAll it is all that there is, not the story of one object: then whatever failed is told; of a
 *   story, what an answer in it names, and what many met while it lasted.
 * @returns the steps with a note where each stretch begins, and how many there are beyond `MOST`.
 */
export function tellFailed(
  steps: readonly Step[],
  failed: FailedConnection,
  { lifelines }: LifelineLayout,
  drawn: readonly Message[],
  isAll: boolean,
): { readonly steps: readonly Step[]; readonly untold: number } {
  if (lifelines.length === 0 || failed.length === 0) return { steps, untold: 0 };
  const ids = new Map(lifelines.map((one) => [one.name, one.id]));
  const all: Note['over'] = [lifelines[0].id, lifelines[lifelines.length - 1].id];
  const [begins, ends] = [drawn[0]?.started ?? 0n, drawn.at(-1)?.time ?? 0n];
  // One or two are ordinary wherever programs start; a webhook that is not there is why a request fails.
  const asked = new Set(lifelines.filter((one) => one.component === WEBHOOK).map((one) => one.name));
  const blamed = new Blamed(drawn);
  const notes = failed.flatMap((one) => {
    const by = blamed.by(one);
    const isUnusual = one.code !== REFUSED || asked.has(one.name ?? '');
    const isThen = isAll || (begins <= one.last && one.first <= ends);
    const isTold = by !== undefined || (one.count >= MANY && isThen) || (isAll && isUnusual);
    // Of one that lasts since before it was asked for here it is said here.
    const at = by === undefined || by.from < one.first ? one.first : by.from;
    return isTold ? [{ at, note: noteOf(one, by?.name, ids, all) }] : [];
  });
  notes.sort((a, b) => compareTimes(a.at, b.at));
  const untold = notes.splice(MOST).length;
  const shown: Step[] = [];
  let next = 0;
  for (const step of steps) {
    const time = arrowsOf([step])[0]?.message.time;
    for (; time !== undefined && next < notes.length && notes[next].at < time; next++) shown.push(notes[next].note);
    shown.push(step);
  }
  for (; next < notes.length; next++) shown.push(notes[next].note);
  return { steps: shown, untold };
}

function noteOf(one: Stretch, by: string | undefined, ids: ReadonlyMap<string, string>, all: Note['over']): Note {
  // From left to right, as participants stand.
  const over = [...ids].flatMap(([name, id]) => (name === one.name || name === by ? [id] : []));
  const [left, right] = over;
  const place: Note['over'] = left === undefined ? all : right === undefined ? [left] : [left, right];
  return { kind: 'note', over: place, lines: linesOf(one, by) };
}

/** @param by who asked, as an answer tells. */
function linesOf({ code, detail, server, name, where, first, last, count, back }: Stretch, by?: string): string[] {
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

/** Those of one kind are counted together. Who was refused is not asked: it is the server that is away. */
export function kindOf(code: NoticeCode, server: string, client: string, detail: string): string {
  if (code === REFUSED) return `${code} ${server}`;
  return `${code} ${server} ${hostOf(client)} ${TOLD_APART.has(code) ? detail : ''}`;
}

/** How a connection failed, in a word or two, by the notice that tells it. */
export const FAILURES: Readonly<Partial<Record<NoticeCode, string>>> = {
  'tcp.refused': 'refused',
  'tcp.unanswered': 'no answer',
  'tcp.unreachable': 'cannot be reached',
  'tls.refused': 'TLS is not agreed on',
  'tls.unfinished': 'TLS is not agreed on',
};

/** Who says of which server that it could not be reached, and why it matters: an answer that is drawn. */
class Blamed {
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

  by({ code, client, server, detail, first, last }: Stretch): FailureSpan | undefined {
    const isThen = ({ from, to }: FailureSpan): boolean => from <= last && first <= to;
    const named = this.#byServer.get(server)?.find(isThen);
    if (named !== undefined || !code.startsWith('tls')) return named;
    // The error says a name in place of an address: the one by which TLS asked for the server.
    const name = NAME_ASKED_FOR.exec(detail)?.[1];
    if (name === undefined) return undefined;
    return this.#ofTls.find((one) => one.host === hostOf(client) && one.statusMessage.includes(name) && isThen(one));
  }
}

/** From a request to its answer. */
interface FailureSpan {
  readonly from: bigint;
  readonly to: bigint;
  readonly name: string;
}

/** A stretch ends where the server answers somebody. */
function stretchesOf({ notices, messages }: Observation): readonly Stretch[] {
  const failures = notices.filter(({ code }) => code in FAILURES);
  if (failures.length === 0) return [];
  const answered = lastAnswers(failures, messages);
  const endpoints = new Endpoints();
  for (const message of messages) endpoints.add(message);
  const open = new Map<string, Stretch>();
  const all: Stretch[] = [];
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
    const begun: Stretch = {
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
  tellBack(all, messages);
  return all;
}

/** @param stretches in the order of time. */
function tellBack(stretches: readonly Stretch[], messages: readonly Message[]): void {
  const away = new Map<string, Stretch[]>();
  for (const one of [...stretches].reverse()) {
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

/** When a server last answered before a time, ns; asked in the order of time. */
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

/** Names of connections have none. */
function unbracketed(server: string): string {
  return server.replace(/[[\]]/g, '');
}

export const REFUSED: NoticeCode = 'tcp.refused';
/** Their details have no numbers that differ from time to time. */
const TOLD_APART: ReadonlySet<NoticeCode> = new Set(['tls.refused', 'tcp.unreachable']);
const WEBHOOK = 'webhook';
/** Notes of one picture. */
const MOST = 40;
/** So many are an outage. */
const MANY = 10;
/** Address and port as Go's net package has them in errors and URLs. */
const ENDPOINT = /(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]):\d{1,5}/g;
const NAME_ASKED_FOR = new RegExp(`; ${ASKED_FOR} (\\S+)$`);
/** crypto/tls and crypto/x509. */
const OF_TLS = /\btls: |\bx509: |\bremote error: /;
