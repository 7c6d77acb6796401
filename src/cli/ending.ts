// Lets a command finish in order on its first SIGINT, SIGTERM or SIGHUP; a second one exits at once.

import type { ChildProcess } from 'node:child_process';
import { EXIT_INTERRUPTED } from './cli-error.js';

/** Listens from its creation to `dispose`. A second signal exits at once; exit handlers still run. */
export class Ending {
  interrupted = false;
  /** Exit status, as of a shell. */
  status = EXIT_INTERRUPTED;
  readonly interrupt: Promise<void>;
  #child: ChildProcess | null = null;
  #wake = (): void => {};
  readonly #on = (signal: NodeJS.Signals): void => {
    if (this.interrupted) process.exit(this.status);
    this.interrupted = true;
    this.status = statusOf(signal);
    this.#wake();
    const child = this.#child;
    // A terminal and npx signal the child too, so it gets time to end by itself.
    setTimeout(() => {
      if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) child.kill(signal);
    }, PASS_ON_MS).unref();
  };

  constructor() {
    this.interrupt = new Promise((resolve) => {
      this.#wake = resolve;
    });
    for (const signal of ENDS) process.on(signal, this.#on);
  }

  /** A command that gets the signal too. */
  passOn(child: ChildProcess): void {
    this.#child = child;
  }

  dispose(): void {
    for (const signal of ENDS) process.removeListener(signal, this.#on);
  }
}

/** Exit status of a process that a signal ended. */
export function statusOf(signal: string): number {
  return 128 + (SIGNAL_NUMBERS[signal] ?? 0);
}

const ENDS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const SIGNAL_NUMBERS: Readonly<Record<string, number | undefined>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };
const PASS_ON_MS = 200;
