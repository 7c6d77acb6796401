// Runs the command in a pseudo-terminal, as `script` of util-linux makes one, and shows what stands on its screen.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { ROOT } from './command.js';

/** Why no pseudo-terminal can be made here; empty: one can. */
export const NO_TERMINAL = spawnSync('script', ['--version']).status === 0 ? '' : 'there is no script(1)';

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

export class TerminalSession {
  readonly #process: ChildProcess;
  readonly #terminal: xterm.Terminal;
  /** Everything that was written, with control sequences. */
  written = '';
  readonly ended: Promise<number | null>;

  /**
   * @param env beside that of this process; a value of undefined removes a variable.
   * @param input a file as standard input; default: the terminal.
   */
  constructor(
    args: readonly string[],
    { rows, columns }: TerminalSize,
    env: Readonly<Record<string, string | undefined>> = {},
    input?: string,
  ) {
    this.#terminal = new xterm.Terminal({ rows, cols: columns, allowProposedApi: true, scrollback: 10_000 });
    const command = [process.execPath, join(ROOT, 'bin/kubeseq.js'), ...args]
      .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
      .join(' ');
    const all = { ...process.env, TERM: 'xterm-256color', COLUMNS: undefined, LINES: undefined, ...env };
    this.#process = spawn(
      'script',
      [
        '-qefc',
        `stty rows ${rows} cols ${columns}; exec ${command}${input === undefined ? '' : ` < '${input}'`}`,
        '/dev/null',
      ],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
        env: all,
        cwd: ROOT,
      },
    );
    this.#process.stdout?.on('data', (data: Buffer) => {
      this.written += data.toString('latin1');
      this.#terminal.write(data);
    });
    // The terminal reads what is written to it later, in order.
    this.ended = new Promise((resolve) =>
      this.#process.on('close', (code) => this.#terminal.write('', () => resolve(code))),
    );
  }

  press(keys: string): void {
    this.#process.stdin?.write(keys);
  }

  /** The rows of the screen, without spaces at their ends. */
  get screen(): readonly string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, row) =>
      (active.getLine(active.baseY + row)?.translateToString(true) ?? '').trimEnd(),
    );
  }

  /** Everything on the screen and scrolled out of it. */
  get text(): string {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '').join(
      '\n',
    );
  }

  /** Waits until the screen shows something. Throws where it does not. */
  async shows(what: RegExp, ms = 20_000): Promise<void> {
    const end = Date.now() + ms;
    while (!what.test(this.screen.join('\n'))) {
      if (Date.now() > end) throw new Error(`the screen does not show ${what}:\n${this.screen.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  kill(): void {
    this.#process.kill();
  }
}
