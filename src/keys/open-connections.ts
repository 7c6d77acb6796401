// Follows connections of probed processes that were open before, and writes key log lines once both directions were observed.

import { BoundedMap } from '../core/collections/bounded.js';
import {
  addressText,
  type ObservedKeys,
  type OpenConnection,
  openConnectionLine,
  type SocketAddress,
} from '../core/open-connection.js';
import type { RecordReport } from './record-probe.js';

/** A probed process with its current connections. */
export interface ProbedProcess {
  readonly pid: number;
  /** Name of its component or program. */
  readonly name: string;
  readonly sockets: readonly { readonly local: SocketAddress; readonly remote: SocketAddress }[];
}

/** How many open connections were observed in both directions. */
export interface OpenConnectionCount {
  readonly observed: number;
  readonly total: number;
}

/** Offset in bytes of each direction's halfConn in its connection. */
export interface HalfConnOffsets {
  readonly in: number;
  readonly out: number;
}

export class OpenConnections {
  /** By process id: connections that were open when the process was probed first, without those that closed unobserved. */
  readonly #open = new Map<number, { readonly name: string; readonly sockets: Map<string, Socket> }>();
  /** Names, the same at both ends, of the connections that were observed. */
  #observed = new Set<string>();
  /** The same with the observed process: `PID NAME`. */
  #observedBy = new Set<string>();
  readonly #states = new BoundedMap<string, ConnectionState>(CONNECTIONS_LIMIT, 'open connections');
  /** Secrets that were written; both ends of a connection report them. */
  #written = new Set<string>();
  /** The direction that each secret was reported for first. */
  readonly #secrets = new BoundedMap<string, Reported>(CONNECTIONS_LIMIT, 'secrets of open connections');
  readonly #unreadable = new Set<string>();
  /** By `PID GOROUTINE`: the connection that the goroutine reads from; each read loop serves one. */
  readonly #readBy = new BoundedMap<string, Socket | null>(CONNECTIONS_LIMIT, 'readers of open connections');

  /** Adds a newly probed process; its open connections are awaited. */
  add({ pid, name, sockets }: ProbedProcess): void {
    this.#open.set(pid, { name, sockets: new Map(sockets.map((socket) => [connectionName(socket), socket])) });
  }

  /** Updates the connections of a process; those that it closed are no longer awaited. */
  update({ pid, sockets }: ProbedProcess): void {
    const known = this.#open.get(pid)?.sockets;
    if (known === undefined) return;
    const names = new Set(sockets.map(connectionName));
    for (const name of known.keys()) if (!names.has(name) && !this.#observed.has(name)) known.delete(name);
  }

  /**
   * Begins anew. Only connections that are open still, and that can be opened at any later record, are not to be observed again.
   * @param socketsOf the connections that a process has open now.
   */
  renew(socketsOf: (pid: number) => ProbedProcess['sockets']): void {
    for (const [pid, { name }] of this.#open) this.add({ pid, name, sockets: socketsOf(pid) });
    for (const [key, one] of this.#states) {
      const isOpen = one.name !== null && this.#open.get(one.pid)?.sockets.has(one.name) === true;
      if (!isOpen || !one.isObserved || !TELLING_SUITES.includes(one.report.suite)) this.#states.delete(key);
    }
    const kept = [...this.#states.values()];
    this.#observed = new Set(kept.flatMap(({ name }) => name ?? []));
    this.#observedBy = new Set(kept.map(({ pid, name }) => `${pid} ${name}`));
    this.#written = new Set(kept.flatMap(secretsOf));
    this.#unreadable.clear();
    // A goroutine may serve another connection by now.
    for (const [reader, socket] of this.#readBy)
      if (socket === null || !this.#observed.has(connectionName(socket))) this.#readBy.delete(reader);
  }

  /** Lines that were written of connections that are not forgotten since. */
  get lines(): string[] {
    return [...this.#states.values()].flatMap(({ line }) => line ?? []);
  }

  /** Names of the connections that are open and were not observed. */
  get awaited(): Set<string> {
    const names = [...this.#open.values()].flatMap(({ sockets }) => [...sockets.keys()]);
    return new Set(names.filter((name) => !this.#observed.has(name)));
  }

  isObserved(socket: ProbedProcess['sockets'][number]): boolean {
    return this.#observed.has(connectionName(socket));
  }

  /** Addresses of the `tls.Conn`s of a process that were observed in both directions. */
  observedIn(pid: number): number[] {
    return [...this.#states.values()].flatMap((one) => (one.pid === pid && one.isObserved ? one.conn : []));
  }

  /** Counts the open connections of these processes, each once though two of them may be its ends. @param without not these. */
  countOf(pids: Iterable<number>, without: ReadonlySet<string> = new Set()): OpenConnectionCount {
    const names = new Set<string>();
    let unplaced = 0;
    for (const pid of pids) {
      const own = [...(this.#open.get(pid)?.sockets.keys() ?? [])].filter((name) => !without.has(name));
      for (const name of own) names.add(name);
      let unnamed = 0;
      for (const one of this.#states.values()) if (one.pid === pid && one.isObserved && one.name === null) unnamed += 1;
      // Connections observed without addresses cannot be matched with names. At most as many of them as were observed at their other
      // end alone are counted there already.
      const elsewhere = own.filter(
        (name) => this.#observed.has(name) && !this.#observedBy.has(`${pid} ${name}`),
      ).length;
      unplaced += Math.max(0, unnamed - elsewhere);
    }
    const observed = [...names].filter((name) => this.#observed.has(name)).length;
    return { observed: Math.min(names.size, observed + unplaced), total: names.size };
  }

  /** The counts of each component, by its name. */
  get countsByName(): Map<string, OpenConnectionCount> {
    const pids = new Map<string, number[]>();
    for (const [pid, { name }] of this.#open) pids.set(name, [...(pids.get(name) ?? []), pid]);
    return new Map([...pids].map(([name, list]) => [name, this.countOf(list)]));
  }

  get count(): OpenConnectionCount {
    return this.countOf(this.#open.keys());
  }

  /**
   * Was every connection observed in a direction, other than those of etcd? Its clients keep some idle for each kind of object. Who receives
   * events often neither answers nor pings; what it sends later is observed then.
   */
  get isHeard(): boolean {
    const without = new Set<string>();
    for (const { name: program, sockets } of this.#open.values())
      for (const [name, { local, remote }] of sockets)
        if (program === ETCD || ETCD_PORTS.includes(local.port) || ETCD_PORTS.includes(remote.port)) without.add(name);
    for (const { name, read, write } of this.#states.values())
      if (name !== null && !this.#observed.has(name) && (read ?? write) !== null) without.add(name);
    const others = [...this.#open].flatMap(([pid, { name }]) => (name === ETCD ? [] : [pid]));
    const { observed, total } = this.countOf(others, without);
    return observed === total;
  }

  /** Connections of suites whose keys cannot be read (TLS 1.2 with CBC). */
  get unreadable(): number {
    return this.#unreadable.size;
  }

  /**
   * @param threadPid process of the reporting thread; 0 if unknown: then the connection's addresses identify it.
   * @param offsets those of the program's Go version.
   * @param clock ns to add to the report's time for ns since the epoch.
   * @returns a line of the key log, once both directions of a connection were observed.
   */
  observe(report: RecordReport, threadPid: number, offsets: HalfConnOffsets, clock: bigint): string | null {
    const pid = this.#processOf(report, threadPid);
    const conn = report.halfConn - (report.operation === 'encrypt' ? offsets.out : offsets.in);
    const key = `${pid} ${conn}`;
    const socket = this.#socketOf(report, pid);
    const name = socket === null ? null : connectionName(socket);
    let one = this.#states.get(key);
    const begins = name === null && report.record === 0;
    // Another connection may reuse the memory of one that was closed.
    if (one === undefined || one.name !== name || (begins && !one.begins)) {
      one = {
        pid,
        conn,
        name,
        socket,
        report,
        read: null,
        write: null,
        begins,
        isOlder: false,
        isObserved: false,
        isWritten: false,
        line: null,
      };
      this.#states.set(key, one);
    }
    if (report.operation === 'decrypt') this.#readBy.set(`${pid} ${report.goroutine}`, socket);
    if (report.secret === null) {
      this.#unreadable.add(name ?? key);
      return null;
    }
    const direction = report.operation === 'encrypt' ? 'write' : 'read';
    if (one[direction]?.secret === report.secret || !this.#isOwnSecret(report.secret, `${key} ${direction}`, report))
      return null;
    const { secret, nonce, record } = report;
    one[direction] = { secret, nonce, record, time: report.time + clock };
    // A new connection uses the secrets of its handshake first, each from record 0 on.
    one.isOlder ||= record > 0 && !one.begins;
    if (one.read === null || one.write === null || one.begins) return null;
    one.isObserved = true;
    if (one.name !== null) {
      this.#observed.add(one.name);
      this.#observedBy.add(`${pid} ${one.name}`);
    }
    return one.isOlder ? this.#lineOf(one) : null;
  }

  /** The connection that a goroutine reads from; null if the connection or its addresses are unknown. */
  connectionReadBy(
    pid: number,
    goroutine: string,
  ): { readonly local: SocketAddress; readonly remote: SocketAddress } | null {
    return this.#readBy.get(`${pid} ${goroutine}`) ?? null;
  }

  /** Whether another report about the same halfConn may add anything to this one. */
  needsReport(report: RecordReport, threadPid: number, offsets: HalfConnOffsets): boolean {
    const pid = this.#processOf(report, threadPid);
    const conn = report.halfConn - (report.operation === 'encrypt' ? offsets.out : offsets.in);
    const one = this.#states.get(`${pid} ${conn}`);
    const keys = report.operation === 'encrypt' ? one?.write : one?.read;
    return one?.begins !== true && report.secret !== null && keys?.secret !== report.secret;
  }

  /** @returns lines of connections of which only one direction was observed. */
  end(): string[] {
    return [...this.#states.values()].flatMap((one) => {
      const line = one.isOlder && !one.isWritten ? this.#lineOf(one) : null;
      return line === null ? [] : [line];
    });
  }

  /**
   * Rejects a stale secret. Where a process's memory cannot be read, the kernel's buffer keeps the secret of an earlier report: one that
   * was reported for another direction that is not the other end of this one.
   */
  #isOwnSecret(secret: string, place: string, { isClient, operation }: RecordReport): boolean {
    if (/^0*$/.test(secret)) return false;
    const known = this.#secrets.get(secret);
    if (known === undefined) this.#secrets.set(secret, { place, isClient, operation });
    return (
      known === undefined || known.place === place || (known.isClient !== isClient && known.operation !== operation)
    );
  }

  #lineOf(one: ConnectionState): string | null {
    one.isWritten = true;
    const secrets = secretsOf(one);
    if (secrets.every((secret) => this.#written.has(secret))) return null;
    for (const secret of secrets) this.#written.add(secret);
    const { report, socket } = one;
    const { name } = one;
    const peer = [...this.#open].find(([pid, { sockets }]) => pid !== one.pid && name !== null && sockets.has(name));
    const connection: OpenConnection = {
      processName: `${this.#open.get(one.pid)?.name ?? 'process'}[${one.pid}]`,
      peerName: peer === undefined ? undefined : `${peer[1].name}[${peer[0]}]`,
      side: report.isClient ? 'client' : 'server',
      version: report.version,
      suite: report.suite,
      local: socket?.local ?? null,
      remote: socket?.remote ?? null,
      read: one.read,
      write: one.write,
    };
    one.line = openConnectionLine(connection);
    return one.line;
  }

  #processOf({ local, remote }: RecordReport, threadPid: number): number {
    if (threadPid !== 0 || local === null || remote === null) return threadPid;
    const name = connectionName({ local, remote });
    for (const [pid, { sockets }] of this.#open)
      if (addressText(sockets.get(name)?.local ?? remote) === addressText(local)) return pid;
    return threadPid;
  }

  /** Accepts addresses only if the process has such a socket: where `Conn.conn` is no plain TCPConn, the probe reads arbitrary memory. */
  #socketOf({ local, remote, connType }: RecordReport, pid: number): Socket | null {
    if (local === null || remote === null) return null;
    const known = this.#open.get(pid)?.sockets.get(connectionName({ local, remote }));
    if (known === undefined) return null;
    // If one socket has two types, one of the reports read arbitrary memory.
    known.type ??= connType;
    return known.type === connType ? { local, remote } : null;
  }
}

interface Socket {
  readonly local: SocketAddress;
  readonly remote: SocketAddress;
  type?: string;
}

/** The direction that a secret was reported for. */
interface Reported extends Pick<RecordReport, 'isClient' | 'operation'> {
  readonly place: string;
}

/** State of one `tls.Conn`. */
interface ConnectionState {
  readonly pid: number;
  /** Its address. */
  readonly conn: number;
  /** null if its addresses are unknown. */
  readonly name: string | null;
  readonly socket: Socket | null;
  readonly report: RecordReport;
  read: ObservedKeys | null;
  write: ObservedKeys | null;
  /** Its first record was observed and its addresses are unknown: its handshake was observed too. */
  readonly begins: boolean;
  /** The first record observed was not the first under its keys: the connection was open before. */
  isOlder: boolean;
  /** In both directions. */
  isObserved: boolean;
  isWritten: boolean;
  /** What was written; null: nothing, or what its other end had is written. */
  line: string | null;
}

function secretsOf({ read, write }: ConnectionState): string[] {
  return [read, write].flatMap((keys) => keys?.secret ?? []);
}

/** Name of a connection, the same at both ends. */
export function connectionName({
  local,
  remote,
}: {
  readonly local: SocketAddress;
  readonly remote: SocketAddress;
}): string {
  return [addressText(local), addressText(remote)].sort().join(' ');
}

/**
 * TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384 (RFC 8446, B.4): their records tell their own number
 * (src/tls/mid-session/sequence-number-search.ts); with others it has to be near an observed one.
 */
const TELLING_SUITES: readonly number[] = [0x1301, 0x1302];
/** The program, and its ports for clients and peers (IANA). */
const ETCD = 'etcd';
const ETCD_PORTS: readonly number[] = [2379, 2380];
/** Limit: connections that carried data, and secrets, while the probes of open connections are set: a busy API server has some thousand. */
const CONNECTIONS_LIMIT = 65_536;
