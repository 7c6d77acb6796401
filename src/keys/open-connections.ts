// Which connections of the probed processes were open already, which of them have been heard in both directions, and the key log
// lines of those.

import { keep } from '../core/collections/bounded.js';
import {
  addressText,
  type ObservedKeys,
  type OpenConnection,
  openConnectionLine,
  type SocketAddress,
} from '../core/open-connection.js';
import type { RecordReport } from './record-report.js';

/** A process that is probed, with the connections that it has now. */
export interface ProbedProcess {
  readonly pid: number;
  /** Name of its component or program. */
  readonly name: string;
  readonly sockets: readonly { readonly local: SocketAddress; readonly remote: SocketAddress }[];
}

/** How many open connections were heard in both directions. */
export interface OpenConnectionCount {
  readonly heard: number;
  readonly total: number;
}

/** Where the halfConn of each operation lies in its connection, bytes. */
export interface HalfConnOffsets {
  readonly in: number;
  readonly out: number;
}

export class OpenConnections {
  /** Connections that were open when their process was probed first, by process id; closed ones that were not heard are gone. */
  readonly #open = new Map<number, { readonly name: string; readonly sockets: Map<string, Socket> }>();
  /** Names of connections, the same at both ends, that were heard. */
  readonly #heard = new Set<string>();
  /** The same with the process that was heard: `PID NAME`. */
  readonly #heardBy = new Set<string>();
  readonly #observed = new Map<string, Observed>();
  /** Secrets that were written: both ends of a connection have them. */
  readonly #written = new Set<string>();
  /** Where each secret was reported first. */
  readonly #secrets = new Map<string, Reported>();
  readonly #unreadable = new Set<string>();
  /** The connection that a goroutine reads from: `PID GOROUTINE`. A server's and a client's read loop serves one alone. */
  readonly #readBy = new Map<string, Socket | null>();

  /** A process is probed from now on: what it has open is waited for. */
  add({ pid, name, sockets }: ProbedProcess): void {
    this.#open.set(pid, { name, sockets: new Map(sockets.map((socket) => [connectionName(socket), socket])) });
  }

  /** The connections that a process has now: those that it has closed are not waited for any more. */
  update({ pid, sockets }: ProbedProcess): void {
    const known = this.#open.get(pid)?.sockets;
    if (known === undefined) return;
    const names = new Set(sockets.map(connectionName));
    for (const name of known.keys()) if (!names.has(name) && !this.#heard.has(name)) known.delete(name);
  }

  /** @returns open connections of these processes, each counted once though two of them may be its ends. */
  heardOf(pids: Iterable<number>): OpenConnectionCount {
    const names = new Set<string>();
    let unplaced = 0;
    for (const pid of pids) {
      const own = [...(this.#open.get(pid)?.sockets.keys() ?? [])];
      for (const name of own) names.add(name);
      let unnamed = 0;
      for (const one of this.#observed.values()) if (one.pid === pid && one.isHeard && one.name === null) unnamed += 1;
      // Which connections those are that were heard without their addresses is not known. At most as many as were heard at
      // their other end alone are the same.
      const elsewhere = own.filter((name) => this.#heard.has(name) && !this.#heardBy.has(`${pid} ${name}`)).length;
      unplaced += Math.max(0, unnamed - elsewhere);
    }
    const heard = [...names].filter((name) => this.#heard.has(name)).length;
    return { heard: Math.min(names.size, heard + unplaced), total: names.size };
  }

  /** The same of all processes, and of each component by its name. */
  get heardByName(): Map<string, OpenConnectionCount> {
    const pids = new Map<string, number[]>();
    for (const [pid, { name }] of this.#open) pids.set(name, [...(pids.get(name) ?? []), pid]);
    return new Map([...pids].map(([name, list]) => [name, this.heardOf(list)]));
  }

  get all(): OpenConnectionCount {
    return this.heardOf(this.#open.keys());
  }

  /** Connections with keys of a kind that cannot be read (TLS 1.2 with CBC). */
  get unreadable(): number {
    return this.#unreadable.size;
  }

  /**
   * @param threadPid process of the thread that reported; 0 where that is not known: then the connection's addresses tell.
   * @param offsets of the program's Go version.
   * @param clock ns that make the report's time one since the epoch.
   * @returns a line of the key log, once both directions of a connection were heard.
   */
  observe(report: RecordReport, threadPid: number, offsets: HalfConnOffsets, clock: bigint): string | null {
    const pid = this.#processOf(report, threadPid);
    const conn = report.halfConn - (report.operation === 'encrypt' ? offsets.out : offsets.in);
    const key = `${pid} ${conn}`;
    const socket = this.#socketOf(report, pid);
    const name = socket === null ? null : connectionName(socket);
    let one = this.#observed.get(key);
    const begins = name === null && report.record === 0;
    // Memory of a connection that is over serves another one.
    if (one === undefined || one.name !== name || (begins && !one.begins)) {
      one = {
        pid,
        name,
        socket,
        report,
        read: null,
        write: null,
        begins,
        isOlder: false,
        isHeard: false,
        isWritten: false,
      };
      keep(this.#observed, key, one, CONNECTIONS_LIMIT);
    }
    if (report.operation === 'decrypt') keep(this.#readBy, `${pid} ${report.goroutine}`, socket, CONNECTIONS_LIMIT);
    if (report.secret === null) {
      this.#unreadable.add(name ?? key);
      return null;
    }
    const way = report.operation === 'encrypt' ? 'write' : 'read';
    if (one[way]?.secret === report.secret || !this.#isOwnSecret(report.secret, `${key} ${way}`, report)) return null;
    const { secret, nonce, record } = report;
    one[way] = { secret, nonce, record, time: report.time + clock };
    // The secrets of a connection that begins are those of its handshake first, each from record 0 on.
    one.isOlder ||= record > 0 && !one.begins;
    if (one.read === null || one.write === null || one.begins) return null;
    one.isHeard = true;
    if (one.name !== null) {
      this.#heard.add(one.name);
      this.#heardBy.add(`${pid} ${one.name}`);
    }
    return one.isOlder ? this.#lineOf(one) : null;
  }

  /** The connection from which a goroutine reads; null: not known, or its addresses are not. */
  readBy(pid: number, goroutine: string): { readonly local: SocketAddress; readonly remote: SocketAddress } | null {
    return this.#readBy.get(`${pid} ${goroutine}`) ?? null;
  }

  /** Whether another report about the same halfConn can tell anything that this one did not. */
  isOpenQuestion(report: RecordReport, threadPid: number, offsets: HalfConnOffsets): boolean {
    const pid = this.#processOf(report, threadPid);
    const conn = report.halfConn - (report.operation === 'encrypt' ? offsets.out : offsets.in);
    const one = this.#observed.get(`${pid} ${conn}`);
    const keys = report.operation === 'encrypt' ? one?.write : one?.read;
    return one?.begins !== true && report.secret !== null && keys?.secret !== report.secret;
  }

  /** @returns lines of connections of which one direction alone was heard. */
  end(): string[] {
    return [...this.#observed.values()].flatMap((one) => {
      const line = one.isOlder && !one.isWritten ? this.#lineOf(one) : null;
      return line === null ? [] : [line];
    });
  }

  /**
   * Refuses a secret that the kernel's buffer still held from an earlier report, as it does where a process's memory cannot be read:
   * that secret was reported for another direction, which is not the other end of this one.
   */
  #isOwnSecret(secret: string, place: string, { isClient, operation }: RecordReport): boolean {
    if (/^0*$/.test(secret)) return false;
    const known = this.#secrets.get(secret);
    if (known === undefined) keep(this.#secrets, secret, { place, isClient, operation }, CONNECTIONS_LIMIT);
    return (
      known === undefined || known.place === place || (known.isClient !== isClient && known.operation !== operation)
    );
  }

  #lineOf(one: Observed): string | null {
    one.isWritten = true;
    const secrets = [one.read, one.write].flatMap((keys) => keys?.secret ?? []);
    if (secrets.every((secret) => this.#written.has(secret))) return null;
    for (const secret of secrets) this.#written.add(secret);
    const { report, socket } = one;
    const connection: OpenConnection = {
      processName: `${this.#open.get(one.pid)?.name ?? 'process'}[${one.pid}]`,
      side: report.isClient ? 'client' : 'server',
      version: report.version,
      suite: report.suite,
      local: socket?.local ?? null,
      remote: socket?.remote ?? null,
      read: one.read,
      write: one.write,
    };
    return openConnectionLine(connection);
  }

  #processOf({ local, remote }: RecordReport, threadPid: number): number {
    if (threadPid !== 0 || local === null || remote === null) return threadPid;
    const name = connectionName({ local, remote });
    for (const [pid, { sockets }] of this.#open)
      if (addressText(sockets.get(name)?.local ?? remote) === addressText(local)) return pid;
    return threadPid;
  }

  /** An address is believed where the process has such a socket: what is no plain TCPConn in the program reads as anything. */
  #socketOf({ local, remote, connType }: RecordReport, pid: number): Socket | null {
    if (local === null || remote === null) return null;
    const known = this.#open.get(pid)?.sockets.get(connectionName({ local, remote }));
    if (known === undefined) return null;
    // Two types of one socket: one of them read what was not there.
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

/** What was heard of one `tls.Conn`. */
interface Observed {
  readonly pid: number;
  /** null: its addresses are not known. */
  readonly name: string | null;
  readonly socket: Socket | null;
  readonly report: RecordReport;
  read: ObservedKeys | null;
  write: ObservedKeys | null;
  /** Its first record was seen, and its addresses are not known: its handshake was heard too. */
  readonly begins: boolean;
  /** A record that was not the first under its keys was seen first: it was open before. */
  isOlder: boolean;
  /** In both directions. */
  isHeard: boolean;
  isWritten: boolean;
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

/** Connections of which something was heard, and secrets, until the probes go: a busy API server has some thousand. */
const CONNECTIONS_LIMIT = 65_536;
