// Connections that were refused, or reset before a byte was sent, as notes in a picture: how many, by whom, in which
// stretch of time. Knows notices and times; who asked is not to be seen, for nothing was said.

import type { Message } from '../kubernetes/message.js';
import type { Cast } from './cast.js';
import type { Note, Step } from './model.js';
import { arrowsOf } from './model.js';
import type { Observation } from './observation.js';

interface Stretch {
  /** Address and port. */
  readonly server: string;
  readonly first: bigint;
  last: bigint;
  count: number;
}

/** @returns the steps with a note where each stretch of refused connections begins. */
export function tellRefused(steps: readonly Step[], observation: Observation, cast: Cast): readonly Step[] {
  const stretches = stretchesOf(observation);
  if (stretches.length === 0 || cast.participants.length === 0) return steps;
  const speakers = serversOf(observation.messages);
  const names = new Map(cast.participants.map((one) => [one.name, one.id]));
  const order = cast.participants.map((one) => one.id);
  const shown: Step[] = [];
  let next = 0;
  for (const step of steps) {
    const time = arrowsOf([step])[0]?.message.time;
    for (; time !== undefined && next < stretches.length && stretches[next].first < time; next++)
      shown.push(noteOf(stretches[next], speakers, names, order));
    shown.push(step);
  }
  for (; next < stretches.length; next++) shown.push(noteOf(stretches[next], speakers, names, order));
  return shown;
}

function noteOf(
  { server, first, last, count }: Stretch,
  speakers: ReadonlyMap<string, string>,
  ids: ReadonlyMap<string, string>,
  order: readonly string[],
): Note {
  const name = speakers.get(server);
  const id = name === undefined ? undefined : ids.get(name);
  const within = count === 1 ? '' : ` within ${seconds(last - first)} s`;
  const what = `${count} ${count === 1 ? 'connection' : 'connections'} refused${within}`;
  return {
    kind: 'note',
    over: id === undefined ? [order[0], order[order.length - 1]] : [id],
    lines: [what, name === undefined ? server : `${name}, ${server}`],
  };
}

/** A stretch ends where the server answers somebody. */
function stretchesOf({ notices, messages }: Observation): readonly Stretch[] {
  const answered = lastAnswers(notices, messages);
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
    const begun: Stretch = { server, first: origin.time, last: origin.time, count: 1 };
    open.set(server, begun);
    all.push(begun);
  }
  return all.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
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
