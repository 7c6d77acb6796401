// Connections that were refused, or reset before a byte was sent, as notes in a picture: how many, by whom, in which
// stretch of time. Knows notices and times; who asked is not to be seen, for nothing was said.

import type { Message } from '../kubernetes/message.js';
import type { Cast } from './cast.js';
import type { Note, Step } from './model.js';
import { arrowsOf } from './model.js';
import type { Observation } from './observation.js';

/** Refused one after the other, until the server answers somebody. */
interface Stretch {
  /** Address and port. */
  readonly server: string;
  /** Who answers there when it does; undefined: nobody was heard there. */
  readonly name: string | undefined;
  readonly first: bigint;
  last: bigint;
  count: number;
  /** When the server answers somebody again, ns; undefined: nobody. */
  back: bigint | undefined;
}

export type Refused = readonly Stretch[];

/** @param selected only what was refused in their time is told; null: all. */
export function refusedIn(observation: Observation, selected: readonly Message[] | null): Refused {
  const stretches = stretchesOf(observation);
  if (selected === null || stretches.length === 0) return stretches;
  const times = selected.map((message) => message.time);
  if (times.length === 0) return [];
  return stretches.filter(({ first }) => first >= times[0] && first <= times[times.length - 1]);
}

/** All of them in one line, where they are many. */
export function refusedLines(refused: Refused): string[] {
  const count = refused.reduce((sum, one) => sum + one.count, 0);
  return count < MANY ? [] : [`${count} connections were refused, or reset before a byte was sent`];
}

/** @returns the steps with a note where each stretch begins. */
export function tellRefused(steps: readonly Step[], refused: Refused, { participants }: Cast): readonly Step[] {
  if (participants.length === 0) return steps;
  const ids = new Map(participants.map((one) => [one.name, one.id]));
  const ends: Note['over'] = [participants[0].id, participants[participants.length - 1].id];
  // One or two are ordinary wherever programs start; a webhook that is not there is why a request fails.
  const asked = new Set(participants.filter((one) => one.component === WEBHOOK).map((one) => one.name));
  const told = refused.filter(({ count, name }) => count >= MANY || asked.has(name ?? ''));
  const shown: Step[] = [];
  let next = 0;
  for (const step of steps) {
    const time = arrowsOf([step])[0]?.message.time;
    for (; time !== undefined && next < told.length && told[next].first < time; next++)
      shown.push(noteOf(told[next], ids, ends));
    shown.push(step);
  }
  for (; next < told.length; next++) shown.push(noteOf(told[next], ids, ends));
  return shown;
}

function noteOf(
  { server, name, first, last, count, back }: Stretch,
  ids: ReadonlyMap<string, string>,
  ends: Note['over'],
): Note {
  const id = ids.get(name ?? '');
  const taken = count === 1 ? '' : ` in ${seconds(last - first)} s`;
  const what = `${count} ${count === 1 ? 'connection' : 'connections'} refused${taken}`;
  return {
    kind: 'note',
    over: id === undefined ? ends : [id],
    lines: [
      what,
      name === undefined ? server : `${name}, ${server}`,
      back === undefined ? 'no answer after that' : `answers again after ${seconds(back - first)} s`,
    ],
  };
}

/** A stretch ends where the server answers somebody. */
function stretchesOf({ notices, messages }: Observation): readonly Stretch[] {
  const answered = lastAnswers(notices, messages);
  const names = serversOf(messages);
  const open = new Map<string, Stretch>();
  const all: Stretch[] = [];
  for (const { code, origin, connection } of notices) {
    if (code !== 'tcp.refused' || origin === undefined || connection === undefined) continue;
    const server = connection.slice(connection.indexOf('-') + 1);
    const now = open.get(server);
    if (now !== undefined && answered(server, origin.time) < now.last) {
      now.count += 1;
      if (origin.time > now.last) now.last = origin.time;
      continue;
    }
    const { time } = origin;
    const begun: Stretch = { server, name: names.get(server), first: time, last: time, count: 1, back: undefined };
    open.set(server, begun);
    all.push(begun);
  }
  all.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  tellBack(all, messages);
  return all;
}

/** @param stretches in the order of time; those of one server do not overlap. */
function tellBack(stretches: readonly Stretch[], messages: readonly Message[]): void {
  const away = new Map<string, Stretch[]>();
  for (const one of [...stretches].reverse()) {
    const waiting = away.get(one.server);
    if (waiting === undefined) away.set(one.server, [one]);
    else waiting.push(one);
  }
  if (away.size === 0) return;
  for (const { kind, connection, time } of messages) {
    if (kind !== 'response') continue;
    const waiting = away.get(connection.slice(connection.indexOf('-') + 1));
    const next = waiting?.[waiting.length - 1];
    if (next === undefined || time <= next.last) continue;
    next.back = time;
    waiting?.pop();
  }
}

/** When a server last answered before a time, ns; asked in the order of time. */
function lastAnswers(
  notices: Observation['notices'],
  messages: readonly Message[],
): (server: string, before: bigint) => bigint {
  const times = new Map<string, { readonly all: bigint[]; next: number; last: bigint }>();
  for (const { code, connection } of notices)
    if (code === 'tcp.refused' && connection !== undefined)
      times.set(connection.slice(connection.indexOf('-') + 1), { all: [], next: 0, last: -1n });
  if (times.size > 0)
    for (const { kind, connection, time } of messages)
      if (kind === 'response') times.get(connection.slice(connection.indexOf('-') + 1))?.all.push(time);
  return (server, before) => {
    const known = times.get(server);
    if (known === undefined) return -1n;
    while (known.next < known.all.length && known.all[known.next] < before) known.last = known.all[known.next++];
    return known.last;
  };
}

/** Who answers at an address and port when it does answer. */
function serversOf(messages: readonly Message[]): ReadonlyMap<string, string> {
  const servers = new Map<string, string>();
  for (const { kind, connection, to } of messages)
    if (kind === 'request') servers.set(connection.slice(connection.indexOf('-') + 1), to.name);
  return servers;
}

function seconds(ns: bigint): string {
  return (Number(ns) / 1e9).toFixed(1);
}

const WEBHOOK = 'webhook';
/** So many are an outage. */
const MANY = 10;
