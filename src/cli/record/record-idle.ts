// Detects when a recorded command has no more effects, by reading the capture while it is written.

import { arrowsOf, buildSequence, type DiagramOptions, type Message, observe } from '../../index.js';
import { readCapture } from '../input/input.js';
import type { KeyLogTail } from '../keys/key-log-tail.js';

export class IdleDetector {
  readonly messages: Message[] = [];
  readonly #options: DiagramOptions;
  readonly #stop = new AbortController();
  readonly #reading: Promise<void>;
  #looked = 0;
  #drawn = 0;
  #foundWrite = false;
  /** ns since the epoch: what came before is not drawn. */
  #since = 0n;
  /** When the diagram grew last, ms since the epoch. */
  #grown = Date.now();
  /** How long it took to build the diagram, ms. */
  #cost = 0;

  /** @param file the growing capture. */
  constructor(file: string, keyLog: KeyLogTail, options: DiagramOptions) {
    this.#options = options;
    this.#reading = this.#read(file, keyLog);
    this.#reading.catch(() => {});
  }

  /** Number of drawn messages so far. */
  get drawn(): number {
    this.#look();
    return this.#drawn;
  }

  /** Is there a message since the command began? */
  get hasAny(): boolean {
    return this.messages.some(this.#isSince);
  }

  /** The command begins now. */
  begin(): void {
    this.#since = BigInt(Date.now()) * 1_000_000n;
  }

  /** Waits until no more messages about the command's objects arrive. @returns true also if the user interrupts, false on timeout. */
  async quiet(interrupted: () => boolean): Promise<boolean> {
    const began = Date.now();
    for (;;) {
      await pause(Math.max(LOOK_MS, this.#cost * 10));
      if (interrupted()) return true;
      const patience = this.#hasWrite() ? QUIET_MS : NOTHING_MS;
      const now = Date.now();
      if (now - Math.max(began, this.#grown) >= patience) return true;
      if (now - began >= QUIET_LIMIT_MS) return false;
    }
  }

  /** Reads the capture up to its current end. Throws CliError. */
  async end(): Promise<void> {
    this.stop();
    await this.#reading;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Does the diagram have a write, to which controllers may react? */
  #hasWrite(): boolean {
    this.#look();
    return this.#foundWrite;
  }

  readonly #isSince = ({ time }: Message): boolean => time >= this.#since;

  #look(): void {
    if (this.messages.length === this.#looked) return;
    const before = Date.now();
    this.#looked = this.messages.length;
    const { drawn, steps } = buildSequence(
      { messages: this.messages, notices: [] },
      { ...this.#options, selected: this.#isSince },
    );
    if (drawn > this.#drawn) this.#grown = before;
    this.#drawn = drawn;
    this.#foundWrite = arrowsOf(steps).some(({ message }) => WRITES.has(message.method ?? ''));
    this.#cost = Date.now() - before;
  }

  async #read(file: string, keyLog: KeyLogTail): Promise<void> {
    const chunks = readCapture(file, { stop: this.#stop.signal, follow: true });
    const bytes = (async function* () {
      for await (const chunk of chunks) {
        keyLog.onChunk();
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

/** HTTP methods of writes: unlike the verbs by which the glossary defines a write, they count every POST. */
const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const LOOK_MS = 200;
/** ms after the last drawn message: probes and status updates of a starting Pod follow within seconds. */
const QUIET_MS = 5000;
/** ms if there are only reads: tcpdump delivers packets within a second. */
const NOTHING_MS = 1500;
/** Limit in ms: time that `record` waits for objects that never settle: a Deployment that does not become ready. */
const QUIET_LIMIT_MS = 120_000;
