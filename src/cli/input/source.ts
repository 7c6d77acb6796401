// Where the bytes of a run come from: files, standard input, or tcpdump on an interface. Opens them, counts what was read, and
// ends them when the user interrupts, so that what came so far is still told. Reads no packet.

import { setMaxListeners } from 'node:events';
import { statSync } from 'node:fs';
import { printError } from '../output/print-error.js';
import { Tcpdump } from '../record/tcpdump.js';
import { readCapture } from './input.js';
import type { Input } from './inputs.js';

export interface SourceOptions {
  /** Files are read on as they grow, until SIGINT. */
  readonly growing?: boolean;
  /** Packets are captured here and now, on this interface; there are no files then. */
  readonly interface?: string;
  /** Which packets, in tcpdump's language. */
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
  #wake: () => void = () => {};
  readonly #onStop = (): void => {
    this.#interrupted = true;
    this.#wake();
    this.#stop.abort();
    this.#tcpdump?.stop();
  };

  /** @param came told of each chunk. */
  constructor(options: SourceOptions, came: () => void) {
    this.#options = options;
    this.#came = came;
    // As many files as are followed are waited for at once.
    setMaxListeners(0, this.#stop.signal);
  }

  /** The user has seen enough. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Of all captures, through `chunks`. */
  get bytesRead(): number {
    return this.#sizes.reduce((sum, size) => sum + size, 0);
  }

  bytesOf(capture: number): number {
    return this.#sizes[capture] ?? 0;
  }

  /** Packets that tcpdump says it lost. */
  get dropped(): number {
    return this.#tcpdump?.dropped ?? 0;
  }

  /** An interrupt ends what is read, until `close`. */
  listen(): void {
    process.once('SIGINT', this.#onStop);
    // tcpdump does not end with us by itself.
    if (this.#options.interface !== undefined) process.once('SIGTERM', this.#onStop).once('SIGHUP', this.#onStop);
  }

  /** Begins to capture, where there is an interface; resolves when packets come in. Throws Trouble where it cannot. */
  async start(): Promise<void> {
    const { interface: captured, filter, quiet } = this.#options;
    if (captured === undefined) return;
    this.#tcpdump = new Tcpdump({ interface: captured, filter, immediate: true });
    await this.#tcpdump.ready();
    if (quiet !== true) printError(`capturing on ${captured}; Ctrl-C ends it`);
    if (this.#interrupted) this.#tcpdump.stop();
  }

  /** @param capture its number in this run. */
  async *chunks(file: string, capture: number): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#tcpdump?.chunks() ?? this.again(file)) {
      this.#came();
      this.#sizes[capture] = (this.#sizes[capture] ?? 0) + chunk.length;
      yield chunk;
    }
  }

  /** The same of a file, uncounted: for a look at it before it is read. */
  async *again(file: string): AsyncGenerator<Uint8Array> {
    for await (const chunk of readCapture(file, { stop: this.#stop.signal, follow: this.#options.growing })) {
      // A stream ends by itself soon; what it still has to say was seen before the interrupt.
      if (this.#interrupted && file !== '-') return;
      yield chunk;
    }
  }

  /** Resolves after this many ms, or at an interrupt. */
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

/** Bytes that there are; null where one of the inputs is no file, and its end cannot be known. */
export function bytesToRead(inputs: readonly Input[]): number | null {
  let total = 0;
  for (const { file } of inputs) {
    const found = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() !== true) return null;
    total += found.size;
  }
  return total;
}
