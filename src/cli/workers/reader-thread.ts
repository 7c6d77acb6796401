// Runs in the worker thread that reads files up to TCP streams, and sends these to the threads that share the
// connections.

import { createHash } from 'node:crypto';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  ExchangePacker,
  ExchangeStage,
  framesOf,
  type PipelineInput,
  StreamPacker,
  TcpStage,
  transferred,
} from '../../index.js';
import { CliError } from '../cli-error.js';
import { readCapture } from '../input/input.js';
import { capturesOf } from '../input/inputs.js';
import type { ReaderWork, WorkerMessage } from './reader.js';
import { Outbox } from './worker-channel.js';

const port = parentPort!;
const { work, ports } = workerData as { readonly work: ReaderWork; readonly ports: readonly MessagePort[] };
const { inputs, keyLogs } = work;
const newHash = work.digests ? () => createHash('md5') : undefined;
const toMain = new Outbox(port);
/** Bytes of all files. */
let read = 0;

void run();

async function run(): Promise<void> {
  try {
    const frames = await framesOf(capturesOf(inputs, counted, readCapture), work);
    if (frames === null) post({ kind: 'saved' });
    else {
      await (ports.length === 0 ? alone(frames) : shared(frames));
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    post({ kind: 'trouble', message: error.message });
  }
}

async function alone(frames: AsyncIterable<readonly PipelineInput[]>): Promise<void> {
  const packer = new ExchangePacker();
  const progress = (done: number, limit: number): void => post({ kind: 'progress', work: done, limit });
  const connections = new ExchangeStage({ keyLogs, progress }, packer);
  const streams = new TcpStage({ newHash }, connections);
  const send = async (): Promise<void> => {
    const batch = packer.take(toMain.spare());
    await toMain.send({ kind: 'batch', batch } satisfies WorkerMessage, transferred(batch.buffers));
  };
  for await (const batch of frames) {
    for (const input of batch) {
      streams.feed(input);
      if (packer.full) await send();
    }
    if (toMain.stopped) break;
  }
  streams.end();
  connections.end();
  if (!packer.empty) await send();
  post({ kind: 'end' });
}

async function shared(frames: AsyncIterable<readonly PipelineInput[]>): Promise<void> {
  const packer = new StreamPacker(ports.length);
  const streams = new TcpStage({ newHash }, packer);
  const shares = ports.map((one) => new Outbox(one));
  const send = async (): Promise<void> => {
    const batches = packer.take((listener) => shares[listener].spare());
    await Promise.all(batches.map((batch, i) => shares[i].send(batch, transferred(batch.buffers))));
  };
  for await (const batch of frames) {
    for (const input of batch) {
      streams.feed(input);
      if (packer.full) await send();
    }
    if (toMain.stopped) break;
  }
  streams.end();
  await send();
  for (const one of ports) one.postMessage('end');
}

function post(message: WorkerMessage): void {
  port.postMessage(message);
}

async function* counted(file: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of readCapture(file)) {
    read += chunk.length;
    post({ kind: 'read', bytes: read });
    yield chunk;
  }
}
