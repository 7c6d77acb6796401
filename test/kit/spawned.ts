// Commands that go on until they are told to stop: starts them, waits for what they say, ends them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from './command.js';

export class Spawned {
  stdout = '';
  stderr = '';
  readonly child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(command: string, args: readonly string[], options: { readonly env?: NodeJS.ProcessEnv } = {}) {
    this.child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...options.env } });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString('utf8');
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString('utf8');
    });
    this.#ended = once(this.child, 'close');
  }

  /** Waits until the outputs say so. */
  async until(what: (said: Spawned) => boolean, ms = 30_000): Promise<void> {
    for (const end = Date.now() + ms; !what(this); await pause(10)) {
      if (Date.now() > end || this.child.exitCode !== null)
        throw new Error(`did not come: ${what}\n${this.stdout}\n${this.stderr}`);
    }
  }

  /** Waits until it has said nothing for so long. */
  async quiet(ms: number): Promise<void> {
    for (let said = -1; said !== this.stdout.length + this.stderr.length; await pause(ms))
      said = this.stdout.length + this.stderr.length;
  }

  write(text: string | Uint8Array): void {
    this.child.stdin?.write(text);
  }

  /** @returns its exit status, or the signal's name. */
  async end(signal?: NodeJS.Signals): Promise<number | string | null> {
    if (signal !== undefined) this.child.kill(signal);
    await this.#ended;
    return this.child.exitCode ?? this.child.signalCode;
  }
}

/** @param within a command that runs another one, with its arguments: `unshare --net`. */
export function kubeseqSpawned(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  within: readonly string[] = [],
): Spawned {
  const [command, ...rest] = [...within, process.execPath, `${ROOT}/bin/kubeseq.js`, ...args];
  return new Spawned(command, rest, { env });
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
