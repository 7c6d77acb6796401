// TLS secrets as programs have them: text of NSS key logs, or a source of it that grows while a capture is read, and what
// else happens meanwhile: time passes. Knows how to wait for text, not what stands in it.

import { text } from '../core/bytes/bytes.js';

/** What happens beside a capture while it is read: a key log grows, and time passes in which nothing is captured. */
export interface LiveKeySource {
  /** Text that was added to the key log since the last call; lines may be cut anywhere. Asked before every piece of the capture. */
  read(): string;
  /** The capture is over: what is left, a last line without line end too. */
  rest?(): string;
  /** For how long (ns) nothing of the capture has come; absent: nobody looks at a clock. */
  quiet?(): bigint;
  /**
   * For captures that pause: calls `changed` when there may be more, or time has passed.
   * @returns ends that.
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
 * @param live streams are read beside the capture; else to their ends before it.
 * @returns what `PipelineOptions` take.
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
  return streams.length === 0 ? { keyLogs } : { keyLogs, meanwhile: new Pumped(streams) };
}

/** Several streams as one: only whole lines are handed on, so that they do not mix. */
class Pumped implements LiveKeySource {
  #lines = '';
  #failure: unknown = null;
  #changed = (): void => {};

  constructor(streams: readonly AsyncIterable<string | Uint8Array>[]) {
    for (const stream of streams) void this.#pump(stream);
  }

  /** Throws what a stream failed with. */
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
        // A line without end is no secret, however long it gets.
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

/** Characters of a line that wait for its end: more than the longest line of a key log has. */
const PARTIAL_LIMIT = 16 * 1024;
