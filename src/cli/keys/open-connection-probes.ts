// Probes the record layer of running Go programs, to get the secrets of connections that were open before.

import {
  type EventName,
  type HeaderReport,
  headerProbeLine,
  ObservedTables,
  type OpenConnectionCount,
  OpenConnections,
  type RecordProbes,
  type RecordReport,
  recordProbeLine,
} from '../../index.js';
import { CliError } from '../cli-error.js';
import { Reports } from '../output/reports.js';
import type { KeyTarget } from './key-targets.js';
import { hasKernelsNumbers, Memory, processesOf, processOf, socketsOf } from './processes.js';
import { clockOffset, NO_FILTER, type Probes } from './tracefs.js';

interface ProbedProgram {
  readonly target: KeyTarget;
  readonly pids: readonly number[];
  readonly events: readonly ProbedFunction[];
  /** ms, when it is given up. */
  readonly deadline: number;
}

interface ProbedFunction {
  readonly operation: RecordReport['operation'];
  readonly event: string;
  /** Addresses of halfConns of which nothing more is wanted, the latest last. */
  readonly known: Set<number>;
  /** Some of them are not in the kernel's filter yet. */
  isStale: boolean;
}

export class OpenConnectionProbes {
  readonly #probes: Probes;
  readonly #bound: number;
  readonly #isCapturing: boolean;
  #reports: Reports;
  readonly #connections = new OpenConnections();
  #tables = new ObservedTables();
  readonly #memory = new Memory();
  /** Probes on HPACK decoders, by program, with the ms when they go. */
  readonly #headers = new Map<number, { readonly events: readonly string[]; readonly deadline: number }>();
  readonly #programs = new Map<number, ProbedProgram>();
  readonly #targets = new Map<number, KeyTarget>();
  readonly #processes = new Map<number, number>();
  /** Else the kernel's numbers of threads mean nothing here. */
  readonly #knowsThreads = hasKernelsNumbers();
  #lastLook = 0;
  /** A program has open connections that cannot be observed. */
  #hasUnknown = false;

  /**
   * @param bound ms that open connections of a program are waited for at most; 0: no probes. @param isCapturing tables of header blocks
   * are wanted until `stop`, not only for so long.
   */
  constructor(probes: Probes, bound: number, isCapturing: boolean, reports: Reports) {
    this.#probes = probes;
    this.#bound = bound;
    this.#isCapturing = isCapturing;
    this.#reports = reports;
  }

  /** No open connection is waited for any more. */
  get done(): boolean {
    return this.#programs.size === 0;
  }

  /** Is there no open connection left to wait for? Those of etcd do not count. */
  get isWaitOver(): boolean {
    return this.done || this.#connections.isHeard;
  }

  /** Of all programs together. */
  get count(): OpenConnectionCount {
    return this.#connections.count;
  }

  /** By the name of the component or program. */
  get countsByName(): ReadonlyMap<string, OpenConnectionCount> {
    return this.#connections.countsByName;
  }

  /**
   * Sets the probes of a program whose handshakes are reported already, where one of its processes has a connection open. Those that
   * are set stay.
   *
   * @param program its number, as events have it. @param path of the executable as the kernel finds it. @param only these processes;
   * null: all of them.
   */
  add(program: number, target: KeyTarget, path: string, only: readonly number[] | null): void {
    if (this.#bound === 0) return;
    const pids = processesOf(target.opened.identity).filter((pid) => only === null || only.includes(pid));
    const processes = pids.map((pid) => ({ pid, name: target.program, sockets: socketsOf(pid) }));
    const { records } = target;
    if (processes.every(({ sockets }) => sockets.length === 0)) return;
    if (typeof records === 'string') {
      this.#hasUnknown = true;
      this.#reports.say(
        `${target.name} is ${records}: its connections that are open already cannot be read, new ones can`,
      );
      return;
    }
    const isKnown = processes.every(({ sockets }) => sockets.every((socket) => this.#connections.isObserved(socket)));
    if (isKnown && this.#targets.has(program)) return;
    try {
      this.#plant(program, target, records, path, pids);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      // Handshakes are reported all the same.
      this.#reports.say(`${target.name}: connections that are open already cannot be read: ${error.message}`);
      return;
    }
    for (const one of processes) this.#connections.add(one);
  }

  /** Throws Trouble where the kernel takes no such probe; then none of them is left. */
  #plant(program: number, target: KeyTarget, records: RecordProbes, path: string, pids: readonly number[]): void {
    const planted: string[] = [];
    const plant = (name: EventName, line: (event: string) => string, filter?: string): string => {
      const event = this.#probes.add(program, line, name, filter);
      planted.push(event);
      return event;
    };
    const before = this.#programs.get(program)?.events;
    // Two processes of one program may have one address each.
    const conns = pids.length === 1 ? this.#connections.observedIn(pids[0]).slice(-FILTERED_LIMIT) : [];
    const { conn } = records.fields;
    try {
      const events = (['encrypt', 'decrypt'] as const).map((operation, i) => {
        const known = new Set(conns.map((at) => at + (operation === 'encrypt' ? conn.out : conn.in)));
        const line = (name: string): string => recordProbeLine(records, operation, path, name);
        const event = before?.[i].event ?? plant(operation, line, filterOf(known));
        return { operation, event, known, isStale: before !== undefined };
      });
      // Behind the others: a goroutine is known by the record that it read.
      const headers =
        this.#headers.get(program)?.events ??
        records.headerOffsets.map((offset, i) =>
          plant(HEADER_EVENTS[i], (name) => headerProbeLine(records.arch, offset, path, name)),
        );
      const deadline = Date.now() + this.#bound;
      this.#targets.set(program, target);
      this.#programs.set(program, { target, pids, events, deadline });
      const until = this.#isCapturing ? Number.POSITIVE_INFINITY : deadline;
      if (headers.length > 0) this.#headers.set(program, { events: headers, deadline: until });
    } catch (error) {
      this.#probes.disable(planted);
      throw error;
    }
  }

  /** Names of the connections that are open and not read yet; null: not all of these are known. */
  get awaited(): ReadonlySet<string> | null {
    return this.#bound === 0 || this.#hasUnknown ? null : this.#connections.awaited;
  }

  /** Lines of the connections that are known. Tables are wanted whole from now on, for a file that begins with them. */
  linesForNewFile(): string[] {
    this.#tables = new ObservedTables();
    return this.#connections.lines;
  }

  /** Asks for what is not known; programs are to be added again. @returns lines of connections of which only one direction was reported. */
  renew(): string[] {
    const rest = this.#connections.end();
    this.#connections.renew(socketsOf);
    // What cannot be read was said the first time.
    this.#reports = new Reports(true);
    return rest;
  }

  /** @param reports of the kernel, in order. @returns lines of the key log. */
  take(reports: readonly RecordReport[], headers: readonly HeaderReport[]): string[] {
    const clock = reports.length + headers.length === 0 ? 0n : clockOffset();
    const lines = reports.flatMap((report) => {
      const target = this.#targets.get(report.program);
      if (target === undefined || typeof target.records === 'string') return [];
      const { conn } = target.records.fields;
      const pid = this.#processOf(report.thread);
      const line = this.#connections.observe(report, pid, conn, clock);
      if (!this.#connections.needsReport(report, pid, conn)) this.#forget(report);
      return line === null ? [] : [line];
    });
    this.#filter();
    const tables = headers.flatMap((report) => this.#tableOf(report, clock));
    if (!this.done) this.#look();
    this.#removeHeaders();
    return [...lines, ...tables];
  }

  /** @returns lines of connections of which only one direction was reported. The probes go with the others. */
  stop(): string[] {
    this.#programs.clear();
    this.#headers.clear();
    this.#memory.close();
    return this.#connections.end();
  }

  /** What the HPACK table of a connection held when this block came; nothing where its addresses are not known. */
  #tableOf(report: HeaderReport, clock: bigint): string[] {
    const pid = this.#processOf(report.thread);
    const ends = pid === 0 ? null : this.#connections.connectionReadBy(pid, report.goroutine);
    if (ends === null || !this.#tables.isDue(pid, report)) return [];
    const line = this.#tables.observe(pid, report, ends, (at, length) => this.#memory.read(pid, at, length), clock);
    return line === null ? [] : [line];
  }

  #removeHeaders(): void {
    for (const [program, { events, deadline }] of this.#headers) {
      if (Date.now() < deadline) continue;
      this.#headers.delete(program);
      this.#probes.disable(events);
    }
  }

  /** Nothing more is wanted of this halfConn. */
  #forget({ program, operation, halfConn }: RecordReport): void {
    const probed = this.#programs.get(program)?.events.find((one) => one.operation === operation);
    if (probed === undefined || probed.known.has(halfConn)) return;
    probed.known.add(halfConn);
    probed.isStale = true;
    if (probed.known.size > FILTERED_LIMIT)
      for (const oldest of probed.known) {
        probed.known.delete(oldest);
        break;
      }
  }

  /** A busy connection reports each of its records: those that are known stay in the kernel, else it drops those of others. */
  #filter(): void {
    for (const { events } of this.#programs.values())
      for (const probed of events) {
        if (!probed.isStale) continue;
        probed.isStale = false;
        this.#probes.filter(probed.event, filterOf(probed.known));
      }
  }

  /** Removes the probes of programs whose connections were reported, or are no longer awaited. */
  #look(): void {
    const now = Date.now();
    const refreshes = now - this.#lastLook >= LOOK_MS;
    if (refreshes) {
      this.#lastLook = now;
      // A number may be another process's by now.
      this.#processes.clear();
      for (const { target, pids } of this.#programs.values())
        for (const pid of pids) this.#connections.update({ pid, name: target.program, sockets: socketsOf(pid) });
    }
    for (const [program, { target, pids, events, deadline }] of this.#programs) {
      const { observed, total } = this.#connections.countOf(pids);
      if (observed < total && now < deadline) continue;
      this.#programs.delete(program);
      this.#probes.disable(events.map(({ event }) => event));
      if (observed < total)
        this.#reports.say(
          `${target.program}: ${total - observed} of ${total} open connections did not carry data in both directions within ${this.#bound / 1000} s, or are not TLS: they stay closed`,
        );
    }
    const { observed, total } = this.count;
    if (refreshes || this.done) this.#reports.progress(`open connections read: ${observed} of ${total}`, this.done);
    const { unreadable } = this.#connections;
    if (this.done && unreadable > 0)
      this.#reports.say(
        `${unreadable} open connections are TLS 1.2 with a cipher suite whose keys cannot be had: they stay closed`,
      );
  }

  #processOf(thread: number): number {
    if (!this.#knowsThreads) return 0;
    let pid = this.#processes.get(thread);
    if (pid === undefined) {
      pid = processOf(thread);
      this.#processes.set(thread, pid);
    }
    return pid;
  }
}

/** What the kernel reports: all but these. */
function filterOf(known: ReadonlySet<number>): string {
  return [...known].map((at) => `hc!=0x${at.toString(16)}`).join('&&') || NO_FILTER;
}

/** A program may have two decoders: golang.org/x/net's, and net/http's own. */
const HEADER_EVENTS = ['headers', 'stdheaders'] as const;
/** Limit: directions of connections that the kernel's filter leaves out: it takes 4,096 characters, some 20 for each. */
const FILTERED_LIMIT = 150;
/** Between two looks at the connections that processes have, ms. */
const LOOK_MS = 1000;
