// One run of stages.js, in a process of its own: reads a capture, does what one part of the pipeline does and all before it,
// throws away what comes out, and prints how long it took in s, without the start of the process.
//
//   node scripts/bench/part.js PART FILE KEYLOG

import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { captureReader, ExchangeStage, LineBuffer, MessageStage, TcpStage, writeMessage } from '../../dist/parts.js';

/** As the command reads. */
const CHUNK = 256 * 1024;

/** @type {any} */
const nobody = { item() {}, watermark() {}, idleUntil: 2n ** 62n };
const [part, path, keys] = process.argv.slice(2);
const keyLogs = [readFileSync(keys, 'utf8')];
const file = openSync(path, 'r');
const start = performance.now();
const take = taker();
const reader = captureReader({ capture: 0 });
const buffer = new Uint8Array(CHUNK);
take([{ kind: 'no-secrets' }]);
for (let n = readSync(file, buffer); n > 0; n = readSync(file, buffer)) take(reader.feed(buffer.subarray(0, n)));
closeSync(file);
process.stdout.write(`${(performance.now() - start) / 1000}\n`);

/** @returns {(items: readonly any[]) => void} what is done with what a chunk gave. */
function taker() {
  if (part === 'captureReader') return () => {};
  if (part === 'TcpStage') return each(new TcpStage({}, nobody));
  if (part === 'ExchangeStage') return each(new TcpStage({}, new ExchangeStage({ keyLogs }, nobody)));
  const pipeline = new MessageStage({ keyLogs });
  const lines = part === 'writeMessage' ? new LineBuffer(CHUNK) : null;
  return (items) => {
    for (const item of items) pipeline.push(item);
    const made = pipeline.drain();
    if (lines === null) return;
    for (const item of made) if (item.kind === 'message') writeMessage(lines, item.message, { digits: () => 6 });
    lines.take();
  };
}

/** @param {TcpStage} streams @returns {(items: readonly any[]) => void} */
function each(streams) {
  return (items) => {
    for (const item of items) streams.feed(item);
  };
}
