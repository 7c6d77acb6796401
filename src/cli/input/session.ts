// Runs the pipeline over the captures of one command, whole or as they grow, and records facts about the captures.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  CaptureReading,
  type CaptureReport,
  captureName,
  decode,
  type FieldName,
  Forgotten,
  isUnread,
  keptBy,
  type Message,
  type Notice,
  notice,
  type PipelineItem,
  sizeText,
  UntilTracker,
} from '../../index.js';
import { CliError, printError } from '../cli-error.js';
import { readableByAll } from '../files/file-access.js';
import { kindOfFile, MEANT, otherFile, WHAT } from '../files/file-kind.js';
import { KeyLogTail } from '../keys/key-log-tail.js';
import { growingKeyLogs, readKeyLogs } from '../keys/key-logs.js';
import { isFromEnd, revealOf, tunnelsOf, untilOf } from '../option-values.js';
import type { CommonOptions } from '../options.js';
import { Notices, type NoticesOptions } from '../output/notices.js';
import { progressLine, type ReadingProgress, readingProgress } from '../output/progress.js';
import { readParticipants } from '../participants.js';
import type { Recording } from '../recording.js';
import { standardStreams } from '../standard-streams.js';
import { optimizeFor } from '../v8-flags.js';
import { release } from './input.js';
import { type Input, inputsOf, lastTimeOf, ringSecretPaths, ringSecretsOf, sourcesOf } from './inputs.js';
import { bytesToRead, InputSource, type SourceOptions } from './source.js';
import { watch, watchedNames } from './watch.js';

export interface SessionOptions extends CommonOptions, SourceOptions, NoticesOptions {
  /** MD5 of every connection's bytes. */
  readonly digests?: boolean;
  /** Emit messages as soon as their last byte arrives. */
  readonly live?: boolean;
  /** Key logs may grow. */
  readonly keysGrow?: boolean;
  /** Keep heads and bodies of messages. */
  readonly bodies?: boolean;
  /** false: nobody asks which object a message is about. */
  readonly lives?: boolean;
  /** Placeholders of redacted values in bodies have numbers: equal values have the same one. */
  readonly numbersPlaceholders?: boolean;
  /** Ignore SSLKEYLOGFILE, so that the output depends on named files only. */
  readonly namedKeysOnly?: boolean;
  /** Fields of messages that are needed; undefined: all. */
  readonly fields?: ReadonlySet<FieldName>;
  /** Messages are printed on the terminal at once, so no progress is shown. */
  readonly writesAsItReads?: boolean;
  /** What was read before: files and key logs are not read again. */
  readonly recording?: Recording;
}

export class Session {
  readonly reports: CaptureReport[] = [];
  readonly reading: CaptureReading;
  readonly files: readonly string[];
  readonly #options: SessionOptions;
  readonly #notices: Notices;
  readonly #source: InputSource;
  #inputs: readonly Input[] = [];
  #lastTime: bigint | null = null;
  readonly #keyLog: KeyLogTail | undefined;
  #until: UntilTracker | undefined;
  /** What is known of connections is not needed. */
  #messagesAlone = false;
  #messages = 0;
  /** What the command itself remembers has limits, too. */
  readonly #forgotten = new Forgotten((one) => {
    this.#note(one);
    this.#own.push(one);
  });
  /** Notices of the command itself. */
  readonly #own: Notice[] = [];

  constructor(files: readonly string[], options: SessionOptions) {
    this.files = options.interface === undefined ? files : [`interface ${options.interface}`];
    this.#options = options;
    const own = options.participants === undefined ? undefined : readParticipants(options.participants);
    const ring = options.recording === undefined && options.watch !== true ? ringSecretsOf(files) : [];
    const beside = options.watch === true ? (): string[] => ringSecretPaths(files) : undefined;
    const paths = options.keylog ?? [];
    const isGrowing = (options.keysGrow === true || options.watch === true) && options.recording === undefined;
    const { growing, whole } = isGrowing ? growingKeyLogs(paths) : { growing: null, whole: paths };
    this.#keyLog = growing === null ? undefined : new KeyLogTail(growing, beside);
    this.#source = new InputSource(options, () => this.#keyLog?.onChunk());
    for (const path of growing ?? [])
      if (options.quiet !== true && paths.includes(path) && !existsSync(path))
        printError(`--keylog ${path}: is not there yet; it is read as soon as it is`);
    this.reading =
      options.recording?.reading ??
      new CaptureReading(this.files, {
        reveal: { ...revealOf(options), numbersPlaceholders: options.numbersPlaceholders },
        naming: own?.rules,
        controllers: own?.controllers,
        tunnels: tunnelsOf(options.decode ?? []),
        bodies: options.bodies,
        lives: options.lives,
        live: options.live,
        moreSecrets: this.#keyLog !== undefined || options.watch === true,
        keyLogs: [...readKeyLogs(whole, options.namedKeysOnly), ...ring],
        progress: trialProgress(options),
        newHash: options.digests === true ? () => createHash('md5') : undefined,
      });
    this.#notices = new Notices(this.names, options);
  }

  /** Names of the captures: those of the files, unless saved messages name others. */
  get names(): string[] {
    return this.reading.names;
  }

  get notices(): readonly Notice[] {
    return this.#notices.kept;
  }

  /** Time of the first frame of all captures, ns since the epoch; null: none yet. */
  get firstTime(): bigint | null {
    return this.reading.firstTime;
  }

  /** Time of the last frame of all captures, where `--since` or `--until` counts from it; null: not known. */
  get lastTime(): bigint | null {
    return this.#lastTime;
  }

  /** Names of the captures, if there are several. */
  get captureNames(): readonly string[] | undefined {
    return this.names.length > 1 || this.#options.watch === true ? this.names : undefined;
  }

  get interrupted(): boolean {
    return this.#source.interrupted;
  }

  /** Messages so far. */
  get messages(): number {
    return this.#messages;
  }

  /** Did secrets decrypt any connection? */
  get hasDecrypted(): boolean {
    return this.reading.hasDecrypted;
  }

  /** Emits batches of messages. Throws CliError for inputs that cannot be read. */
  async *run(): AsyncGenerator<readonly PipelineItem[]> {
    if (this.#options.recording !== undefined) {
      for (const batch of this.#options.recording.batches) yield this.#noted(batch);
      yield this.#own;
      return;
    }
    this.#source.listen();
    const progress = this.#progress();
    try {
      await this.#source.start();
      const { keylog = [], verbose, anonymizer } = this.#options;
      if (verbose === true && anonymizer === undefined) this.note(readableByAll(this.files, keylog));
      for await (const read of this.#options.watch === true ? this.#watching() : this.#reading()) {
        const named = anonymizer === undefined ? read : read.map((item) => anonymizer.item(item));
        const batch = this.#noted(this.#isCutShort() ? named.flatMap(asInterrupted) : named);
        progress?.update(this.#source.bytesRead, this.#messages);
        yield batch;
      }
      if (this.#isCutShort()) {
        const interrupted = notice('capture.interrupted', `interrupted after ${sizeText(this.#source.bytesRead)}`);
        this.#note(interrupted);
        yield [interrupted];
      }
      const { dropped } = this.#source;
      if (dropped > 0) {
        const losses = notice('capture.dropped', `${dropped} packets were dropped, by tcpdump's count`);
        this.#note(losses);
        yield [losses];
      }
      yield this.#own;
    } finally {
      progress?.done();
      this.#source.close();
      for (const { file } of this.#inputs) release(file);
    }
  }

  /**
   * Notes what was learnt of the captures. Once everything up to `--until` was read, the rest is left out, and of its end only what
   * could not be read counts.
   */
  #noted(batch: readonly PipelineItem[]): readonly PipelineItem[] {
    if (this.#options.until === undefined || this.#hasNoEnd) {
      for (const item of batch) this.#observe(item);
      return batch;
    }
    const needed: PipelineItem[] = [];
    for (const given of batch)
      for (const item of this.#neededOf(given)) {
        this.#observe(item);
        needed.push(item);
      }
    return needed;
  }

  #neededOf(item: PipelineItem): readonly PipelineItem[] {
    if (this.#isOver) return atItsEnd(item);
    return item.kind !== 'message' || this.#isInTime(item.message) ? [item] : [];
  }

  #observe(item: PipelineItem): void {
    if (item.kind === 'message') {
      this.#messages += 1;
      const { capture, frames, time } = item.message;
      this.#forgotten.at = { capture, frame: frames[1], time };
      standardStreams().checkTime?.();
    } else this.#note(item);
  }

  #isInTime(message: Message): boolean {
    this.#until ??= new UntilTracker(untilOf(this.#options, this) ?? message.time);
    const isNeeded = this.#until.feed(message);
    if (this.#isOver) this.#source.enough();
    return isNeeded;
  }

  get #isOver(): boolean {
    return this.#until?.isOver === true;
  }

  /** A live capture, or files that grow. */
  get #hasNoEnd(): boolean {
    const { growing, watch, interface: captured } = this.#options;
    return growing === true || watch === true || captured !== undefined;
  }

  /** The user interrupted the reading of files. A live capture or a growing file always ends that way. */
  #isCutShort(): boolean {
    if (!this.interrupted || this.#hasNoEnd) return false;
    const total = bytesToRead(this.#inputs);
    return total !== null && this.#source.bytesRead < total;
  }

  async *#reading(): AsyncGenerator<readonly PipelineItem[]> {
    const { inputs, notices } = await inputsOf(this.files, this.#options.growing === true);
    this.#inputs = inputs;
    optimizeFor(bytesToRead(inputs));
    this.names.splice(
      0,
      this.names.length,
      ...inputs.map(({ file }, i) => (this.#options.anonymizer === undefined ? file : captureName(i))),
    );
    const { since, until } = this.#options;
    if ([since, until].some(isFromEnd)) this.#lastTime = await lastTimeOf(inputs);
    yield notices;
    const sources = sourcesOf(
      inputs,
      (file, i) => this.#source.chunks(file, i),
      (file) => this.#source.again(file),
    );
    yield* this.reading.batches(sources, {
      meanwhile: this.#keyLog,
      selection: {
        fields: this.#options.fields ?? null,
        isOver: () => this.#isOver,
        messagesAlone: this.#messagesAlone,
      },
    });
  }

  #watching(): AsyncGenerator<readonly PipelineItem[]> {
    this.names.length = 0;
    return decode(
      watch({
        names: watchedNames(this.files),
        begin: (file) => this.names.push(file) - 1,
        came: () => this.#keyLog?.onChunk(),
        isStopped: () => this.#source.interrupted,
        pause: (ms) => this.#source.pause(ms),
      }),
      this.reading.pipeline,
      this.#keyLog,
    );
  }

  /** null: no progress is shown. */
  #progress(): ReadingProgress | undefined {
    if (this.#options.writesAsItReads === true || this.#hasNoEnd) return undefined;
    return readingProgress(() => bytesToRead(this.#inputs), this.#options);
  }

  /** Reads all messages: what is known of connections is not needed. */
  async eachMessage(use: (message: Message) => void): Promise<void> {
    this.#messagesAlone = true;
    for await (const batch of this.run()) for (const item of batch) if (item.kind === 'message') use(item.message);
  }

  async collect(): Promise<Message[]> {
    const messages: Message[] = [];
    await this.eachMessage((message) => messages.push(message));
    return messages;
  }

  /** Time resolution of a capture, in digits. */
  digits(capture: number): number {
    return this.reading.digits(capture);
  }

  /** Makes a collector of the command. When one of its bounded collections drops entries, a notice says so. */
  withDropNotices<T>(make: () => T): T {
    return keptBy(this.#forgotten, make);
  }

  /** Adds notices from outside of the pipeline. */
  note(notices: readonly Notice[]): void {
    this.#notices.add(notices);
  }

  /** Warnings, with `-v` every notice, a line each. @param isTouching does a warning concern the output? Default: all do. */
  remarks(isTouching?: (one: Notice) => boolean): readonly string[] {
    return this.#notices.lines(isTouching);
  }

  #note(item: PipelineItem): void {
    if (item.kind === 'notice') this.#notices.came(item);
    else if (item.kind === 'saved-capture') this.reading.note(item);
    else if (item.kind === 'capture-report') {
      this.reports.push(item);
      const isFinal = this.#options.watch !== true && !this.interrupted;
      if (item.format === 'unknown' && isFinal) throw new CliError(this.#notACapture(item.capture));
    }
  }

  #notACapture(capture: number): string {
    const name = this.#inputs[capture]?.file;
    const file = name === '-' ? 'standard input' : name;
    if (this.#source.bytesOf(capture) === 0)
      return `${file} is empty: nothing was captured into it; let tcpdump finish, or give it -U to write at once`;
    const kind = name === undefined ? null : kindOfFile(name);
    const meant = kind === null ? undefined : MEANT[kind];
    if (kind !== null && meant !== undefined) return `${file} is ${WHAT[kind]}, not a capture; ${meant(file ?? '')}`;
    const other = name === undefined ? null : otherFile(name);
    if (other !== null) return `${file} is ${other}`;
    return `${file} is not a packet capture (pcap or pcapng, gzipped or not), nor an audit log, nor messages that kubeseq saved; record one with tcpdump -w FILE`;
  }
}

/** Where reading ended before the captures did, messages and failures at that place say nothing. */
function atItsEnd(item: PipelineItem): readonly PipelineItem[] {
  if (item.kind === 'message' || (item.kind === 'notice' && !isUnread(item.code))) return [];
  return asInterrupted(item);
}

/** A file that the user interrupted is not truncated. */
function asInterrupted(item: PipelineItem): readonly PipelineItem[] {
  if (item.kind === 'notice' && item.code === 'capture.truncated') return [];
  return [item.kind === 'capture-report' ? { ...item, truncated: false } : item];
}

function trialProgress(options: SessionOptions): ((work: number, limit: number) => void) | undefined {
  const line = progressLine('opening connections older than the capture', options);
  return line === undefined ? undefined : (work, limit) => line(work / limit);
}
