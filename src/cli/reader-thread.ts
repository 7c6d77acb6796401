// The second thread of reader.ts: reads files up to the bytes of connections and sends them in batches, a few ahead of
// whoever reads them.

import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { framesOf, type SpareBuffers, StreamPacker, Streams } from '../index.js';
import { readCapture } from './input.js';
import { capturesOf } from './inputs.js';
import type { ReaderHears, ReaderSays, ReaderWork } from './reader.js';
import { Trouble } from './trouble.js';

/** Batches that were sent and not read yet: enough that neither thread waits for the other's collections. */
const MAX_AHEAD = 8;

const port = parentPort!;
const { inputs, shifts, keyLogs, digests } = workerData as ReaderWork;
const spare: SpareBuffers[] = [];
let ahead = 0;
let stopped = false;
/** Bytes of all files. */
let read = 0;
let goOn = (): void => {};

port.on('message', (message: ReaderHears) => {
  if (message === 'stop') stopped = true;
  else {
    spare.push(message);
    ahead -= 1;
  }
  goOn();
});

try {
  say({ kind: (await readAll()) ? 'over' : 'saved' });
} catch (error) {
  if (!(error instanceof Trouble)) throw error;
  say({ kind: 'trouble', message: error.message });
}

/** @returns false, and nothing was read, where one of the files holds saved messages. */
async function readAll(): Promise<boolean> {
  const frames = await framesOf(capturesOf(inputs, counted), shifts);
  if (frames === null) return false;
  const packer = new StreamPacker();
  const streams = new Streams(
    {
      keyLogs,
      newHash: digests ? () => createHash('md5') : undefined,
      progress: (work, limit) => say({ kind: 'progress', work, limit }),
    },
    packer,
  );
  const send = async (): Promise<void> => {
    const batch = packer.take(spare.pop());
    port.postMessage({ kind: 'batch', batch, read } satisfies ReaderSays, [batch.records, batch.bytes]);
    ahead += 1;
    while (ahead > MAX_AHEAD && !stopped) {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    }
  };
  for await (const inputs of frames) {
    for (const input of inputs) {
      streams.feed(input);
      if (packer.full) await send();
    }
    if (stopped) break;
  }
  streams.end();
  if (!packer.empty) await send();
  return true;
}

async function* counted(file: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of readCapture(file)) {
    read += chunk.length;
    yield chunk;
  }
}

function say(message: ReaderSays): void {
  port.postMessage(message);
}
