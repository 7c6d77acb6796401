// Uses the kernel's tracing files: finds them, sets probes in a private instance, reads their reports, and removes
// everything, including leftovers of killed runs.

import { type ChildProcess, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type EventName, leftoverEvents, ownInstances, runNames } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';
import { guardian } from '../guardian.js';
import { systemProgram } from '../system-program.js';

/** Where the kernel's tracing files are, and whether they can be read. Mounts nothing. */
export function tracefsMount(): {
  readonly folder: string;
  readonly state: 'mounted' | 'mountable' | 'unreadable' | 'absent';
} {
  const mounted = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, , type]) => type === 'tracefs')?.[1];
  if (mounted !== undefined) return { folder: mounted, state: isReadable(mounted) ? 'mounted' : 'unreadable' };
  const isKnown = /\ttracefs$/m.test(readFileSync('/proc/filesystems', 'utf8'));
  return { folder: USUAL, state: isKnown ? 'mountable' : 'absent' };
}

/** @returns the folder; mounts it where it is not mounted. Throws Trouble with what is missing. */
export function tracefs(): string {
  const { folder, state } = tracefsMount();
  if (state === 'mountable') spawnSync(systemProgram('mount'), ['-t', 'tracefs', 'nodev', USUAL], { stdio: 'ignore' });
  if (!isReadable(folder)) throw new CliError(`${NEEDS_ROOT}; ${OTHERWISE}`);
  if (!existsSync(`${folder}/uprobe_events`)) {
    throw new CliError(
      `this kernel reports nothing of user programs: ${folder} has no uprobe_events (CONFIG_UPROBE_EVENTS); ${OTHERWISE}`,
    );
  }
  return folder;
}

/** Removes what killed runs left: instances that no process reads, and probes without an instance. */
export function removeLeftovers(folder: string): void {
  for (const name of ownInstances(instancesOf(folder))) {
    try {
      // The kernel refuses while a process reads it, and else switches its events off.
      rmdirSync(`${folder}/instances/${name}`);
    } catch {}
  }
  const events = readFileSync(`${folder}/uprobe_events`, 'utf8');
  for (const event of leftoverEvents(events, instancesOf(folder)))
    attempt(() => appendFileSync(`${folder}/uprobe_events`, `-:${event}\n`));
}

/** Probes of one run. Whoever starts it must stop it. */
export class Probes {
  readonly #folder: string;
  readonly #names = runNames(`${process.pid}_${Date.now().toString(36)}`);
  readonly #events = new Set<string>();
  readonly #instance: string;
  readonly #pipe: number;
  readonly #buffer = Buffer.alloc(64 * 1024);
  readonly #onExit = (): void => void this.stop();
  readonly #guardian: ChildProcess;
  readonly #unwritten: UnwrittenReports | null;
  #count = 0;
  #stopped = false;

  /**
   * @param folder of tracefs. @param last a file for the reports of handshakes whose secrets were not written when this process was killed.
   * Throws Trouble.
   */
  constructor(folder: string, last?: LastReports) {
    this.#folder = folder;
    this.#instance = `${folder}/instances/${this.#names.instance}`;
    this.#pipe = this.#open();
    try {
      // A clock from which the time of day follows (`clockOffset`).
      writeFileSync(`${this.#instance}/trace_clock`, 'mono');
    } catch {
      // Its own clock then: the times of records are wrong, which nothing depends on where their numbers can be computed.
    }
    process.on('exit', this.#onExit);
    this.#unwritten = last === undefined ? null : new UnwrittenReports(`${last.path}${UNWRITTEN}`);
    const { instance } = this.#names;
    this.#guardian = guardian(GUARDIAN, [
      folder,
      instance,
      instance.slice(instance.indexOf('-') + 1),
      ...lastArguments(last),
    ]);
  }

  /** Only threads with these numbers are reported, and those that they start. */
  only(threads: readonly number[]): void {
    writeFileSync(`${this.#instance}/options/event-fork`, '1');
    writeFileSync(`${this.#instance}/set_event_pid`, threads.join(' '));
  }

  /** Programs of these names are reported when they start, where the kernel can do that: a look at all processes is seldom. */
  reportStarts(names: readonly string[]): void {
    const folder = `${this.#instance}/${STARTS}`;
    const filter = names.filter((name) => /^[\w.-]+$/.test(name)).map((name) => `filename ~ "*/${name}"`);
    if (filter.length === 0) return;
    try {
      writeFileSync(`${folder}/filter`, filter.join(' || '));
      writeFileSync(`${folder}/enable`, '1');
    } catch {
      // Found at the next look.
    }
  }

  /** The nth probe will be that of the next program. */
  nextProgram(): number {
    this.#count += 1;
    return this.#count;
  }

  /**
   * @param program number of the program, as the name of the event has it. @param line for a probe of this name
   * (`GROUP/NAME`) what `uprobe_events` takes. @param filter as of `filter`. @returns that name. Throws Trouble.
   */
  add(program: number, line: (event: string) => string, name: EventName = 'keylog', filter = NO_FILTER): string {
    const event = this.#names.event(program, name);
    try {
      // Opened otherwise than for appending, the file forgets all probes of all programs.
      if (!this.#events.has(event)) appendFileSync(`${this.#folder}/uprobe_events`, `${line(event)}\n`);
      this.#events.add(event);
      this.filter(event, filter);
      writeFileSync(`${this.#instance}/events/${event}/enable`, '1');
      return event;
    } catch (error) {
      throw new CliError(`the kernel takes no probe: ${describeError(error)}; ${OTHERWISE}`);
    }
  }

  /** Reports of a probe that are of no interest stay in the kernel. @param expression Documentation/trace/events.rst, 5. */
  filter(event: string, expression: string): void {
    attempt(() => writeFileSync(`${this.#instance}/events/${event}/filter`, expression), 1);
  }

  /**
   * Switches some of them off: the program is as fast as without; `add` switches them on again. They go at `stop`: whenever one goes, the
   * kernel forgets what the instance has to be read (kernel/trace/trace_dynevent.c, dyn_event_release).
   *
   * @param events as `add` gave them.
   */
  disable(events: readonly string[]): void {
    for (const event of events) attempt(() => writeFileSync(`${this.#instance}/events/${event}/enable`, '0'));
  }

  /** What was reported since the last time; empty: nothing. What was read before counts as written. */
  read(): string {
    let text = '';
    this.#unwritten?.clear();
    while (text.length < READ_LIMIT) {
      let length = 0;
      try {
        length = readSync(this.#pipe, this.#buffer);
      } catch {
        // Nothing more for now (EAGAIN).
      }
      if (length === 0) break;
      const part = this.#buffer.toString('latin1', 0, length);
      this.#unwritten?.add(part);
      text += part;
    }
    return text;
  }

  /** Removes all of it. May be called twice. @returns the last reports. */
  stop(): string {
    if (this.#stopped) return '';
    this.#stopped = true;
    process.removeListener('exit', this.#onExit);
    const events = [...this.#events];
    for (const event of events) attempt(() => writeFileSync(`${this.#instance}/events/${event}/enable`, '0'));
    attempt(() => writeFileSync(`${this.#instance}/${STARTS}/enable`, '0'), 1);
    let last = '';
    for (let text = this.read(); text !== ''; text = this.read()) last += text;
    closeSync(this.#pipe);
    this.#unwritten?.close();
    attempt(() => rmdirSync(this.#instance));
    for (const event of events) attempt(() => appendFileSync(`${this.#folder}/uprobe_events`, `-:${event}\n`));
    this.#guardian.stdin?.destroy();
    return last;
  }

  #open(): number {
    for (let tries = 1; ; tries += 1) {
      try {
        mkdirSync(this.#instance);
        return openSync(`${this.#instance}/trace_pipe`, constants.O_RDONLY | constants.O_NONBLOCK);
      } catch (error) {
        attempt(() => rmdirSync(this.#instance), 1);
        // Another run may take it for a leftover, as long as no process reads it.
        if (tries === TRIES) throw new CliError(`${this.#folder}/instances: ${describeError(error)}; ${OTHERWISE}`);
      }
    }
  }
}

/** Keeps the reports of handshakes that were taken from the kernel until their secrets are written: a killed process loses none. */
class UnwrittenReports {
  readonly #path: string;
  readonly #file: number;
  #length = 0;

  constructor(path: string) {
    this.#path = path;
    rmSync(path, { force: true });
    this.#file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, OWNER_ONLY);
  }

  add(text: string): void {
    if (text.includes(HANDSHAKE)) this.#length += writeSync(this.#file, text, this.#length, 'latin1');
  }

  clear(): void {
    if (this.#length > 0) ftruncateSync(this.#file);
    this.#length = 0;
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

/** Reports that a killed run leaves: its tcpdump goes on for up to half a second. */
export interface LastReports {
  /** Absolute. */
  readonly path: string;
  /** In bytes; a handshake has some ten reports of 700 bytes. */
  readonly limit: number;
}

const lastArguments = (last: LastReports | undefined): string[] =>
  last === undefined ? [] : [last.path, `${Math.floor(last.limit)}`];
/** What every report of a handshake has. */
const HANDSHAKE = ' label=';
const UNWRITTEN = '.unwritten';
const OWNER_ONLY = 0o600;
/** Removes the probes of a run. The kernel may be busy with the ended process for a moment: five seconds at most. */
const GUARDIAN = `
if [ -n "$4" ] && [ -d "$1/instances/$2" ]; then
  umask 077
  {
    cat "$4${UNWRITTEN}"
    for part in 1 2 3 4 5; do
      dd "if=$1/instances/$2/trace_pipe" bs=64k iflag=nonblock
      sleep 0.1
    done
  } | grep '${HANDSHAKE}' | head -c "$5" > "$4"
  rm -f "$4${UNWRITTEN}"
fi
tries=50
while [ -d "$1/instances/$2" ] && [ "$tries" -gt 0 ]; do
  rmdir "$1/instances/$2" || { tries=$((tries - 1)); sleep 0.1; }
done
sed -n 's/^p:\\(kubeseq\\/[a-z]*_'"$3"'_[0-9]*\\) .*/-:\\1/p' "$1/uprobe_events" | while read -r line; do
  until echo "$line" >> "$1/uprobe_events" || [ "$tries" -le 0 ]; do tries=$((tries - 1)); sleep 0.1; done
done`;

function instancesOf(folder: string): string[] {
  try {
    return readdirSync(`${folder}/instances`);
  } catch {
    return [];
  }
}

function isReadable(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}

/** ns that make a time of the instance's clock (CLOCK_MONOTONIC) one since the epoch. */
export function clockOffset(): bigint {
  return BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();
}

/** The kernel may still be busy with an event that was just switched off. */
function attempt(step: () => void, tries = TRIES): void {
  for (let left = tries; left > 0; left -= 1) {
    try {
      step();
      return;
    } catch {
      if (left > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** Takes a filter away (Documentation/trace/events.rst, 5.2). */
export const NO_FILTER = '0';
const STARTS = 'events/sched/sched_process_exec';
const USUAL = '/sys/kernel/tracing';
const TRIES = 5;
const PAUSE_MS = 20;
/** Limit: characters of reports that are read at once before they are parsed: some hundred reports. */
const READ_LIMIT = 64 * 1024;
const NEEDS_ROOT =
  'TLS secrets of other programs are for root, with tracefs (CAP_SYS_ADMIN, no kernel lockdown): try sudo';
const OTHERWISE =
  'without it: --print shows the probe for a user who may set it, and curl and others write a key log where SSLKEYLOGFILE names a file';
