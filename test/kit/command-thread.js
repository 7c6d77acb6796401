// Runs the built command again and again in one thread, whose code stays compiled: a process of its own takes three times as long.
// What it does to process.stdout, process.stderr and the exit status is what a process would have done.

import { env, exitCode, stderr, stdout } from 'node:process';
import { workerData } from 'node:worker_threads';

/** @type {{ main: string, done: Int32Array, port: import('node:worker_threads').MessagePort }} */
const { main: path, done, port } = workerData;
const { main } = await import(path);
/** @type {{ name: 'stdout' | 'stderr', bytes: Uint8Array }[]} */
let written = [];
/** A command that calls process.exit goes on here. */
let isRunning = false;

for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
  const stream = { stdout, stderr }[name];
  stream.setMaxListeners(0);
  stream.write = (
    /** @type {string | Uint8Array} */ chunk,
    /** @type {BufferEncoding | (() => void) | undefined} */ encoding,
    /** @type {(() => void) | undefined} */ callback,
  ) => {
    written.push({ name, bytes: typeof chunk === 'string' ? Buffer.from(chunk) : Uint8Array.from(chunk) });
    const call = typeof encoding === 'function' ? encoding : callback;
    if (call !== undefined) queueMicrotask(call);
    return true;
  };
}
process.setMaxListeners(0);
process.exit = /** @type {typeof process.exit} */ ((code = exitCode) => finish(Number(code ?? 0)));
process.on('uncaughtException', (error) => {
  written.push({ name: 'stderr', bytes: Buffer.from(`${error.stack}\n`) });
  finish(1);
});

port.on('message', async (/** @type {{ args: string[], env: Record<string, string> }} */ asked) => {
  for (const name of Object.keys(env)) if (!(name in asked.env)) delete env[name];
  Object.assign(env, asked.env);
  written = [];
  isRunning = true;
  process.exitCode = undefined;
  stdout.removeAllListeners('error');
  await main([process.execPath, 'kubeseq', ...asked.args], () => {});
  finish(Number(process.exitCode ?? 0));
});

/** @param {number} status */
function finish(status) {
  if (!isRunning) return;
  isRunning = false;
  port.postMessage({ status, written });
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
}
