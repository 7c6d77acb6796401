// Where data goes: standard output, or a file that is written whole or not at all. A closed pipe (`| head`) ends the
// command quietly.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { sayWhy } from './input.js';
import { EXIT_FINE, Trouble } from './trouble.js';

export interface Output {
  write(text: string | Uint8Array): Promise<void>;
  /** Everything was written: a file gets its name now. */
  done(): Promise<void>;
  /** Something went wrong: no half file stays. */
  abandon(): Promise<void>;
}

export function openOutput(path: string | undefined): Output {
  return path === undefined || path === '-' ? standardOutput() : fileOutput(path);
}

function standardOutput(): Output {
  return {
    async write(text) {
      if (text.length > 0 && !process.stdout.write(text)) await once(process.stdout, 'drain');
    },
    async done() {},
    async abandon() {},
  };
}

/** A reader that has seen enough closes the pipe: that is not an error (as with tcpdump and tshark). */
export function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_FINE);
    process.stderr.write(`kubeseq: standard output: ${sayWhy(error)}\n`);
    process.exit(2);
  });
}

function fileOutput(path: string): Output {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`;
  let stream: WriteStream | null = null;
  let failed: Error | null = null;
  const opened = (): WriteStream => {
    if (stream !== null) return stream;
    stream = createWriteStream(temporary, { mode: 0o644 });
    stream.on('error', (error) => {
      failed = error;
    });
    return stream;
  };
  const check = (): void => {
    if (failed !== null) throw new Trouble(`${path}: ${sayWhy(failed)}`);
  };
  return {
    async write(text) {
      const file = opened();
      check();
      if (!file.write(text)) {
        const settled = new AbortController();
        const { signal } = settled;
        await Promise.race([once(file, 'drain', { signal }), once(file, 'close', { signal })]).catch(() => {});
        settled.abort();
      }
      check();
    },
    async done() {
      const file = opened();
      file.end();
      if (!file.closed) await once(file, 'close').catch(() => {});
      check();
      await rename(temporary, path).catch((error: unknown) => {
        throw new Trouble(`${path}: ${sayWhy(error)}`);
      });
    },
    async abandon() {
      if (stream === null) return;
      stream.destroy();
      await unlink(temporary).catch(() => {});
    },
  };
}
