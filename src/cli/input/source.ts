// Opens the byte sources of a command (files, standard input, or tcpdump on an interface), counts the bytes, and ends
// them when the user interrupts.

import { setMaxListeners } from 'node:events';
import { statSync } from 'node:fs';
import type { CaptureBytes } from '../../index.js';
import { printError } from '../cli-error.js';
import { randomAccess } from '../files/random-access.js';
import { readCapture } from './input.js';
import type { Input } from './inputs.js';
import { Tcpdump } from './tcpdump.js';

export interface SourceOptions {
  /** Follow files as they grow, until SIGINT. */
  readonly growing?: boolean;
  /** Interface of a live capture, without files. */
  readonly interface?: string;
  /** Capture filter in tcpdump's syntax. */
  readonly filter?: string;
  readonly quiet?: true;
}

export class InputSource {
  readonly #options: SourceOptions;
  readonly #came: () => void;
  /** Bytes of each capture. */
  readonly #sizes: number[] = [];
  readonly #stop = new AbortController();
  #tcpdump: Tcpdump | null = null;
  #interrupted = false;
  #isEnough = false;
  #wake: () => void = () => {};
  readonly #onStop = (): void => {
    this.#interrupted = true;
    this.#wake();
    this.#stop.abort();
    this.#tcpdump?.stop();
  };

  /** @param came is called with each chunk. */
  constructor(options: SourceOptions, came: () => void) {
    this.#options = options;
    this.#came = came;
    // One listener for each followed file.
    setMaxListeners(0, this.#stop.signal);
  }

  /** The user interrupted. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Bytes read through `chunks`. */
  get bytesRead(): number {
    return this.#sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Nothing more is needed: files end where they were read to. */
  enough(): void {
    this.#isEnough = true;
  }

  bytesOf(capture: number): number {
    return this.#sizes[capture] ?? 0;
  }

  /** Packets that tcpdump reports as dropped. */
  get dropped(): number {
    return this.#tcpdump?.dropped ?? 0;
  }

  /** Until `close`, an interrupt ends the reading. */
  listen(): void {
    process.once('SIGINT', this.#onStop);
    // tcpdump does not end with this process by itself.
    if (this.#options.interface !== undefined) process.once('SIGTERM', this.#onStop).once('SIGHUP', this.#onStop);
  }

  /** Starts the live capture, if any; resolves when it captures. Throws CliError if it cannot. */
  async start(): Promise<void> {
    const { interface: captured, filter, quiet } = this.#options;
    if (captured === undefined) return;
    this.#tcpdump = new Tcpdump({ interface: captured, filter, immediate: true });
    await this.#tcpdump.ready();
    if (quiet !== true) printError(`capturing on ${captured}; Ctrl-C ends it`);
    if (this.#interrupted) this.#tcpdump.stop();
  }

  /** @param capture its number in this run. */
  chunks(file: string, capture: number): CaptureBytes {
    const chunks = this.#chunks(file, capture);
    const isRead = this.#options.interface === undefined && this.#options.growing !== true;
    return isRead ? Object.assign(chunks, { randomAccess: randomAccess(file) }) : chunks;
  }

  async *#chunks(file: string, capture: number): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#tcpdump?.chunks() ?? this.again(file)) {
      this.#came();
      this.#sizes[capture] = (this.#sizes[capture] ?? 0) + chunk.length;
      yield chunk;
    }
  }

  /** The same without counting, for the scan before reading. */
  async *again(file: string): AsyncGenerator<Uint8Array> {
    for await (const chunk of readCapture(file, { stop: this.#stop.signal, follow: this.#options.growing })) {
      // A stream ends by itself soon; its remaining data was captured before the interrupt.
      if (this.#isEnough || (this.#interrupted && file !== '-')) return;
      yield chunk;
    }
  }

  /** Resolves after this many ms, or on interrupt. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  close(): void {
    this.#tcpdump?.stop();
    process
      .removeListener('SIGINT', this.#onStop)
      .removeListener('SIGTERM', this.#onStop)
      .removeListener('SIGHUP', this.#onStop);
  }
}

/** Total bytes of the inputs; null: one of them is no file. */
export function bytesToRead(inputs: readonly Input[]): number | null {
  let total = 0;
  for (const { file } of inputs) {
    const found = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() !== true) return null;
    total += found.size;
  }
  return total;
}
