// Damages bytes: flips, cuts, repeats, words of the protocols at hand. Knows the words, not where they belong.

import type { Random } from './random.js';

/** One to eight changes, often few. The input stays as it is. */
export function mutateBytes(bytes: Uint8Array, random: Random, others: readonly Uint8Array[] = []): Uint8Array {
  let out: Uint8Array = bytes;
  for (let left = 1 + random.below(1 + random.below(8)); left > 0; left--)
    out = random.pick(CHANGES)(out, random, others);
  return out.length > LONGEST ? out.slice(0, LONGEST) : out;
}

/** Flips bytes, each with this chance. */
export function flipBytes(bytes: Uint8Array, random: Random, share: number): Uint8Array {
  const out = Uint8Array.from(bytes);
  for (let i = 0; i < out.length; i++) if (random.below(1e6) < share * 1e6) out[i] = random.below(256);
  return out;
}

type Change = (bytes: Uint8Array, random: Random, others: readonly Uint8Array[]) => Uint8Array;

const spliced = (bytes: Uint8Array, at: number, drop: number, insert: Uint8Array): Uint8Array => {
  const out = new Uint8Array(bytes.length - drop + insert.length);
  out.set(bytes.subarray(0, at));
  out.set(insert, at);
  out.set(bytes.subarray(at + drop), at + insert.length);
  return out;
};

const span = (bytes: Uint8Array, random: Random): [number, number] => {
  const at = random.below(bytes.length + 1);
  return [at, random.below(Math.min(bytes.length - at, 1 << random.below(10)) + 1)];
};

const CHANGES: readonly Change[] = [
  (bytes, random) => {
    if (bytes.length === 0) return bytes;
    const out = Uint8Array.from(bytes);
    out[random.below(out.length)] ^= 1 << random.below(8);
    return out;
  },
  (bytes, random) => {
    if (bytes.length === 0) return bytes;
    const out = Uint8Array.from(bytes);
    out[random.below(out.length)] = random.pick(EDGES);
    return out;
  },
  (bytes, random) => flipBytes(bytes, random, 0.02),
  (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  (bytes, random) => spliced(bytes, ...span(bytes, random), new Uint8Array(0)),
  (bytes, random) => {
    const [at, length] = span(bytes, random);
    return spliced(bytes, at, 0, bytes.slice(at, at + length));
  },
  (bytes, random) => spliced(bytes, random.below(bytes.length + 1), 0, random.pick(WORDS)),
  (bytes, random) => {
    const word = random.pick(WORDS);
    const at = random.below(bytes.length + 1);
    return spliced(bytes, at, Math.min(word.length, bytes.length - at), word);
  },
  (bytes, random) => {
    const out = Uint8Array.from(bytes);
    const at = random.below(Math.max(1, out.length - 4));
    for (let i = 0, value = random.pick(NUMBERS); i < 4 && at + i < out.length; i++)
      out[at + i] = value >>> (24 - 8 * i);
    return out;
  },
  (bytes, random, others) => {
    if (others.length === 0) return bytes;
    const other = random.pick(others);
    const [from, length] = span(other, random);
    const [at, drop] = span(bytes, random);
    return spliced(bytes, at, drop, other.slice(from, from + length));
  },
];

const EDGES = [0, 1, 0x0a, 0x0d, 0x20, 0x22, 0x5c, 0x7b, 0x7f, 0x80, 0xc0, 0xe2, 0xf0, 0xff];
const NUMBERS = [0, 1, 0xff, 0x100, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];
const TEXTS = [
  'GET / HTTP/1.1\r\n',
  'HEAD ',
  'CONNECT a:1 HTTP/1.1\r\n\r\n',
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 101 Switching Protocols\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 204 No Content\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Encoding: gzip, deflate\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  'Upgrade: SPDY/3.1\r\n',
  'Upgrade: h2c\r\n',
  'Content-Type: application/vnd.kubernetes.protobuf;stream=watch\r\n',
  'Content-Type: application/cbor\r\n',
  '\r\n\r\n',
  'fffffffffffffffff\r\n',
  '0\r\n\r\n',
  '?watch=true&',
  '%00',
  '%%{init:{}}%%',
  'end;#35;<script>',
  '\u202e\u200b\u001b[2J\u009b',
  '{"type":"ADDED","object":',
  '{"kind":"List","items":[',
  '[[[[[[[[',
  '{"a":{"a":',
  '"\\ud800',
  '1e999',
  '&a [*a,*a]',
  '__proto__',
  'constructor',
  'k8s\0',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
];
const HEX = [
  '000000040000000000', // SETTINGS
  '000000010500000001', // HEADERS, empty
  '00000001040000ffff',
  'ffffff000000000001', // DATA of 16 MiB
  '000000090400000001', // CONTINUATION
  '00000800000000000000000000000001', // PING
  '3fffffff7f', // table size
  '7fffffff7f',
  'ffffffffffffffffff01', // varint of 64 bits
  '160301020001',
  '1503030002',
  '1703034001',
  '0000000005',
  '0100000005',
  '1f8b0800000000000003',
  '818000000000', // WebSocket
  '8103800100010000', // SPDY
  'd9d9f7',
  '9f9f9f9fff',
  '0a0d0d0a',
  '0a0000001c000000',
];
const WORDS: readonly Uint8Array[] = [
  ...TEXTS.map((text) => new Uint8Array(Buffer.from(text, 'utf8'))),
  ...HEX.map((hex) => new Uint8Array(Buffer.from(hex, 'hex'))),
];
/** Bytes of an input: longer ones find nothing more and take longer. */
const LONGEST = 1 << 18;
