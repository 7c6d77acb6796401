// Sets probes on running Go programs, finds programs that start later, and emits key log lines as handshakes happen.

import { COMPONENTS, type OpenConnectionCount, RecentHandshakes, TraceLines, uprobeLine } from '../../index.js';
import { CliError } from '../cli-error.js';
import type { Reports } from '../output/reports.js';
import { type KeyTarget, namedTargets, runningTargets, type TargetOptions, threadsWanted } from './key-targets.js';
import { OpenConnectionProbes } from './open-connection-probes.js';
import { hasKernelsNumbers, isAlive, processOf } from './processes.js';
import { type LastReports, Probes, removeLeftovers, tracefs } from './tracefs.js';

export class KeyProbes {
  /** Probed programs. */
  readonly targets: KeyTarget[] = [];
  readonly #options: TargetOptions;
  readonly #probes: Probes;
  readonly #open: OpenConnectionProbes;
  readonly #lines = new TraceLines((thread, program) => this.#nameOf(thread, program));
  readonly #handshakes = new RecentHandshakes();
  readonly #reports: Reports;
  readonly #refused = new Set<string>();
  /** Identities of executables that were read. */
  readonly #seen = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  /** Programs whose open connections are wanted anew, and the last lines from before that. */
  #due: { readonly program: number; readonly target: KeyTarget }[] = [];
  #renewed: readonly string[] = [];
  #lastLook = Date.now();
  #stopped = false;

  /**
   * @param options the programs; none: every running component of Kubernetes.
   * @param reports gets what the user should know.
   * @param settings `mayComeLater`: no error if no program runs yet; `openBound`: ms to wait for secrets of open connections at
   * most, 0: not at all; `lastReports`: as of Probes; `isCapturing`: packets are captured until `stop`, so tables of header fields are wanted for as long.
   */
  constructor(options: TargetOptions, reports: Reports, settings: KeyProbeSettings = {}) {
    const { mayComeLater = false, openBound = OPEN_BOUND_MS, isCapturing = false, lastReports } = settings;
    this.#options = options;
    this.#reports = reports;
    const named = namedTargets(options);
    for (const { opened } of named) this.#seen.add(opened.identity);
    const first = [...named, ...this.#running()];
    const folder = tracefs();
    removeLeftovers(folder);
    if (first.length === 0 && !mayComeLater) throw new CliError(nothingFound(options));
    this.#probes = new Probes(folder, lastReports);
    this.#open = new OpenConnectionProbes(this.#probes, openBound, isCapturing, reports);
    try {
      const threads = threadsWanted(options);
      if (threads !== null) this.#probes.only(threads);
      else if (options.pid !== undefined)
        reports.say('processes cannot be distinguished here: others of the same program are probed as well');
      for (const target of first) this.#add(target);
      this.#handshakes.look(this.#open.awaited, Date.now());
      if (this.#wantsComponents) this.#probes.reportStarts(options.component ?? COMPONENTS);
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  /** @param lines receives new key log lines, without line ends. @param over is called when all named processes have ended. */
  start(lines: (lines: readonly string[]) => void, over: () => void = () => {}): void {
    this.#timer = setInterval(() => {
      const now = Date.now();
      const { started } = this.#lines;
      if (this.#renewed.length > 0) lines(this.#renewed);
      this.#renewed = [];
      let length = 0;
      for (let text = this.#probes.read(); text !== ''; text = length < READ_LIMIT ? this.#probes.read() : '') {
        length += text.length;
        const made = this.#read(text);
        if (made.length > 0) lines(made);
      }
      // While busy connections are reported, the kernel's buffer has no room for those of another program.
      const due = length < SPARE ? this.#due.shift() : undefined;
      if (due !== undefined) {
        this.#open.add(due.program, due.target, due.target.opened.kernelPath, this.#onlyPids);
        if (this.#due.length === 0) this.#handshakes.look(this.#open.awaited, now);
      }
      if (now - this.#lastLook < LOOK_MS && this.#lines.started === started) return;
      this.#lastLook = now;
      this.#look(over);
    }, READ_MS);
  }

  /** Removes the probes; once. @returns the last lines. */
  stop(): readonly string[] {
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#stopped) return [];
    this.#stopped = true;
    const last = [...this.#renewed, ...this.#read(this.#probes.stop()), ...this.#open.stop()];
    for (const { opened } of this.targets) opened.close();
    const { lost, unreadable } = this.#lines;
    if (lost > 0)
      this.#reports.say(`the kernel dropped ${lost} reports of secrets: connections of that moment stay closed`);
    if (unreadable > 0)
      this.#reports.say(`${unreadable} reports of secrets could not be read: connections of that moment stay closed`);
    return last;
  }

  /** Is there no open connection left to wait for? Connections of etcd do not count, nor do programs whose time to wait is over. */
  get isWaitOver(): boolean {
    return this.#open.isWaitOver;
  }

  /** Lines with the secrets of connections that are open, for a file of packets that begins; their HPACK tables come anew. */
  linesForNewFile(): readonly string[] {
    return [...this.#open.linesForNewFile(), ...this.#handshakes.lines(this.#open.awaited, Date.now())];
  }

  /** Secrets of open connections that are not known are wanted: probes on records are set again, one program at a time. */
  probeUnknownAgain(): void {
    this.#renewed = this.#open.renew();
    this.#due = this.targets.map((target, i) => ({ program: i + 1, target }));
  }

  /** Open connections of all programs. */
  get count(): OpenConnectionCount {
    return this.#open.count;
  }

  get countsByName(): ReadonlyMap<string, OpenConnectionCount> {
    return this.#open.countsByName;
  }

  /** @returns lines of the key log. */
  #read(text: string): string[] {
    const handshakes = this.#lines.feed(text);
    this.#handshakes.add(handshakes, Date.now());
    return [...handshakes, ...this.#open.take(this.#lines.takeRecords(), this.#lines.takeHeaders())];
  }

  /** Who uses secrets: the program, with its process where the kernel's numbers are those here. */
  #nameOf(thread: number, program: number): string | null {
    const name = this.targets[program - 1]?.program;
    if (name === undefined) return null;
    const pid = hasKernelsNumbers() ? processOf(thread) : 0;
    return pid === 0 ? name : `${name}[${pid}]`;
  }

  /** Probes executables of programs that started since. */
  #look(over: () => void): void {
    const { pid = [], binary = [], component = [] } = this.#options;
    if (pid.length > 0 && binary.length + component.length === 0 && !pid.some(isAlive)) over();
    for (const target of this.#running()) {
      if (this.targets.length >= PROBES_LIMIT) {
        target.opened.close();
        continue;
      }
      this.#add(target);
      this.#reports.say(`listening to ${describe(target)} too`);
    }
  }

  /** Processes to report; null: all of the program. */
  get #onlyPids(): readonly number[] | null {
    return threadsWanted(this.#options) === null ? null : (this.#options.pid ?? null);
  }

  get #wantsComponents(): boolean {
    const { pid = [], binary = [], component } = this.#options;
    return component !== undefined || pid.length + binary.length === 0;
  }

  #running(): KeyTarget[] {
    if (!this.#wantsComponents) return [];
    const { targets, refused } = runningTargets(this.#options, this.#seen);
    for (const why of refused) {
      if (this.#refused.has(why)) continue;
      this.#refused.add(why);
      this.#reports.say(why);
    }
    return targets;
  }

  #add(target: KeyTarget): void {
    const { kernelPath } = target.opened;
    const program = this.#probes.nextProgram();
    this.targets.push(target);
    this.#probes.add(program, (event) => uprobeLine(target.found, kernelPath, event));
    // After the handshake probe, so that no connection is missed in between.
    this.#open.add(program, target, kernelPath, this.#onlyPids);
  }
}

export function describe({ name, binary, found }: KeyTarget): string {
  const version = `${found.goVersion ?? 'Go'} ${found.arch}`;
  return name === binary ? `${binary} (${version})` : `${name} (${binary}, ${version})`;
}

export function nothingFound({ component }: TargetOptions): string {
  const what =
    component === undefined ? 'no component of Kubernetes' : component.join(', ').concat(': nothing of that name');
  return `${what} runs here; start it first, --wait for it, name a program with --binary FILE or --pid PID, or look on the node that has it`;
}

export interface KeyProbeSettings {
  readonly mayComeLater?: boolean;
  readonly openBound?: number;
  readonly isCapturing?: boolean;
  readonly lastReports?: LastReports;
}

/** Time to wait for open connections, ms: HTTP/2 pings, Leases and bookmarks occur within half a minute or a minute. */
export const OPEN_BOUND_MS = 90_000;
/** Interval between reads of the kernel's reports, ms: the maximum delay of a message. */
const READ_MS = 20;
/** Interval between searches for new programs, ms. */
const LOOK_MS = 2000;
/** Limit: characters of reports that are parsed at a time: some thousand reports. */
const READ_LIMIT = 1024 * 1024;
/** Characters of reports below which more of them can be asked for: some dozens. */
const SPARE = 64 * 1024;
/** Limit: probed executables at a time: the components of a host, including those in containers. */
const PROBES_LIMIT = 64;
