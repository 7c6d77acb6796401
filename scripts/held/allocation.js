// Prints how many bytes of V8's heap and of array buffers are allocated for each message of a capture, in its second reading, when all code
// is compiled. It needs one thread and fixed seeds, so that V8 optimizes, and so allocates, the same in each run:
//
//   node --single-threaded --hash-seed=1 --random-seed=1 --min-semi-space-size=512 --max-semi-space-size=512 \
//     scripts/held/allocation.js CAPTURE.gz [KEYLOG.gz]

import { readFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { messageLine, observe } from '../../dist/parts.js';

/** Bytes, as files are read. */
const PIECE = 65_536;
const [capture, keyLog] = process.argv.slice(2).map((path) => gunzipSync(readFileSync(path)));
const keyLogs = keyLog === undefined ? [] : [keyLog.toString('latin1')];

await allocated();
process.stdout.write(`${await allocated()}\n`);

/** What was allocated between two batches is how much more is in use; a collection in between, of which there are few, hides one step. */
async function allocated() {
  let messages = 0;
  let bytes = 0;
  let before = inUse();
  for await (const batch of observe([pieces()], { keyLogs, lives: false })) {
    for (const item of batch) {
      if (item.kind !== 'message') continue;
      messages += 1;
      messageLine(item.message, { digits: () => 6 });
    }
    const now = inUse();
    if (now > before) bytes += now - before;
    before = now;
  }
  return Math.round(bytes / messages);
}

function inUse() {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

async function* pieces() {
  for (let at = 0; at < capture.length; at += PIECE) yield capture.subarray(at, at + PIECE);
}
