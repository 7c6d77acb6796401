// A picture on a terminal that is drawn anew while messages come. Knows rows and columns, and the escapes that write over
// what is there (ECMA-48); the text it is given holds no others.

import type { WriteStream } from 'node:tty';

export class LiveScreen {
  readonly #out: WriteStream;
  readonly #draw: () => string;
  #timer: NodeJS.Timeout | null = null;
  #stale = false;

  /** @param draw makes the picture as plain text: first the participants, then a line for each message. */
  constructor(out: WriteStream, draw: () => string) {
    this.#out = out;
    this.#draw = draw;
  }

  /** Something came: it is shown soon, and not more often than a person can look. */
  changed(): void {
    this.#stale = true;
    this.#timer ??= setTimeout(() => this.#redraw(), PAUSE_MS);
  }

  /** Leaves the screen to what comes next. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#out.write(`${HOME}${CLEAR_REST}`);
  }

  #redraw(): void {
    const before = Date.now();
    this.#stale = false;
    this.#out.write(frame(this.#draw(), this.#out.rows ?? 24, this.#out.columns ?? 80));
    // A long picture takes its time, and reading goes on between.
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        if (this.#stale) this.changed();
      },
      Math.max(0, (Date.now() - before) * 4),
    );
  }
}

/** The participants and the last lines, as many as the screen has rows, each cut to its columns. */
export function frame(text: string, rows: number, columns: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const room = Math.max(1, rows - 1);
  const kept = lines.slice(0, Math.min(HEAD_LINES, room));
  const cut = lines.length <= room ? lines : [...kept, ...lines.slice(lines.length - (room - kept.length))];
  return `${HOME}${cut.map((line) => `${[...line].slice(0, columns - 1).join('')}${CLEAR_LINE}\r\n`).join('')}${CLEAR_REST}`;
}

/** Between a message and its picture, ms. */
const PAUSE_MS = 250;
/** Lines with the names of the participants. */
const HEAD_LINES = 2;
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_REST = '\u001b[J';
