// What node's AES-GCM alone takes for the longer records of a capture: those that kubeseq hands to it, taken there with their
// keys; then each is opened once for each copy, one thread, nothing else. Short ones it opens itself (src/tls/short-gcm.ts).
//
//   node scripts/bench/aes.js CAPTURE KEYLOG COPIES

import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** @typedef {{ name: string, key: Uint8Array, nonce: Uint8Array, options: object, tag: Uint8Array, aad: Uint8Array, text: Uint8Array }} Record */

const [capture, keyLog, copies] = process.argv.slice(2);
const records = await recordsOf(readFileSync(capture), readFileSync(keyLog, 'utf8'));
const bytes = records.reduce((sum, { text }) => sum + text.length, 0);
openAll();
const start = process.hrtime.bigint();
for (let n = 0; n < Number(copies); n++) openAll();
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
process.stdout.write(
  `${JSON.stringify({ seconds, records: records.length * Number(copies), bytes: bytes * Number(copies) })}\n`,
);

function openAll() {
  for (const { name, key, nonce, options, tag, aad, text } of records) {
    const decipher = crypto.createDecipheriv(name, key, nonce, options);
    decipher.setAuthTag(tag);
    decipher.setAAD(aad);
    decipher.update(text);
    decipher.final();
  }
}

/** @returns {Promise<Record[]>} those that verified. */
async function recordsOf(/** @type {Uint8Array} */ file, /** @type {string} */ keys) {
  const opened = /** @type {Record[]} */ ([]);
  const real = crypto.createDecipheriv;
  crypto.createDecipheriv = /** @type {typeof real} */ (
    (name, key, nonce, options) => {
      const decipher = real(name, key, nonce, options);
      if (!/gcm/i.test(name)) return decipher;
      const record = { name, key: copy(key), nonce: copy(nonce), options };
      const { setAuthTag, setAAD, update, final } = decipher;
      return Object.assign(decipher, {
        setAuthTag: (tag) => {
          record.tag = copy(tag);
          return setAuthTag.call(decipher, tag);
        },
        setAAD: (aad, given) => {
          record.aad = copy(aad);
          return setAAD.call(decipher, aad, given);
        },
        update: (text) => {
          record.text = copy(text);
          return update.call(decipher, text);
        },
        final: () => {
          const rest = final.call(decipher);
          opened.push(record);
          return rest;
        },
      });
    }
  );
  syncBuiltinESMExports();
  const { captureReader, Pipeline } = await import('../../dist/parts.js');
  const pipeline = new Pipeline({ keyLogs: [keys] });
  const reader = captureReader({ capture: 0 });
  for (const input of [...reader.feed(file), ...reader.end()]) pipeline.feed(input);
  pipeline.end();
  crypto.createDecipheriv = real;
  syncBuiltinESMExports();
  if (opened.length === 0) throw new Error('no record was opened');
  return opened;
}

function copy(/** @type {Uint8Array} */ bytes) {
  return Uint8Array.from(bytes);
}
