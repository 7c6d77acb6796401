// One run over the captures that a user named: opens them, drives the pipeline, keeps notices and reports, and says on
// standard error what the user must know.

import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import {
  type CaptureReport,
  decode,
  escapeTerminal,
  type Message,
  type NamingRule,
  NOTICE_CODES,
  type Notice,
  type NoticeCode,
  notice,
  observe,
  Pipeline,
  type PipelineItem,
} from '../index.js';
import { compareClocks } from './clocks.js';
import { isPattern } from './glob.js';
import { readCapture } from './input.js';
import { capturesOf, type Input, inputsOf } from './inputs.js';
import { KeyLogTail } from './key-log-tail.js';
import { growingKeyLogs, readKeyLogs } from './key-logs.js';
import type { CommonOptions } from './options.js';
import { readParticipants } from './participants.js';
import { progressLine, type ReadingProgress, readingProgress } from './progress.js';
import { readableByAll } from './readable.js';
import { readInThreads, threadsFor } from './reader.js';
import { Tcpdump } from './tcpdump.js';
import { Trouble } from './trouble.js';
import { watch } from './watch.js';

export interface SessionOptions extends CommonOptions {
  /** MD5 of every connection's bytes. */
  readonly digests?: boolean;
  /** Messages are wanted as soon as their last byte is seen. */
  readonly live?: boolean;
  /** Memory must not grow with the capture: of each notice code some are kept, all are counted. */
  readonly flat?: boolean;
  /** Key logs are written while they are read. */
  readonly keysGrow?: boolean;
  /** Files are read on as they grow, until SIGINT. */
  readonly growing?: boolean;
  /** Packets are captured here and now, on this interface; there are no files then. */
  readonly interface?: string;
  /** Which packets, in tcpdump's language. */
  readonly filter?: string;
  /** Messages keep their heads and bodies. */
  readonly bodies?: boolean;
  /** The environment's key log is not read: what comes out depends on named files alone. */
  readonly namedKeysOnly?: boolean;
  /** Messages go to the terminal as they come: they are progress enough. */
  readonly writesAsItReads?: boolean;
}

export class Session {
  readonly notices: Notice[] = [];
  readonly reports: CaptureReport[] = [];
  readonly pipeline: Pipeline;
  readonly files: readonly string[];
  /** Of the captures: the files' own, unless a file of saved messages tells of others. */
  readonly names: string[];
  readonly #options: SessionOptions;
  readonly #sizes: number[] = [];
  #inputs: readonly Input[] = [];
  readonly #counts = new Map<NoticeCode, number>();
  readonly #naming: readonly NamingRule[] | undefined;
  /** Digits of a second's fraction of captures that were read before. */
  readonly #savedDigits = new Map<number, number>();
  #shifts: readonly bigint[] = [];
  #savedFirst: bigint | null = null;
  readonly #keyLog: KeyLogTail | undefined;
  readonly #stop = new AbortController();
  #tcpdump: Tcpdump | null = null;
  #interrupted = false;
  #wake: () => void = () => {};
  /** Bytes. */
  #readInThread = 0;

  constructor(files: readonly string[], options: SessionOptions) {
    this.files = options.interface === undefined ? files : [`interface ${options.interface}`];
    this.names = [...this.files];
    this.#options = options;
    this.#naming = options.participants === undefined ? undefined : readParticipants(options.participants).rules;
    const paths = options.keylog ?? [];
    const { growing, whole } = options.keysGrow === true ? growingKeyLogs(paths) : { growing: null, whole: paths };
    this.#keyLog = growing === null ? undefined : new KeyLogTail(growing);
    for (const path of growing ?? [])
      if (options.quiet !== true && paths.includes(path) && !existsSync(path))
        say(`--keylog ${path}: is not there yet; it is read as soon as it is`);
    this.pipeline = new Pipeline({
      showSecrets: options.showSecrets,
      naming: this.#naming,
      bodies: options.bodies,
      live: options.live,
      moreSecrets: this.#keyLog !== undefined || options.watch === true,
      keyLogs: readKeyLogs(whole, options.namedKeysOnly),
      progress: trialProgress(options),
      newHash: options.digests === true ? () => createHash('md5') : undefined,
    });
  }

  /** ns since the epoch: the first frame of all captures; null before it. */
  get firstTime(): bigint | null {
    const { firstTime } = this.pipeline;
    const saved = this.#savedFirst;
    return firstTime === null || (saved !== null && saved < firstTime) ? saved : firstTime;
  }

  /** Names of the captures where there are several, for the `capture` of each message. */
  get captureNames(): readonly string[] | undefined {
    return this.names.length > 1 || this.#options.watch === true ? this.names : undefined;
  }

  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Batches of what was learnt. Throws Trouble for inputs that cannot be read. */
  async *run(): AsyncGenerator<readonly PipelineItem[]> {
    const stop = (): void => {
      this.#interrupted = true;
      this.#wake();
      this.#stop.abort();
      this.#tcpdump?.stop();
    };
    process.once('SIGINT', stop);
    // tcpdump does not end with us by itself.
    if (this.#options.interface !== undefined) process.once('SIGTERM', stop).once('SIGHUP', stop);
    const progress = this.#progress();
    let messages = 0;
    try {
      if (this.#options.interface !== undefined) await this.#capture();
      const { keylog = [], verbose } = this.#options;
      if (verbose === true) this.notices.push(...readableByAll(this.files, keylog));
      for await (const batch of this.#options.watch === true ? this.#watching() : this.#reading()) {
        for (const item of batch) {
          if (item.kind === 'message') messages += 1;
          else this.#note(item);
        }
        progress?.update(this.#bytesRead(), messages);
        yield batch;
      }
      const dropped = this.#tcpdump?.dropped ?? 0;
      if (dropped > 0) {
        const said = notice('capture.dropped', `${dropped} packets were dropped, tcpdump says`);
        this.#note(said);
        yield [said];
      }
    } finally {
      progress?.done();
      this.#tcpdump?.stop();
      process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop).removeListener('SIGHUP', stop);
    }
  }

  async *#reading(): AsyncGenerator<readonly PipelineItem[]> {
    const { inputs, notices } = await inputsOf(this.files, this.#options.growing === true);
    this.#inputs = inputs;
    this.names.splice(0, this.names.length, ...inputs.map(({ file }) => file));
    yield notices;
    const clocks = await compareClocks(inputs, (file) => this.#untilStopped(file));
    this.#shifts = clocks.shifts;
    yield clocks.notices;
    yield* (await this.#inThreads()) ?? this.#here();
  }

  #watching(): AsyncGenerator<readonly PipelineItem[]> {
    this.names.length = 0;
    return decode(
      watch({
        names: watchedNames(this.files),
        begin: (file) => this.names.push(file) - 1,
        came: () => this.#keyLog?.came(),
        isStopped: () => this.#interrupted,
        pause: (ms) =>
          new Promise((resolve) => {
            const timer = setTimeout(resolve, ms);
            this.#wake = () => {
              clearTimeout(timer);
              resolve();
            };
          }),
      }),
      this.pipeline,
      this.#keyLog,
    );
  }

  async #capture(): Promise<void> {
    this.#tcpdump = new Tcpdump({ interface: this.#options.interface, filter: this.#options.filter, immediate: true });
    await this.#tcpdump.ready();
    if (this.#options.quiet !== true) say(`capturing on ${this.#options.interface}; Ctrl-C ends it`);
    if (this.#interrupted) this.#tcpdump.stop();
  }

  /** null where nobody looks, or something else tells how far it is. */
  #progress(): ReadingProgress | undefined {
    const { writesAsItReads, growing, watch, interface: captured } = this.#options;
    if (writesAsItReads === true || growing === true || watch === true || captured !== undefined) return undefined;
    return readingProgress(() => this.#bytesToRead(), this.#options);
  }

  /** null where one of the inputs is no file, and its end cannot be known. */
  #bytesToRead(): number | null {
    let total = 0;
    for (const { file } of this.#inputs) {
      const found = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false });
      if (found?.isFile() !== true) return null;
      total += found.size;
    }
    return total;
  }

  #bytesRead(): number {
    return this.#sizes.reduce((sum, size) => sum + size, this.#readInThread);
  }

  #here(): AsyncIterable<readonly PipelineItem[]> {
    return observe(
      capturesOf(this.#inputs, (file, i) => this.#counted(file, i)),
      {
        pipeline: this.pipeline,
        showSecrets: this.#options.showSecrets,
        bodies: this.#options.bodies,
        naming: this.#naming,
        shifts: this.#shifts,
        meanwhile: this.#keyLog,
      },
    );
  }

  /** Long captures: read by other threads, up to exchanges. null where that is not worth it. */
  async #inThreads(): Promise<AsyncIterable<readonly PipelineItem[]> | null> {
    const { live, growing, keysGrow, jobs, digests, keylog = [], namedKeysOnly } = this.#options;
    const files = this.#inputs.map(({ file }) => file);
    if (live === true || growing === true || keysGrow === true) return null;
    const threads = await threadsFor(files, keylog.length, jobs);
    if (threads === 1) return null;
    const work = {
      inputs: this.#inputs,
      shifts: this.#shifts,
      keyLogs: readKeyLogs(keylog, namedKeysOnly),
      digests: digests === true,
    };
    return readInThreads(
      work,
      threads,
      this.pipeline,
      trialProgress(this.#options),
      () => this.#here(),
      (bytes) => {
        this.#readInThread = bytes;
      },
      () => this.#interrupted,
    );
  }

  /** All messages at once, for pictures. */
  async collect(): Promise<Message[]> {
    const messages: Message[] = [];
    for await (const batch of this.run())
      for (const item of batch) if (item.kind === 'message') messages.push(item.message);
    return messages;
  }

  /** Digits of a second's fraction that a capture has. */
  digits(capture: number): number {
    return this.#savedDigits.get(capture) ?? this.pipeline.digits(capture);
  }

  /** Adds what is known only behind the pipeline. */
  note(notices: readonly Notice[]): void {
    this.notices.push(...notices);
  }

  /** What the user must know, on standard error: warnings, with `-v` everything, with `-q` nothing. */
  sayNotices(): void {
    if (this.#options.quiet === true) return;
    const byCode = new Map<NoticeCode, Notice[]>();
    for (const one of this.notices) {
      const same = byCode.get(one.code) ?? [];
      same.push(one);
      byCode.set(one.code, same);
    }
    for (const [code, same] of byCode) {
      const [severity, meaning] = NOTICE_CODES[code];
      if (this.#options.verbose === true) {
        for (const one of same) say(`${code}: ${meaning}: ${this.#place(one)}`);
        const unsaid = (this.#counts.get(code) ?? 0) - same.length;
        if (unsaid > 0) say(`${code}: ${unsaid} more`);
      } else if (severity === 'warning') {
        const count = this.#counts.get(code) ?? same.length;
        const more = count === 1 ? '' : ` (${count} times; first:)`;
        say(`${code}: ${meaning}${more}: ${this.#place(same[0])}`);
      }
    }
  }

  #place({ detail, origin, connection }: Notice): string {
    const parts = [detail];
    if (origin !== undefined)
      parts.push(`${this.names.length > 1 ? `${this.names[origin.capture]} ` : ''}frame ${origin.frame}`);
    if (connection !== undefined) parts.push(connection);
    return parts.join(', ');
  }

  async *#counted(file: string, index: number): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#tcpdump?.chunks() ?? this.#untilStopped(file)) {
      this.#keyLog?.came();
      this.#sizes[index] = (this.#sizes[index] ?? 0) + chunk.length;
      yield chunk;
    }
  }

  async *#untilStopped(file: string): AsyncGenerator<Uint8Array> {
    for await (const chunk of readCapture(file, { stop: this.#stop.signal, follow: this.#options.growing })) {
      // A stream ends by itself soon; what it still has to say was seen before the interrupt.
      if (this.#interrupted && file !== '-') return;
      yield chunk;
    }
  }

  #note(item: PipelineItem): void {
    if (item.kind === 'notice') {
      const count = (this.#counts.get(item.code) ?? 0) + 1;
      this.#counts.set(item.code, count);
      if (this.#options.flat !== true || count <= MAX_NOTICES) this.notices.push(item);
    } else if (item.kind === 'saved-capture') {
      if (item.file !== null) this.names[item.capture] = item.file;
      this.#savedDigits.set(item.capture, item.digits);
      if (item.first !== null && (this.#savedFirst === null || item.first < this.#savedFirst))
        this.#savedFirst = item.first;
    } else if (item.kind === 'capture-report') {
      this.reports.push(item);
      const isFinal = this.#options.watch !== true && !this.#interrupted;
      if (item.format === 'unknown' && isFinal) throw new Trouble(this.#notACapture(item.capture));
    }
  }

  #notACapture(capture: number): string {
    const name = this.#inputs[capture]?.file;
    const file = name === '-' ? 'standard input' : name;
    if ((this.#sizes[capture] ?? 0) === 0) {
      return `${file} is empty: nothing was captured into it; let tcpdump finish, or give it -U to write at once`;
    }
    return `${file} is not a packet capture (pcap or pcapng, gzipped or not) nor messages that kubeseq saved; record one with tcpdump -w FILE`;
  }
}

/** What can be followed; a single file is read as it is. */
function watchedNames(names: readonly string[]): readonly string[] {
  for (const name of names) {
    if (isPattern(name) || statSync(name, { throwIfNoEntry: false })?.isDirectory() === true) continue;
    throw new Trouble(`--watch ${name}: expected a directory or a pattern in quotes, like 'ring/*.pcap'`);
  }
  return names;
}

function trialProgress(options: SessionOptions): ((work: number, limit: number) => void) | undefined {
  const line = progressLine('opening connections older than the capture', options);
  return line === undefined ? undefined : (work, limit) => line(work / limit);
}

export function say(text: string): void {
  process.stderr.write(`kubeseq: ${escapeTerminal(text)}\n`);
}

/** Notices of one code that a user is told one by one; he would not read more, and a capture may have a million. */
const MAX_NOTICES = 1000;
