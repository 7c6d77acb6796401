// What is going on, for a person who waits: on standard error, on a terminal only, one line that is written over.

/** @returns takes the share of the work that is done, 0 to 1. */
export type Progress = (share: number) => void;

interface ProgressOptions {
  readonly progress?: boolean;
  readonly quiet?: true;
}

export function progressLine(what: string, options: ProgressOptions): Progress | undefined {
  if (!isWanted(options)) return undefined;
  let shown = -1;
  return (share) => {
    const percent = Math.min(100, Math.floor(share * 100));
    if (percent === shown) return;
    shown = percent;
    process.stderr.write(`${BEGIN}kubeseq: ${what}: ${percent} %${percent === 100 ? BEGIN : ''}`);
  };
}

export interface ReadingProgress {
  /** @param bytes read so far, of all files. @param messages so far. */
  update(bytes: number, messages: number): void;
  /** Nothing of it stays on the terminal. */
  done(): void;
}

/** @param total asked for the bytes of all files; null where that cannot be known, as of a pipe. */
export function readingProgress(total: () => number | null, options: ProgressOptions): ReadingProgress | undefined {
  if (!isWanted(options)) return undefined;
  const begun = Date.now();
  let last = begun + PATIENCE_MS - INTERVAL_MS;
  let isShown = false;
  return {
    update(bytes, messages) {
      const now = Date.now();
      if (now - last < INTERVAL_MS) return;
      last = now;
      isShown = true;
      process.stderr.write(`${BEGIN}kubeseq: ${readingText(bytes, total(), messages, now - begun)}`);
    },
    done() {
      if (isShown) process.stderr.write(BEGIN);
    },
  };
}

/** `12.3 of 45.6 MB, 26 %, 34.1 MB/s, 5,120 messages`. @param elapsed ms. */
export function readingText(bytes: number, total: number | null, messages: number, elapsed: number): string {
  const rate = elapsed <= 0 ? 0 : bytes / 1000 / elapsed;
  const share = total === null || total === 0 ? null : Math.min(100, Math.floor((bytes / total) * 100));
  const parts = [
    share === null ? `${megabytes(bytes)} MB` : `${megabytes(bytes)} of ${megabytes(total ?? 0)} MB, ${share} %`,
  ];
  parts.push(`${rate.toFixed(1)} MB/s`, `${messages.toLocaleString('en-US')} messages`);
  return parts.join(', ');
}

function isWanted({ progress, quiet }: ProgressOptions): boolean {
  return process.stderr.isTTY === true && progress !== false && quiet !== true;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** Back to the beginning of the line, which is emptied. */
const BEGIN = '\r\u001b[K';
/** Nobody wants to be told of what is over before it can be read. */
const PATIENCE_MS = 1000;
const INTERVAL_MS = 200;
