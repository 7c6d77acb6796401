// Follows growing key logs while a capture is read, as tail -F does, and triggers timeouts.

import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { LiveKeySource } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';

export class KeyLogTail implements LiveKeySource {
  readonly #files = new Map<string, GrowingFile>();
  readonly #found: () => readonly string[];
  #more = '';
  #changed = (): void => {};
  #lastCame = Date.now();
  #toldQuiet = 0;

  /** @param found further paths, which come and go. */
  constructor(paths: readonly string[], found: () => readonly string[] = () => []) {
    this.#found = found;
    for (const path of paths) this.#files.set(path, new GrowingFile(path));
  }

  /** Lines from another source, without line ends. */
  add(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#more += lines.map((line) => `${line}\n`).join('');
    this.#changed();
  }

  /** A chunk of the capture arrived. */
  onChunk(): void {
    this.#lastCame = Date.now();
    this.#toldQuiet = 0;
  }

  idleNs(): bigint {
    return BigInt(Date.now() - this.#lastCame) * 1_000_000n;
  }

  /** Emits complete lines only, so that files do not mix. Throws CliError. */
  read(): string {
    const more = this.#more;
    this.#more = '';
    return (
      more +
      this.#look()
        .map((file) => file.read())
        .join('')
    );
  }

  readRest(): string {
    return (
      this.read() +
      this.#look()
        .map((file) => file.rest())
        .join('')
    );
  }

  watch(changed: () => void): () => void {
    this.#changed = changed;
    const timer = setInterval(() => {
      if (this.#look().some((file) => file.grew()) || this.#isQuiet()) changed();
    }, LOOK_MS);
    return () => {
      clearInterval(timer);
      this.#changed = () => {};
    };
  }

  #look(): GrowingFile[] {
    for (const path of this.#found()) if (!this.#files.has(path)) this.#files.set(path, new GrowingFile(path));
    return [...this.#files.values()];
  }

  /** Emits a tick every half second without data, while connections may wait for keys. */
  #isQuiet(): boolean {
    const quiet = Date.now() - this.#lastCame;
    if (quiet < this.#toldQuiet + QUIET_MS || quiet > QUIET_LIMIT_MS) return false;
    this.#toldQuiet = quiet;
    return true;
  }
}

class GrowingFile {
  readonly #path: string;
  #file: number | null = null;
  #at = 0;
  #partial = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether there is something to read. */
  grew(): boolean {
    try {
      const { size, ino, dev } = statSync(this.#path);
      if (this.#file === null) return size > 0;
      const known = fstatSync(this.#file);
      return size !== this.#at || ino !== known.ino || dev !== known.dev;
    } catch {
      return false;
    }
  }

  read(): string {
    if (!this.grew()) return '';
    try {
      this.#reopen();
      return this.#lines();
    } catch (error) {
      // It has gone in the meantime.
      if ((error as { code?: unknown }).code === 'ENOENT') return '';
      throw new CliError(`--keylog ${this.#path}: ${describeError(error)}`);
    }
  }

  rest(): string {
    return this.#partial === '' ? '' : `${this.#partial}\n`;
  }

  #reopen(): void {
    if (this.#file !== null) {
      const [known, now] = [fstatSync(this.#file), statSync(this.#path)];
      const same = known.ino === now.ino && known.dev === now.dev;
      if (same && now.size >= this.#at) return;
      closeSync(this.#file);
    }
    this.#file = openSync(this.#path, 'r');
    this.#at = 0;
    this.#partial = '';
  }

  #lines(): string {
    const buffer = Buffer.alloc(64 * 1024);
    let text = this.#partial;
    for (;;) {
      const length = readSync(this.#file as number, buffer, 0, buffer.length, this.#at);
      if (length === 0) break;
      this.#at += length;
      text += buffer.toString('latin1', 0, length);
    }
    const end = text.lastIndexOf('\n') + 1;
    // An endless line is no secret.
    this.#partial = text.slice(end).slice(0, PARTIAL_LIMIT);
    return text.slice(0, end);
  }
}

const QUIET_MS = 500;
/** Limit in ms: time without a packet in which what waits is still examined: messages behind a gap wait for ten seconds at most. */
const QUIET_LIMIT_MS = 15_000;
/** Interval between reads, ms: the maximum delay of messages that wait for keys. */
const LOOK_MS = 20;
/** Limit: characters of an incomplete line of a growing key log: more than the longest line of a key log has. */
const PARTIAL_LIMIT = 16 * 1024;
