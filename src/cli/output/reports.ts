// Reports what a long-running command does, on standard error, with one line for its progress.

import { escapeTerminal } from '../../index.js';
import { printError } from '../cli-error.js';
import { BEGIN } from './progress.js';

export class Reports {
  readonly #isQuiet: boolean;
  readonly #isTerminal = process.stderr.isTTY === true;
  /** The last text of progress. */
  #shown = '';
  /** ms; when it was printed. */
  #last = 0;
  /** A terminal's last line is progress, and is overwritten. */
  #isOpen = false;

  constructor(isQuiet: boolean) {
    this.#isQuiet = isQuiet;
  }

  /** One line. */
  say(text: string): void {
    if (this.#isQuiet) return;
    if (this.#isOpen) process.stderr.write(BEGIN);
    this.#isOpen = false;
    printError(text);
  }

  /** Rewrites one line on a terminal; elsewhere a line is printed every five seconds at most. @param isLast it stays. */
  progress(text: string, isLast: boolean): void {
    const now = Date.now();
    const isDue = this.#isTerminal || isLast || now - this.#last >= INTERVAL_MS;
    if (this.#isQuiet || !isDue || (text === this.#shown && !(isLast && this.#isOpen))) return;
    this.#shown = text;
    this.#last = now;
    if (isLast || !this.#isTerminal) {
      this.say(text);
      return;
    }
    process.stderr.write(`${BEGIN}kubeseq: ${escapeTerminal(text)}`);
    this.#isOpen = true;
  }
}

/** ms */
const INTERVAL_MS = 5000;
