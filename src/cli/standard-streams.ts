// Defines where commands print: on the process's own streams, or into buffers where a server runs them.

import type { WriteStream } from 'node:tty';

/** What a command prints. */
export interface StandardStreams {
  /** The terminal that shows the data; null: a file, a pipe or a program gets them. */
  readonly terminal: WriteStream | null;
  /** Cells in a line of data: as COLUMNS says, else as the terminal is; undefined: as many as there are. */
  readonly width: number | undefined;
  /** Data. The promise settles when there is room for more. */
  output(text: string | Uint8Array): Promise<void>;
  /** One line about the run, with its end of line. */
  error(line: string): void;
  /** Called at each message; throws where the command has taken too long. */
  checkTime?(): void;
}

/** The streams of the command that runs now. */
export function standardStreams(): StandardStreams {
  return current;
}

/** Runs one command with other streams. Commands that run at the same time would share them. */
export async function withStreams<T>(streams: StandardStreams, run: () => Promise<T>): Promise<T> {
  const before = current;
  current = streams;
  try {
    return await run();
  } finally {
    current = before;
  }
}

const PROCESS: StandardStreams = {
  get terminal() {
    return process.stdout.isTTY === true ? process.stdout : null;
  },
  get width() {
    const columns = process.env['COLUMNS'] ?? '';
    return /^[1-9]\d{0,4}$/.test(columns) ? Number(columns) : this.terminal?.columns;
  },
  async output(text) {
    if (text.length > 0 && !process.stdout.write(text))
      await new Promise<void>((resolve) => process.stdout.once('drain', () => resolve()));
  },
  error(line) {
    process.stderr.write(line);
  },
};
let current = PROCESS;
