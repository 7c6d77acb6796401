// Shows progress in one line on standard error, on terminals only.

import { sizeText } from '../../index.js';

/** Receives the completed share of the work, 0 to 1. */
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
  /** Clears the line. */
  done(): void;
}

/** @param total bytes of all files; null: unknown, as for a pipe. */
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

/** `12 MB of 46 MB, 26 %, 34 MB/s, 5,120 messages`. @param elapsed ms. */
export function readingText(bytes: number, total: number | null, messages: number, elapsed: number): string {
  const rate = elapsed <= 0 ? 0 : (bytes / elapsed) * 1000;
  const share = total === null || total === 0 ? null : Math.min(100, Math.floor((bytes / total) * 100));
  const parts = [share === null ? sizeText(bytes) : `${sizeText(bytes)} of ${sizeText(total ?? 0)}, ${share} %`];
  parts.push(`${sizeText(rate)}/s`, `${messages.toLocaleString('en-US')} ${messages === 1 ? 'message' : 'messages'}`);
  return parts.join(', ');
}

function isWanted({ progress, quiet }: ProgressOptions): boolean {
  return process.stderr.isTTY === true && progress !== false && quiet !== true;
}

/** Clears the line and returns to its beginning. */
export const BEGIN = '\r\u001b[K';
/** ms; shorter work shows no progress. */
const PATIENCE_MS = 1000;
const INTERVAL_MS = 200;
