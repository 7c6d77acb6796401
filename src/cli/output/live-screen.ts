// Redraws a diagram on a terminal while messages arrive, with the control sequences of ECMA-48.

import type { WriteStream } from 'node:tty';

export class LiveScreen {
  readonly #out: WriteStream;
  readonly #draw: () => string;
  #timer: NodeJS.Timeout | null = null;
  #stale = false;

  /** @param draw draws the diagram as text: first the participants, then a line for each message. */
  constructor(out: WriteStream, draw: () => string) {
    this.#out = out;
    this.#draw = draw;
  }

  /** Schedules a redraw, not more often than a person can follow. */
  changed(): void {
    this.#stale = true;
    this.#timer ??= setTimeout(() => this.#redraw(), PAUSE_MS);
  }

  /** Ends the display. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#out.write(`${HOME}${CLEAR_REST}`);
  }

  #redraw(): void {
    const before = Date.now();
    this.#stale = false;
    this.#out.write(frame(this.#draw(), this.#out.rows ?? 24, this.#out.columns ?? 80));
    // Drawing a long diagram takes time; reading continues in between.
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        if (this.#stale) this.changed();
      },
      Math.max(0, (Date.now() - before) * 4),
    );
  }
}

/** The participants and the last lines that fit on the screen. */
export function frame(text: string, rows: number, columns: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const room = Math.max(1, rows - 1);
  const kept = lines.slice(0, Math.min(HEAD_LINES, room));
  const cut = lines.length <= room ? lines : [...kept, ...lines.slice(lines.length - (room - kept.length))];
  return `${HOME}${cut.map((line) => `${[...line].slice(0, columns - 1).join('')}${CLEAR_LINE}\r\n`).join('')}${CLEAR_REST}`;
}

/** Delay between a message and its redraw, ms. */
const PAUSE_MS = 250;
/** Lines with the names of the participants. */
const HEAD_LINES = 2;
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_REST = '\u001b[J';
