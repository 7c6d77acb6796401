// One run over the captures that a user named: opens them, drives the pipeline, keeps notices and reports, and says on
// standard error what the user must know.

import { createHash } from 'node:crypto';
import {
  type CaptureReport,
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
import { readCapture } from './input.js';
import { KeyLogTail } from './key-log-tail.js';
import { growingKeyLogs, readKeyLogs } from './key-logs.js';
import type { CommonOptions } from './options.js';
import { readParticipants } from './participants.js';
import { progressLine } from './progress.js';
import { readableByAll } from './readable.js';
import { isWorthAThread, readInThread } from './reader.js';
import { Tcpdump } from './tcpdump.js';
import { Trouble } from './trouble.js';

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
}

export class Session {
  readonly notices: Notice[] = [];
  readonly reports: CaptureReport[] = [];
  readonly pipeline: Pipeline;
  readonly files: readonly string[];
  /** Of the captures: the files' own, unless a file of saved messages tells of others. */
  readonly names: string[];
  readonly #options: SessionOptions;
  readonly #sizes: number[];
  readonly #counts = new Map<NoticeCode, number>();
  readonly #naming: readonly NamingRule[] | undefined;
  /** Digits of a second's fraction of captures that were read before. */
  readonly #savedDigits = new Map<number, number>();
  #savedFirst: bigint | null = null;
  readonly #keyLog: KeyLogTail | undefined;
  readonly #stop = new AbortController();
  #tcpdump: Tcpdump | null = null;
  #interrupted = false;

  constructor(files: readonly string[], options: SessionOptions) {
    this.files = options.interface === undefined ? files : [`interface ${options.interface}`];
    this.names = [...this.files];
    this.#options = options;
    this.#sizes = this.files.map(() => 0);
    this.#naming = options.participants === undefined ? undefined : readParticipants(options.participants).rules;
    const paths = options.keylog ?? [];
    const { growing, whole } = options.keysGrow === true ? growingKeyLogs(paths) : { growing: null, whole: paths };
    this.#keyLog = growing === null ? undefined : new KeyLogTail(growing);
    this.pipeline = new Pipeline({
      showSecrets: options.showSecrets,
      naming: this.#naming,
      bodies: options.bodies,
      live: options.live,
      keyLogs: readKeyLogs(whole),
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
    return this.names.length > 1 ? this.names : undefined;
  }

  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Batches of what was learnt. Throws Trouble for inputs that cannot be read. */
  async *run(): AsyncGenerator<readonly PipelineItem[]> {
    const stop = (): void => {
      this.#interrupted = true;
      this.#stop.abort();
      this.#tcpdump?.stop();
    };
    process.once('SIGINT', stop);
    // tcpdump does not end with us by itself.
    if (this.#options.interface !== undefined) process.once('SIGTERM', stop).once('SIGHUP', stop);
    try {
      if (this.#options.interface !== undefined) await this.#capture();
      const { keylog = [], verbose } = this.#options;
      if (verbose === true) this.notices.push(...readableByAll(this.files, keylog));
      for await (const batch of (await this.#inThread()) ?? this.#here()) {
        for (const item of batch) this.#note(item);
        yield batch;
      }
      const dropped = this.#tcpdump?.dropped ?? 0;
      if (dropped > 0) {
        const said = notice('capture.dropped', `${dropped} packets were dropped, tcpdump says`);
        this.#note(said);
        yield [said];
      }
    } finally {
      this.#tcpdump?.stop();
      process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop).removeListener('SIGHUP', stop);
    }
  }

  async #capture(): Promise<void> {
    this.#tcpdump = new Tcpdump({ interface: this.#options.interface, filter: this.#options.filter, immediate: true });
    await this.#tcpdump.ready();
    if (this.#options.quiet !== true) say(`capturing on ${this.#options.interface}; Ctrl-C ends it`);
    if (this.#interrupted) this.#tcpdump.stop();
  }

  #here(): AsyncIterable<readonly PipelineItem[]> {
    return observe(
      this.files.map((file, i) => this.#counted(file, i)),
      {
        pipeline: this.pipeline,
        showSecrets: this.#options.showSecrets,
        bodies: this.#options.bodies,
        naming: this.#naming,
        meanwhile: this.#keyLog,
      },
    );
  }

  /** Long captures: read by another thread, up to the bytes of connections. null where that is not worth it. */
  async #inThread(): Promise<AsyncIterable<readonly PipelineItem[]> | null> {
    const { live, digests, keylog = [] } = this.#options;
    if (live === true || !(await isWorthAThread(this.files, keylog.length))) return null;
    const work = { files: this.files, keyLogs: readKeyLogs(keylog), digests: digests === true };
    return readInThread(
      work,
      this.pipeline,
      trialProgress(this.#options),
      () => this.#here(),
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
    const { growing } = this.#options;
    const chunks = this.#tcpdump?.chunks() ?? readCapture(file, { stop: this.#stop.signal, follow: growing });
    for await (const chunk of chunks) {
      // A stream ends by itself soon; what it still has to say was seen before the interrupt.
      if (this.#interrupted && file !== '-' && this.#tcpdump === null) return;
      this.#keyLog?.came();
      this.#sizes[index] += chunk.length;
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
      if (item.format === 'unknown' && !this.#interrupted) throw new Trouble(this.#notACapture(item.capture));
    }
  }

  #notACapture(capture: number): string {
    const file = this.files[capture] === '-' ? 'standard input' : this.files[capture];
    if (this.#sizes[capture] === 0) {
      return `${file} is empty: nothing was captured into it; let tcpdump finish, or give it -U to write at once`;
    }
    return `${file} is not a packet capture (pcap or pcapng, gzipped or not) nor messages that kubeseq saved; record one with tcpdump -w FILE`;
  }
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
