// Runs in a worker thread that decodes its share of the connections.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  ConnectionWorker,
  ExchangePacker,
  ExchangeStage,
  type SpareBuffers,
  type StreamBatch,
  transferred,
} from '../../index.js';
import type { WorkerMessage } from './reader.js';
import { Outbox } from './worker-channel.js';

const main = parentPort!;
const { port, keyLogs, isFirst } = workerData as {
  readonly port: MessagePort;
  readonly keyLogs: readonly string[];
  /** This thread reports problems in key logs, which all threads read. */
  readonly isFirst: boolean;
};
const packer = new ExchangePacker();
const connections = new ExchangeStage({ keyLogs, omitKeyNotices: !isFirst, progress }, packer);
const share = new ConnectionWorker(connections, packer);
const out = new Outbox(main);
/** Received batches, processed in order. */
let before = Promise.resolve();

port.on('message', (message: StreamBatch | 'end') => {
  before = before.then(() => (message === 'end' ? end() : feed(message)));
});

async function feed(batch: StreamBatch): Promise<void> {
  share.feed(batch);
  port.postMessage(batch.buffers satisfies SpareBuffers, transferred(batch.buffers));
  await send();
}

async function end(): Promise<void> {
  share.end();
  await send();
  main.postMessage({ kind: 'end' } satisfies WorkerMessage);
}

async function send(): Promise<void> {
  const batch = packer.take(out.spare());
  await out.send({ kind: 'batch', batch } satisfies WorkerMessage, transferred(batch.buffers));
}

function progress(work: number, limit: number): void {
  main.postMessage({ kind: 'progress', work, limit } satisfies WorkerMessage);
}
