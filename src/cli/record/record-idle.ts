// When a recorded command's work is over: nothing more of its picture comes. Reads the capture while it is written; knows
// a clock.

import { arrowsOf, buildSequence, type Message, observe, type PictureOptions } from '../../index.js';
import { readCapture } from '../input/input.js';
import type { KeyLogTail } from '../keys/key-log-tail.js';

export class RecordedTalk {
  readonly messages: Message[] = [];
  readonly #options: PictureOptions;
  readonly #stop = new AbortController();
  readonly #reading: Promise<void>;
  #looked = 0;
  #drawn = 0;
  #writes = false;
  /** ms of the clock: the picture's last growth; how long it took to draw it. */
  #grown = Date.now();
  #cost = 0;

  /** @param file capture that is being written. */
  constructor(file: string, keyLog: KeyLogTail, options: PictureOptions) {
    this.#options = options;
    this.#reading = this.#read(file, keyLog);
    this.#reading.catch(() => {});
  }

  /** Messages that the picture of it has so far. */
  get drawn(): number {
    this.#look();
    return this.#drawn;
  }

  /** Waits until the objects that the command touched are quiet. @returns false where they are not after a while. */
  async quiet(interrupted: () => boolean): Promise<boolean> {
    const began = Date.now();
    for (;;) {
      await pause(Math.max(LOOK_MS, this.#cost * 10));
      if (interrupted()) return true;
      const patience = this.#touches() ? QUIET_MS : NOTHING_MS;
      const now = Date.now();
      if (now - Math.max(began, this.#grown) >= patience) return true;
      if (now - began >= QUIET_LIMIT_MS) return false;
    }
  }

  /** Reads what was written up to now. Throws Trouble. */
  async end(): Promise<void> {
    this.stop();
    await this.#reading;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Whether something in its picture was written, so that others may act on it. */
  #touches(): boolean {
    this.#look();
    return this.#writes;
  }

  #look(): void {
    if (this.messages.length === this.#looked) return;
    const before = Date.now();
    this.#looked = this.messages.length;
    const { drawn, steps } = buildSequence({ messages: this.messages, notices: [] }, this.#options);
    if (drawn > this.#drawn) this.#grown = before;
    this.#drawn = drawn;
    this.#writes = arrowsOf(steps).some(({ message }) => WRITES.has(message.method ?? ''));
    this.#cost = Date.now() - before;
  }

  async #read(file: string, keyLog: KeyLogTail): Promise<void> {
    const chunks = readCapture(file, { stop: this.#stop.signal, follow: true });
    const bytes = (async function* () {
      for await (const chunk of chunks) {
        keyLog.came();
        yield chunk;
      }
    })();
    for await (const batch of observe([bytes], { meanwhile: keyLog })) {
      for (const item of batch) if (item.kind === 'message') this.messages.push(item.message);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const LOOK_MS = 200;
/** After the last message of the picture: probes and status updates of a starting Pod come within seconds. */
const QUIET_MS = 5000;
/** Where nothing was written, only read: tcpdump hands on what it has within a second. */
const NOTHING_MS = 1500;
/** As long is waited for what never gets quiet: a Deployment that never becomes ready. */
const QUIET_LIMIT_MS = 120_000;
