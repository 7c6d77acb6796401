// Finds servers that answered nothing for a while, although several requests waited: one that stands still, not one that is slow once.

import { STREAMED_SUBRESOURCES } from '../core/api-resources.js';
import { BoundedMap, RecentMap } from '../core/collections/bounded.js';
import { serverOf, withAddress } from '../core/connection-name.js';
import { TOLD_SILENCE_MS } from '../core/cut.js';
import { elapsedText } from '../core/duration.js';
import { counted } from '../core/quantity.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { TimedProblem } from './problems.js';

/** Requests that came since the server's latest message. */
interface WaitingRequests {
  /** ns: the first of them, and its `seq`. */
  readonly since: bigint;
  readonly seq: number;
  /** The server at the first of them, by name and with its address. */
  readonly name: string;
  readonly server: string;
  count: number;
  readonly exchanges: Set<number>;
  readonly connections: Set<string>;
  /** Programs that sent them. */
  readonly clients: Set<string>;
  /** One of them was answered later, or given up: the answer was due, and is not missing from the capture. */
  isDue: boolean;
}

interface Silence extends WaitingRequests {
  /** ns: the first byte of the next message. */
  until: bigint;
}

interface ServerState {
  /** Program and port. */
  readonly key: string;
  waiting: WaitingRequests | null;
  /** The latest silence; a message that is complete later may have begun in it. */
  held: Silence | null;
  /** ms: the longest time that an answer took. */
  longest: number;
}

/** Silences of one server. */
interface SilentServer extends Silence {
  times: number;
  readonly first: bigint;
  last: bigint;
}

export class SilentServers {
  /** Connection → its server, which answered there: a capture of one direction shows no silence. */
  readonly #answering = new RecentMap<string, ServerState>(MAX_CONNECTIONS, 'connections on which answers are awaited');
  /** By program and port: it may answer at several addresses. */
  readonly #servers = new BoundedMap<string, ServerState>(MAX_SERVERS, 'servers whose answers are awaited');
  readonly #found = new Map<string, SilentServer>();
  #last = 0n;
  /** Silences beyond the limit. */
  uncounted = 0;

  /** @param message in the order of time. */
  add(message: Message): void {
    const { kind, connection, time, exchange, cut } = message;
    this.#last = time;
    if (kind === 'request') this.#asked(this.#answering.get(connection), message);
    // A client that gives up shows no life of its server.
    else if (kind === 'end' && cut?.by !== 'server') {
      const waiting = this.#answering.get(connection)?.waiting;
      if (waiting == null || cut?.by !== 'client' || !waiting.exchanges.has(exchange)) return;
      if ((cut.afterMs ?? 0) >= TOLD_SILENCE_MS) waiting.isDue = true;
      else waiting.count -= 1;
    } else this.#heard(message);
  }

  /** In the order of first occurrence. */
  result(): readonly TimedProblem[] {
    const found = new Map(this.#found);
    for (const [key, { held, waiting, longest }] of this.#servers) {
      if (held !== null) this.#count(found, key, held);
      if (waiting === null) continue;
      const atEnd = { ...waiting, until: this.#last };
      // A capture may stop while answers are on their way.
      const isLong = Number(atEnd.until - atEnd.since) / 1e6 >= USUAL_TIMES * longest;
      if (isLong && atEnd.connections.size > 1 && isSilent(atEnd)) this.#count(found, key, { ...atEnd, isDue: true });
    }
    const all = [...found.values()];
    return all.map((one) => {
      const { server, seq: message, times: count, first: time, last } = one;
      const awaited = all.find((other) => other !== one && other.clients.has(one.name) && isDuring(other, one));
      const why = awaited === undefined ? '' : `; it waited for ${awaited.server} itself`;
      return { kind: 'unreachable', what: `${server}: silent: ${silenceWords(one)}${why}`, count, message, time, last };
    });
  }

  #asked(state: ServerState | undefined, message: Message): void {
    if (state === undefined || !isAnsweredAtOnce(message)) return;
    const { to, from, seq, time, exchange, connection } = message;
    state.waiting ??= {
      since: time,
      seq,
      name: to.process.name,
      server: withAddress(to.process.name, serverOf(connection)),
      count: 0,
      exchanges: new Set(),
      connections: new Set(),
      clients: new Set(),
      isDue: false,
    };
    const { exchanges, connections, clients } = state.waiting;
    state.waiting.count += 1;
    if (exchanges.size < MAX_WAITING) exchanges.add(exchange);
    if (connections.size < MAX_WAITING) connections.add(connection);
    if (clients.size <= MANY) clients.add(from.process.name);
  }

  #heard({ connection, exchange, started, time, latencyMs = 0, from, kind }: Message): void {
    let state = this.#answering.get(connection);
    if (state === undefined) {
      // Who ended a connection is no sign that answers would have been captured.
      if (kind === 'end') return;
      const server = serverOf(connection);
      const key = `${from.process.id}${server.slice(server.lastIndexOf(':'))}`;
      state = this.#servers.get(key) ?? { key, waiting: null, held: null, longest: 0 };
      this.#servers.set(key, state);
      this.#answering.set(connection, state);
    }
    if (latencyMs > state.longest) state.longest = latencyMs;
    const { waiting, held } = state;
    if (held !== null) {
      if (held.exchanges.has(exchange)) held.isDue = true;
      // It was on its way in what seemed to be a silence.
      if (started < held.until) held.until = started;
    }
    if (waiting === null) return;
    state.waiting = null;
    const silence = { ...waiting, until: started < time ? started : time };
    if (!isSilent(silence)) return;
    if (held !== null) this.#count(this.#found, state.key, held);
    silence.isDue ||= waiting.exchanges.has(exchange);
    state.held = silence;
  }

  #count(found: Map<string, SilentServer>, key: string, silence: Silence): void {
    if (!silence.isDue || !isSilent(silence)) return;
    const known = found.get(key);
    const { since, until } = silence;
    if (known === undefined) {
      if (found.size >= MAX_SERVERS) this.uncounted += 1;
      else found.set(key, { ...silence, times: 1, first: since, last: since });
      return;
    }
    const longer = until - since > known.until - known.since ? silence : known;
    found.set(key, { ...longer, times: known.times + 1, first: known.first, seq: known.seq, last: since });
  }
}

/** `no answer for 12 s while 11 requests of kube-apiserver on 4 connections waited`; of the longest of several silences. */
function silenceWords({ times, count, connections, clients, since, until }: SilentServer): string {
  const upTo = times === 1 ? '' : 'up to ';
  const who = `${[...clients].slice(0, MANY).join(', ')}${clients.size > MANY ? ' and others' : ''}`;
  const requests = `${upTo}${counted(count, 'request')} of ${who} on ${counted(connections.size, 'connection')}`;
  return `no answer for ${upTo}${elapsedText(until - since)} while ${requests} waited`;
}

/** Whether a silence fills most of another. */
function isDuring(one: Pick<Silence, 'since' | 'until'>, { since, until }: Silence): boolean {
  const from = one.since > since ? one.since : since;
  const to = one.until < until ? one.until : until;
  return 2n * (to - from) > until - since;
}

function isSilent({ since, until, count }: Silence): boolean {
  return count >= MANY && until - since >= SILENT_NS;
}

/** A watch and a stream may be silent for as long as nothing happens. */
function isAnsweredAtOnce({ protocol, verb, subresource, rpcMethod }: Message): boolean {
  if (protocol === 'etcd') return UNARY.has(rpcMethod ?? '');
  return (
    protocol === 'kubernetes' && verb !== undefined && verb !== 'watch' && !STREAMED_SUBRESOURCES.has(subresource ?? '')
  );
}

/** etcd, api/etcdserverpb/rpc.proto: service KV. */
const UNARY = new Set(['Range', 'Txn', 'Put', 'DeleteRange']);
/** ns: an API server and an etcd that live answer one of several within it. */
const SILENT_NS = 2_000_000_000n;
/** So many requests wait for no slow answer alone. Limit: programs that a line names. */
const MANY = 3;
/** Requests that wait at the capture's end waited well over what they usually take. */
const USUAL_TIMES = 3;
/** Limit: servers whose answers are awaited, each at most a line of the summary. */
const MAX_SERVERS = 1000;
/** Limit: connections on which answers are awaited. */
const MAX_CONNECTIONS = 10_000;
/** Limit: requests and connections that are told apart in a silence. */
const MAX_WAITING = 1000;
