// Work of kubeseq's kind that never changes: packets read, their bytes copied and looked up by address, text decoded, JSON
// parsed and written; with `aes`, a record opened for each packet. What it takes says how fast the machine is just now.
//
//   node scripts/bench/yardstick.js CAPTURE [aes]

import { createCipheriv, createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { captureOf, ipAt, PACKET_HEADER } from './packets.js';

const [file, aes] = process.argv.slice(2);
const capture = captureOf(readFileSync(file));
const { bytes, view, little } = capture;
const key = Buffer.alloc(16, 1);
const nonce = Buffer.alloc(12, 2);
const cipher = createCipheriv('aes-128-gcm', key, nonce);
const sealed = Buffer.concat([cipher.update(Buffer.alloc(400, 3)), cipher.final()]);
const tag = cipher.getAuthTag();

/** @type {Map<string, { packets: number, last: bigint, kept: Uint8Array }>} */
const flows = new Map();
let written = 0;
capture.packets.forEach((at, i) => {
  const ip = ipAt(capture, at);
  const length = view.getUint32(at + 8, little);
  const name = `${bytes.subarray(ip + 12, ip + 16).join('.')}-${bytes.subarray(ip + 16, ip + 20).join('.')}`;
  const flow = flows.get(name) ?? { packets: 0, last: 0n, kept: new Uint8Array(0) };
  flow.packets += 1;
  flow.last = BigInt(view.getUint32(at, little)) * 1_000_000_000n + BigInt(i);
  flow.kept = Uint8Array.from(bytes.subarray(at + PACKET_HEADER, at + PACKET_HEADER + length));
  flows.set(name, flow);
  const text = Buffer.from(flow.kept.buffer).toString('latin1');
  const line = JSON.stringify({ name, time: String(flow.last), length, words: text.slice(0, 400).split(' ') });
  written += JSON.parse(line).words.length;
  if (aes === 'aes') openRecord();
});
process.stdout.write(`${written}\n`);

function openRecord() {
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(tag);
  decipher.update(sealed);
  decipher.final();
}
