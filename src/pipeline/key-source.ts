// Supplies TLS secrets: text of NSS key logs, or a key log that grows while a capture is read.

import { text } from '../core/bytes/bytes.js';

/** A key log that grows while a capture is read, with the time in which nothing was captured. */
export interface LiveKeySource {
  /** Text added to the key log since the last call, before each chunk of the capture; lines may be cut anywhere. */
  read(): string;
  /** The remaining text at the end of the capture, including a last line without line end. */
  readRest?(): string;
  /** ns in which nothing was captured; absent if no clock is read. */
  idleNs?(): bigint;
  /**
   * For captures that pause: calls `changed` when there may be more text, or time has passed.
   * @returns stops watching.
   */
  watch?(changed: () => void): () => void;
}

/** Text of NSS key logs, or chunks of it. */
export type Secrets =
  | string
  | Uint8Array
  | AsyncIterable<string | Uint8Array>
  | readonly (string | Uint8Array | AsyncIterable<string | Uint8Array>)[];

/**
 * @param live reads streams beside the capture; otherwise they are read to their ends before it.
 * @returns options of the pipeline.
 */
export async function openSecrets(
  secrets: Secrets,
  live: boolean,
): Promise<{ readonly keyLogs: string[]; readonly meanwhile?: LiveKeySource }> {
  const sources = Array.isArray(secrets) ? (secrets as readonly Exclude<Secrets, readonly unknown[]>[]) : [secrets];
  const keyLogs: string[] = [];
  const streams: AsyncIterable<string | Uint8Array>[] = [];
  for (const source of sources) {
    if (typeof source === 'string' || source instanceof Uint8Array) keyLogs.push(asText(source));
    else if (live) streams.push(source as AsyncIterable<string | Uint8Array>);
    else {
      let whole = '';
      for await (const chunk of source as AsyncIterable<string | Uint8Array>) whole += asText(chunk);
      keyLogs.push(whole);
    }
  }
  return streams.length === 0 ? { keyLogs } : { keyLogs, meanwhile: new KeyLogStreams(streams) };
}

/** Merges several streams line by line, so that their lines do not mix. */
class KeyLogStreams implements LiveKeySource {
  #lines = '';
  #failure: unknown = null;
  #changed = (): void => {};

  constructor(streams: readonly AsyncIterable<string | Uint8Array>[]) {
    for (const stream of streams) void this.#pump(stream);
  }

  /** Throws the error of a failed stream. */
  read(): string {
    if (this.#failure !== null) throw this.#failure;
    const lines = this.#lines;
    this.#lines = '';
    return lines;
  }

  watch(changed: () => void): () => void {
    this.#changed = changed;
    return () => {
      this.#changed = () => {};
    };
  }

  async #pump(stream: AsyncIterable<string | Uint8Array>): Promise<void> {
    try {
      let partial = '';
      for await (const chunk of stream) {
        const all = partial + asText(chunk);
        const end = all.lastIndexOf('\n') + 1;
        // A line without end is no secret, however long it grows.
        partial = all.slice(end).slice(0, PARTIAL_LIMIT);
        if (end > 0) this.#add(all.slice(0, end));
      }
      if (partial !== '') this.#add(`${partial}\n`);
    } catch (error) {
      this.#failure = error;
      this.#changed();
    }
  }

  #add(lines: string): void {
    this.#lines += lines;
    this.#changed();
  }
}

function asText(chunk: string | Uint8Array): string {
  return typeof chunk === 'string' ? chunk : text(chunk);
}

/** Limit: characters of an unfinished line of a stream of secrets: more than the longest line of a key log has. */
const PARTIAL_LIMIT = 16 * 1024;
