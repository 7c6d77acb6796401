// Shows output that is longer than the terminal in a pager, as git does: $KUBESEQ_PAGER, $PAGER or less.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WriteStream } from 'node:tty';
import { EXIT_FINE } from '../cli-error.js';
import { type StandardStreams, standardStreams, withStreams } from '../standard-streams.js';

/** Runs a command, with a pager where that is wanted and a person is at the terminal. @returns the exit status. */
export async function withPager(isWanted: boolean, run: () => Promise<number>): Promise<number> {
  const { terminal } = standardStreams();
  const command = pagerOf(process.env);
  if (!isWanted || command === null || terminal === null) return run();
  const streams = new PagedStreams(command, terminal);
  try {
    return await withStreams(streams, run);
  } catch (error) {
    // As where whoever reads a pipe has gone.
    if (error instanceof PagerClosed) return EXIT_FINE;
    throw error;
  } finally {
    await streams.close();
  }
}

/** The command of the pager; null: none is wanted. */
function pagerOf(environment: NodeJS.ProcessEnv): string | null {
  const { KUBESEQ_PAGER, PAGER, TERM } = environment;
  const command = (KUBESEQ_PAGER ?? PAGER ?? 'less').trim();
  return command === '' || command === 'cat' || TERM === 'dumb' ? null : command;
}

/** Ends a command whose reader has left the pager. */
class PagerClosed extends Error {}

/** Output for a terminal, through a pager once there is more than a screen; remarks come when the pager has ended. */
class PagedStreams implements StandardStreams {
  readonly #command: string;
  readonly terminal: WriteStream;
  readonly #streams = standardStreams();
  /** Output of less than a screen; null: it was printed, and what follows is printed at once. */
  #held: (string | Uint8Array)[] | null = [];
  #rows = 0;
  #remarks = '';
  /** null: there is less than a screen, or the pager is not installed. */
  #pager: ChildProcess | null = null;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(command: string, terminal: WriteStream) {
    this.#command = command;
    this.terminal = terminal;
  }

  get width(): number | undefined {
    return this.#streams.width;
  }

  /** Throws PagerClosed. */
  async output(text: string | Uint8Array): Promise<void> {
    if (this.#held === null) return this.#print(text);
    this.#held.push(text);
    this.#rows += rowsOf(typeof text === 'string' ? text : Buffer.from(text).toString(), this.terminal.columns);
    if (this.#rows < this.terminal.rows) return;
    this.#pager = await this.#start();
    await this.#printHeld();
  }

  error(line: string): void {
    if (this.#pager === null) this.#streams.error(line);
    else this.#remarks += line;
  }

  /** After the command: waits until the reader leaves the pager. */
  async close(): Promise<void> {
    await this.#printHeld();
    this.#pager?.stdin?.end();
    await this.#ended;
    this.#streams.error(this.#remarks);
  }

  async #printHeld(): Promise<void> {
    const held = this.#held ?? [];
    this.#held = null;
    for (const text of held) await this.#print(text);
  }

  #print(text: string | Uint8Array): Promise<void> {
    return this.#pager === null ? this.#streams.output(text) : send(this.#pager, text);
  }

  /** @returns null if the pager is not installed. */
  async #start(): Promise<ChildProcess | null> {
    // Words alone need no shell, and without one it is known at once whether the program is there.
    const [program = '', ...words] = /^[\w./ +=-]+$/.test(this.#command)
      ? this.#command.split(/ +/)
      : ['/bin/sh', '-c', this.#command];
    // As git sets it: colours pass, what fits on the screen ends by itself, and the text stays when less has ended.
    const env = { ...process.env, LESS: process.env['LESS'] ?? 'FRX' };
    const pager = spawn(program, words, { stdio: ['pipe', 'inherit', 'inherit'], env });
    pager.stdin?.on('error', () => {});
    this.#ended = once(pager, 'close').catch(() => {});
    const isThere = await new Promise<boolean>((resolve) => {
      pager.once('spawn', () => resolve(true));
      pager.once('error', () => resolve(false));
    });
    if (!isThere) return null;
    // Ctrl-C is for the pager: it would be left without its text.
    const ignored = (): void => {};
    process.on('SIGINT', ignored);
    void this.#ended.then(() => process.off('SIGINT', ignored));
    return pager;
  }
}

async function send({ stdin, exitCode, signalCode }: ChildProcess, text: string | Uint8Array): Promise<void> {
  if (stdin === null || stdin.destroyed || exitCode !== null || signalCode !== null) throw new PagerClosed();
  if (text.length === 0 || stdin.write(text)) return;
  await new Promise<void>((resolve) => {
    stdin.once('drain', resolve);
    stdin.once('close', resolve);
  });
  if (stdin.destroyed) throw new PagerClosed();
}

/** Rows of a terminal that a text takes. Colours count as characters, so there may be less. */
function rowsOf(text: string, columns: number): number {
  let rows = 0;
  for (let start = 0, end = text.indexOf('\n'); end !== -1; start = end + 1, end = text.indexOf('\n', start))
    rows += Math.max(1, Math.ceil((end - start) / columns));
  return rows;
}
