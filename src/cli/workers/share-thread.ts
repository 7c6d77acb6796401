// One of the threads of reader.ts that share the connections of a capture: their bytes come in, their exchanges go out.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  ConnectionWorker,
  ExchangePacker,
  ExchangeStage,
  type SpareBuffers,
  type StreamBatch,
  transferred,
} from '../../index.js';
import type { ReaderSays } from './reader.js';
import { Outbox } from './worker-channel.js';

const main = parentPort!;
const { port, keyLogs, isFirst } = workerData as {
  readonly port: MessagePort;
  readonly keyLogs: readonly string[];
  /** Says what is wrong with the key logs, which all of them read. */
  readonly isFirst: boolean;
};
const packer = new ExchangePacker();
const connections = new ExchangeStage({ keyLogs, omitKeyNotices: !isFirst, progress }, packer);
const share = new ConnectionWorker(connections, packer);
const out = new Outbox(main);
/** What came and was not read: it is read in its order, one at a time. */
let before = Promise.resolve();

port.on('message', (message: StreamBatch | 'over') => {
  before = before.then(() => (message === 'over' ? end() : feed(message)));
});

async function feed(batch: StreamBatch): Promise<void> {
  share.feed(batch);
  port.postMessage(batch.buffers satisfies SpareBuffers, transferred(batch.buffers));
  await send();
}

async function end(): Promise<void> {
  share.end();
  await send();
  main.postMessage({ kind: 'over' } satisfies ReaderSays);
}

async function send(): Promise<void> {
  const batch = packer.take(out.spare());
  await out.send({ kind: 'batch', batch } satisfies ReaderSays, transferred(batch.buffers));
}

function progress(work: number, limit: number): void {
  main.postMessage({ kind: 'progress', work, limit } satisfies ReaderSays);
}
