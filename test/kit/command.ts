// Runs the built command as a user does: most runs in a thread that stays, those that are about a process in one of their own.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** In a process of its own. */
  readonly alone?: boolean;
}

export function kubeseq(args: readonly string[], options: RunOptions = {}): Ran {
  // A table is bytes: one character each.
  const encoding = args.includes('parquet') && !args.includes('-w') ? 'latin1' : 'utf8';
  if (options.alone !== true && options.input === undefined && !isOfProcess(args)) {
    return ranInThread(args, { ...process.env, ...options.env }, encoding);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${ROOT}/bin/kubeseq.js`, ...args], {
    cwd: ROOT,
    input: options.input,
    env: { ...process.env, ...options.env },
    encoding,
    maxBuffer: 256 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

/** Runs a command in the thread. @param env all of its environment. */
export function ranInThread(args: readonly string[], env: NodeJS.ProcessEnv, encoding: BufferEncoding = 'utf8'): Ran {
  const { status, written } = inThread(args, env);
  const of = (output: Written['name']): Buffer => bytesOf(written.filter(({ name }) => name === output));
  return { status, stdout: of('stdout').toString(encoding), stderr: of('stderr').toString() };
}

/** What a terminal would show of a command in the thread: both outputs, as they came. */
export function shownBy(args: readonly string[], env: NodeJS.ProcessEnv): string {
  return bytesOf(inThread(args, env).written).toString();
}

function bytesOf(written: readonly Written[]): Buffer {
  return Buffer.concat(written.map(({ bytes }) => bytes));
}

export function isOfProcess(args: readonly string[]): boolean {
  return args.some((one) => OF_PROCESSES.has(one));
}

/** Commands and options that start others, wait, or read from standard input. */
const OF_PROCESSES: ReadonlySet<string> = new Set([
  ...['record', 'keys', 'doctor', 'view', 'mcp'],
  ...['-', '-i', '--interface', '--live', '--watch'],
]);

/** What a command wrote at once. */
interface Written {
  readonly name: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

interface RanInThread {
  readonly status: number;
  /** In order. */
  readonly written: readonly Written[];
}

interface CommandThread {
  /** 1 when the command has ended. */
  readonly done: Int32Array;
  readonly port: MessageChannel['port1'];
}

let thread: CommandThread | null = null;

function inThread(args: readonly string[], env: NodeJS.ProcessEnv): RanInThread {
  // A thread that never answers may have ended at its start; a command that hangs does so in the next one, too.
  const answer = answerOf(args, env, LONGEST / 2) ?? answerOf(args, env, LONGEST);
  if (answer === undefined) throw new Error(`kubeseq ${args.join(' ')} did not end`);
  return answer;
}

function answerOf(args: readonly string[], env: NodeJS.ProcessEnv, ms: number): RanInThread | undefined {
  thread ??= startThread();
  const { done, port } = thread;
  Atomics.store(done, 0, 0);
  port.postMessage({ args, env });
  const waited = Atomics.wait(done, 0, 0, ms);
  const answer = receiveMessageOnPort(port);
  if (waited !== 'timed-out' && answer !== undefined) return answer.message as RanInThread;
  thread = null;
  return undefined;
}

function startThread(): CommandThread {
  const done = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL('command-thread.js', import.meta.url), {
    workerData: { main: `${ROOT}/dist/cli/main.js`, done, port: port2 },
    transferList: [port2],
    execArgv: [],
  });
  worker.unref();
  return { done, port: port1 };
}

/** ms: longer than the limit of any test. */
const LONGEST = 300_000;
