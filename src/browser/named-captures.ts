// Reads captures that a program has in memory or as Blobs: all of one moment, with aligned clocks, and what is known of each.

import {
  alignClocks,
  beginningOf,
  type CaptureBytes,
  type CaptureReport,
  type LaterCapture,
  MessageStage,
  type Notice,
  observe,
  type PipelineItem,
  type PipelineOptions,
  SavedCaptureFacts,
} from '../index.js';
import { blobChunks } from '../library/blob-chunks.js';

export { blobChunks } from '../library/blob-chunks.js';

/** A capture that can be read more than once. */
export interface NamedCapture {
  readonly name: string;
  readonly blob: Blob;
}

export interface NamedCapturesOptions extends Pick<PipelineOptions, 'bodies' | 'keyLogs' | 'naming' | 'reveal'> {
  /** Gets the bytes of the files that were read so far. */
  readonly onRead?: (bytes: number) => void;
}

export class NamedCaptures {
  readonly notices: Notice[] = [];
  readonly reports: CaptureReport[] = [];
  /** Those of the files, unless saved messages name others. */
  readonly names: string[];
  readonly #captures: readonly NamedCapture[];
  readonly #options: NamedCapturesOptions;
  readonly #pipeline: MessageStage;
  readonly #saved: SavedCaptureFacts;
  #read = 0;

  constructor(captures: readonly NamedCapture[], options: NamedCapturesOptions) {
    this.#captures = captures;
    this.#options = options;
    this.names = captures.map(({ name }) => name);
    this.#saved = new SavedCaptureFacts(this.names);
    const { bodies, keyLogs, naming, reveal } = options;
    this.#pipeline = new MessageStage({ bodies, keyLogs, naming, reveal });
  }

  /** ns since the epoch: the first frame of all captures; null: none yet. */
  get firstTime(): bigint | null {
    return this.#saved.earlier(this.#pipeline.firstTime);
  }

  /** Names of the captures, if there are several. */
  get captureNames(): readonly string[] | undefined {
    return this.names.length > 1 ? this.names : undefined;
  }

  /** Digits of a second's fraction in the times of a capture. */
  digits(capture: number): number {
    return this.#saved.digits(capture) ?? this.#pipeline.digits(capture);
  }

  /** Batches of what the captures hold, in the order of time. */
  async *run(): AsyncGenerator<readonly PipelineItem[]> {
    const { bodies, naming, reveal } = this.#options;
    const { captures, shifts, hosts } = await this.#opened();
    const options = { pipeline: this.#pipeline, bodies, naming, reveal, shifts, hosts };
    for await (const batch of observe(captures, options)) {
      for (const item of batch) this.#note(item);
      yield batch;
    }
  }

  async #opened(): Promise<{
    readonly captures: readonly (CaptureBytes | LaterCapture)[];
    readonly shifts?: readonly bigint[];
    readonly hosts?: readonly (string | null)[];
  }> {
    if (this.#captures.length === 1) return { captures: [this.#bytes(this.#captures[0])] };
    const beginnings = await Promise.all(this.#captures.map(({ blob }) => beginningOf(blobChunks(blob))));
    // A log has no packets that another capture could have too.
    const compared = this.#captures
      .map(({ blob }, capture) => ({ capture, bytes: () => blobChunks(blob) }))
      .filter(({ capture }) => beginnings[capture].content !== 'audit log');
    const found = await alignClocks(compared.map((one) => ({ captures: [one] })));
    for (const one of found.notices) this.notices.push(one);
    const shifts = this.#captures.map(() => 0n);
    const hosts: (string | null)[] = this.#captures.map(() => null);
    compared.forEach(({ capture }, i) => {
      shifts[capture] = found.shifts[i];
      hosts[capture] = found.hosts[i];
    });
    const captures = this.#captures.map((one, i): LaterCapture => {
      const { first, content, hasSecrets, mayHoldSecrets } = beginnings[i];
      const later = { first, content, mayHoldSecrets, bytes: () => this.#bytes(one), randomAccess: partsOf(one) };
      return hasSecrets ? { ...later, secrets: () => blobChunks(one.blob) } : later;
    });
    return { captures, shifts, hosts };
  }

  #bytes(capture: NamedCapture): CaptureBytes {
    return Object.assign(this.#counted(capture.blob), { randomAccess: partsOf(capture) });
  }

  async *#counted(blob: Blob): AsyncGenerator<Uint8Array> {
    for await (const chunk of blobChunks(blob)) {
      this.#read += chunk.length;
      this.#options.onRead?.(this.#read);
      yield chunk;
    }
  }

  #note(item: PipelineItem): void {
    if (item.kind === 'notice') this.notices.push(item);
    else if (item.kind === 'capture-report') this.reports.push(item);
    else if (item.kind === 'saved-capture') this.#saved.note(item);
  }
}

function partsOf({ name, blob }: NamedCapture): NonNullable<CaptureBytes['randomAccess']> {
  return {
    name,
    size: blob.size,
    read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
  };
}
