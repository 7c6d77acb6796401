// Reads captures together: with their clocks aligned, each opened when its time has come; and keeps what is known of them.

import type { CaptureReport } from '../capture/frame.js';
import { type Notice, notice } from '../core/notice.js';
import { alignClocks } from './align-clocks.js';
import type { CaptureBeginning, CaptureBytes, LaterCapture } from './capture-bytes.js';
import type { LiveKeySource } from './key-source.js';
import { MessageStage, type PipelineItem, type PipelineOptions } from './message-stage.js';
import { observe } from './read-captures.js';

/** A capture that can be opened; its number is its index. */
export interface CaptureSource {
  /** null: it can be read only once (a pipe, a file that grows), or it is the only one: nothing is known beforehand. */
  readonly beginning: CaptureBeginning | null;
  /** What it is, where others can be read again and it cannot: a notice says so. */
  readonly once?: string;
  /** Those of one clock, as the files of a ring, have the same; undefined: it has its own. */
  readonly clock?: string;
  /** Opens it, to be read to its end. */
  bytes(): CaptureBytes;
  /** Opens it for a look before that: at its clock, at the secrets before its frames. */
  look(): CaptureBytes;
}

/** What is read of captures together. */
export interface ReadingSelection {
  /** A key log that grows meanwhile. */
  readonly meanwhile?: LiveKeySource;
  /** What is needed of tables. */
  readonly selection?: NonNullable<Parameters<typeof observe>[1]>['selection'];
}

export class CaptureReading {
  readonly pipeline: MessageStage;
  /** Names of the captures: those that were given, unless saved messages name others. */
  readonly names: string[];
  readonly reports: CaptureReport[] = [];
  readonly notices: Notice[] = [];
  readonly #options: PipelineOptions;
  /** Digits of the times of captures that saved messages were made of. */
  readonly #savedDigits = new Map<number, number>();
  #savedFirst: bigint | null = null;

  constructor(names: readonly string[], options: PipelineOptions) {
    this.names = [...names];
    this.#options = options;
    this.pipeline = new MessageStage(options);
  }

  /** ns since the epoch: the first frame of all captures; null: none yet. */
  get firstTime(): bigint | null {
    const { firstTime } = this.pipeline;
    return firstTime === null || (this.#savedFirst !== null && this.#savedFirst < firstTime)
      ? this.#savedFirst
      : firstTime;
  }

  /** Names of the captures, if there are several. */
  get captureNames(): readonly string[] | undefined {
    return this.names.length > 1 ? this.names : undefined;
  }

  /** Did secrets decrypt any connection? */
  get hasDecrypted(): boolean {
    return this.pipeline.hasDecrypted;
  }

  /** Digits of a second's fraction in the times of a capture. */
  digits(capture: number): number {
    return this.#savedDigits.get(capture) ?? this.pipeline.digits(capture);
  }

  /** Batches of what the captures hold, in the order of time, and beforehand what their clocks told; nobody has noted them. */
  async *batches(sources: readonly CaptureSource[], selected: ReadingSelection = {}): AsyncGenerator<PipelineItem[]> {
    const { notices, ...clocks } = await clocksOf(sources);
    yield notices;
    const captures = sources.map(laterCapture);
    const { bodies, naming, reveal } = this.#options;
    const options = { pipeline: this.pipeline, bodies, naming, reveal, ...clocks, ...selected };
    yield* observe(captures, options) as AsyncGenerator<PipelineItem[]>;
  }

  /** The same, noted. */
  async *read(sources: readonly CaptureSource[]): AsyncGenerator<readonly PipelineItem[]> {
    for await (const batch of this.batches(sources)) {
      for (const item of batch) this.note(item);
      yield batch;
    }
  }

  /** Each item of a batch is to come here: what it tells of the captures is kept. */
  note(item: PipelineItem): void {
    if (item.kind === 'notice') this.notices.push(item);
    else if (item.kind === 'capture-report') this.reports.push(item);
    else if (item.kind === 'saved-capture') {
      const { capture, file, digits, first } = item;
      if (file !== null) this.names[capture] = file;
      this.#savedDigits.set(capture, digits);
      if (first !== null && (this.#savedFirst === null || first < this.#savedFirst)) this.#savedFirst = first;
    }
  }
}

/** A capture with a known beginning is opened when its time has come. */
function laterCapture(source: CaptureSource): CaptureBytes | LaterCapture {
  const { beginning } = source;
  if (beginning === null) return source.bytes();
  const { first, content, hasSecrets, mayHoldSecrets } = beginning;
  const randomAccess = content === 'messages' ? source.bytes().randomAccess : undefined;
  const later = { first, content, mayHoldSecrets, randomAccess, bytes: () => source.bytes() };
  return hasSecrets ? { ...later, secrets: () => source.look() } : later;
}

interface Clocks {
  /** ns to add to the times of each capture. */
  readonly shifts: readonly bigint[];
  /** Capture → an address of the host whose loopback it captured; null: unknown. */
  readonly hosts: readonly (string | null)[];
  readonly notices: Notice[];
}

/** Compares the clocks of captures that can be read again. */
async function clocksOf(sources: readonly CaptureSource[]): Promise<Clocks> {
  const shifts = sources.map(() => 0n);
  const hosts: (string | null)[] = sources.map(() => null);
  if (sources.length < 2) return { shifts, hosts, notices: [] };
  const byClock = new Map<unknown, { capture: number; first: bigint; bytes: () => CaptureBytes }[]>();
  for (const [capture, source] of sources.entries()) {
    const { beginning, clock = capture } = source;
    // A log has no packets that another capture could have too; AuditJoin bears some seconds of difference.
    if (beginning === null || beginning.content === 'audit log') continue;
    const one = { capture, first: beginning.first ?? 0n, bytes: () => source.look() };
    byClock.set(clock, [...(byClock.get(clock) ?? []), one]);
  }
  const clocks = [...byClock.values()].map((captures) => ({
    captures: captures.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0)),
  }));
  const found = await alignClocks(clocks);
  clocks.forEach(({ captures }, i) => {
    for (const { capture } of captures) {
      shifts[capture] = found.shifts[i];
      hosts[capture] = found.hosts[i];
    }
  });
  const live = sources.flatMap(({ beginning, once }) =>
    beginning === null && once !== undefined ? [notice('capture.clock-live', `${once} can be read only once`)] : [],
  );
  return { shifts, hosts, notices: [...found.notices, ...live] };
}
