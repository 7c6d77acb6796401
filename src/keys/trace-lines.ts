// Reads the kernel's reports of the probes (trace_pipe): turns handshakes into lines of an NSS key log, records of open connections
// into reports, and counts programs that started.

import { RecentMap } from '../core/collections/bounded.js';
import { handshakeLine } from '../core/open-connection.js';
import { NOTHING, type Stage } from '../core/stage.js';
import { type HeaderReport, headerReport } from './hpack-probe.js';
import { LABEL_BYTES, RANDOM_BYTES, SECRET_LENGTHS } from './probe.js';
import { type RecordReport, recordReport } from './record-probe.js';

/**
 * @param thread that used a secret. @param program number at the end of the event's name. @returns the program's name, with its process
 * id where that is known; null: neither is.
 */
type NameProcess = (thread: number, program: number) => string | null;

export class TraceLines implements Stage<string, string> {
  #partial = '';
  #overlong = false;
  /** Lines that were emitted, the oldest first: client and server on one host report the same secrets. */
  readonly #emitted = new RecentMap<string, true>(REMEMBERED_LIMIT);
  /** Who used the secrets of each client random first. */
  readonly #users = new RecentMap<string, string>(REMEMBERED_LIMIT);
  #records: RecordReport[] = [];
  #headers: HeaderReport[] = [];
  #lost = 0;
  #unreadable = 0;
  #started = 0;
  readonly #nameProcess: NameProcess;

  constructor(nameProcess: NameProcess = () => null) {
    this.#nameProcess = nameProcess;
  }

  /** Reports that the kernel dropped because they were not read in time. */
  get lost(): number {
    return this.#lost;
  }

  /** Reports that hold no secret: absent memory, lengths that no secret has. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Programs that started (sched_process_exec). */
  get started(): number {
    return this.#started;
  }

  /** Records of connections that were reported since the last call. */
  takeRecords(): readonly RecordReport[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** Header blocks that were reported since the last call. */
  takeHeaders(): readonly HeaderReport[] {
    const headers = this.#headers;
    this.#headers = [];
    return headers;
  }

  /** @returns new lines of the key log, without line ends. */
  feed(text: string): readonly string[] {
    const lines = (this.#partial + text).split('\n');
    const rest = lines.pop() ?? '';
    const out: string[] = [];
    for (const line of lines) {
      // The first line is the end of an overlong one.
      if (this.#overlong) this.#unreadable += 1;
      else this.#line(line, out);
      this.#overlong = false;
    }
    if (rest.length > LINE_LIMIT) this.#overlong = true;
    this.#partial = this.#overlong ? '' : rest;
    return out;
  }

  end(): readonly string[] {
    return NOTHING;
  }

  #line(line: string, out: string[]): void {
    const lost = /^CPU:\d+ \[LOST (\d{1,15}) EVENTS\]/.exec(line);
    if (lost !== null) this.#lost += Number(lost[1]);
    if (STARTED.test(line)) this.#started += 1;
    if (line.includes(' de=')) {
      const headers = headerReport(line);
      if (headers !== null) {
        this.#headers.push(headers);
        return;
      }
    }
    if (line.includes(' hc=')) {
      const record = recordReport(line);
      if (record === undefined) this.#unreadable += 1;
      else if (record !== null) this.#records.push(record);
      if (record !== null) return;
    }
    // The program's name in front may be any text; the kernel writes the end of the line.
    const report = / label=(\S+) ln=(\d+) rnd=(\S+) n=(\d+) sec=(\S+)$/.exec(line);
    if (report === null) return;
    const secret = keyLogLine(report);
    if (secret === null) {
      this.#unreadable += 1;
      return;
    }
    const [, thread, program] = REPORTER.exec(line) ?? [];
    const user = thread === undefined ? null : this.#nameProcess(Number(thread), Number(program));
    this.#emit(secret, out);
    if (user !== null) this.#emit(this.#userLine(secret, user), out);
  }

  /** In TLS 1.3 the server has the first secret, which its client has only from the server's answer; in TLS 1.2 the client has it. */
  #userLine(secret: string, processName: string): string {
    const [label, clientRandom] = secret.split(' ');
    const first = this.#users.get(clientRandom);
    if (first === undefined) this.#users.set(clientRandom, processName);
    // Without its number, one process may have two names.
    if (first === undefined || first === processName || !NUMBERED.test(first) || !NUMBERED.test(processName))
      return handshakeLine({ clientRandom, processName });
    const side = label === 'CLIENT_RANDOM' ? 'server' : 'client';
    return handshakeLine({ clientRandom, processName, side, peerName: first });
  }

  /** Once: both ends report a secret, and each end reports several. */
  #emit(line: string, out: string[]): void {
    if (!this.#emitted.has(line)) {
      this.#emitted.set(line, true);
      out.push(line);
    }
  }
}

function keyLogLine([, label, labelLength, random, secretLength, secret]: readonly string[]): string | null {
  const [labelBytes, randomBytes, secretBytes] = [bytesOf(label), bytesOf(random), bytesOf(secret)];
  const [ln, n] = [Number(labelLength), Number(secretLength)];
  if (labelBytes === null || randomBytes === null || secretBytes === null) return null;
  if (ln > LABEL_BYTES || randomBytes.length !== RANDOM_BYTES || !SECRET_LENGTHS.includes(n)) return null;
  const name = String.fromCharCode(...labelBytes.slice(0, ln));
  if (!/^[A-Z][A-Z0-9_]+$/.test(name) || secretBytes.length < n) return null;
  return `${name} ${hex(randomBytes)} ${hex(secretBytes.slice(0, n))}`;
}

/** `{0x43,0x4c,…}`, as the kernel writes arrays of x8; null for `(fault)` and anything else. */
function bytesOf(array: string): number[] | null {
  return /^\{0x[0-9a-f]{1,2}(?:,0x[0-9a-f]{1,2}){0,63}\}$/.test(array)
    ? array.slice(1, -1).split(',').map(Number)
    : null;
}

function hex(bytes: readonly number[]): string {
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const REPORTER = /-(\d{1,10}) +\[\d+\] \S+ +[\d.]+: keylog_\w+_(\d{1,6}): \(0x[0-9a-f]+\) label=/;
const NUMBERED = /\[\d+\]$/;
const STARTED = / sched_process_exec: filename=.* pid=\d+ old_pid=\d+$/;
/** Limit: characters of one report of the kernel: some 700. */
const LINE_LIMIT = 16 * 1024;
/** Limit: lines that are remembered, so that each is emitted once: some hundred handshakes of the same moment. */
const REMEMBERED_LIMIT = 4096;
