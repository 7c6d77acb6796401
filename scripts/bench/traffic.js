// A small capture becomes long traffic: the same packets again and again, each copy with addresses of its own. Copies come
// one after the other (a long time), or all at once (many connections open together). Made piece by piece, so that what is
// piped into a program is nowhere as a whole.

import { ACK, captureOf, FILE_HEADER, ipAt, PACKET_HEADER, tcpAt } from './packets.js';

/**
 * @typedef {object} TrafficOptions
 * @property {number} copies
 * @property {number} [first] number of the first copy: captures of other numbers are of other hosts.
 * @property {number} [hosts] after so many copies the same hosts come again.
 * @property {boolean} [objects] every copy has objects of its own: other uids in what can be read.
 * @property {string} [renamed] a name of objects, of at least four letters: every copy but the first has another one in its place.
 *
 * @typedef {{ bytes: Uint8Array, packets: number }} Piece of a classic pcap; valid until the next is asked for.
 */

/**
 * Copy after copy, each later than the one before.
 * @param {Uint8Array} bytes classic pcap.
 * @param {TrafficOptions} options
 * @returns {Generator<Piece>}
 */
export function* inTurn(bytes, { copies, first = 0, hosts = HOSTS, objects = false, renamed = '' }) {
  const capture = captureOf(bytes);
  const uids = objects ? placesOf(UID, bytes) : [];
  const names = renamed === '' ? [] : placesOf(new RegExp(renamed, 'g'), bytes);
  const tcps = capture.packets.flatMap((at) => tcpAt(capture, at) ?? []);
  const copy = new Uint8Array(bytes);
  const view = new DataView(copy.buffer);
  yield { bytes: bytes.subarray(0, FILE_HEADER), packets: 0 };
  for (let n = 0; n < copies; n++) {
    for (const at of capture.packets) {
      view.setUint32(at, capture.view.getUint32(at, capture.little) + n * capture.seconds, capture.little);
      renumber(copy, ipAt(capture, at), (first + n) % hosts);
    }
    // The same SYN again would be a retransmission.
    if (n >= hosts && n % hosts === 0) for (const at of tcps) resequence(copy, at, 1);
    for (const at of uids) writeHex(copy, at, n);
    for (const at of names) if (n > 0) writeDigits(copy, at, n, renamed.length);
    yield { bytes: copy.subarray(FILE_HEADER), packets: capture.packets.length };
  }
}

/**
 * All copies at once: the first packet of each, the second of each, …
 * @param {Uint8Array} bytes classic pcap.
 * @param {TrafficOptions} options
 * @returns {Generator<Piece>}
 */
export function* atOnce(bytes, { copies, first = 0 }) {
  const capture = captureOf(bytes);
  yield { bytes: bytes.subarray(0, FILE_HEADER), packets: 0 };
  for (const at of capture.packets) {
    const length = PACKET_HEADER + capture.view.getUint32(at + 8, capture.little);
    const tcp = tcpAt(capture, at);
    const piece = new Uint8Array(copies * length);
    for (let n = 0; n < copies; n++) {
      piece.set(bytes.subarray(at, at + length), n * length);
      renumber(piece, n * length + ipAt(capture, at) - at, first + n);
      if (tcp !== null) resequence(piece, n * length + tcp - at, n);
    }
    yield { bytes: piece, packets: copies };
  }
}

/**
 * Gives both addresses of a packet the number of its copy: bytes two and three of IPv4, six and seven of IPv6.
 * @param {Uint8Array} bytes
 * @param {number} ip where its IP header begins.
 * @param {number} n
 */
function renumber(bytes, ip, n) {
  const version = bytes[ip] >> 4;
  const places = version === 4 ? [ip + 13, ip + 17] : version === 6 ? [ip + 14, ip + 30] : [];
  for (const place of places) {
    bytes[place] = n >> 8;
    bytes[place + 1] = n & 0xff;
  }
}

/**
 * Moves sequence numbers by `n` steps: connections with the same numbers at the same time are one, before and behind address
 * translation.
 * @param {Uint8Array} bytes
 * @param {number} tcp where its TCP header begins.
 * @param {number} n
 */
function resequence(bytes, tcp, n) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + tcp);
  view.setUint32(4, view.getUint32(4) + n * GOLDEN);
  if ((bytes[tcp + 13] & ACK) !== 0) view.setUint32(8, view.getUint32(8) + n * GOLDEN);
}

/** @param {RegExp} pattern @param {Uint8Array} bytes @returns {number[]} offsets, in JSON and protobuf alike. */
function placesOf(pattern, bytes) {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return Array.from(text.matchAll(pattern), ({ index }) => index);
}

/** @param {Uint8Array} bytes */
function writeHex(bytes, /** @type {number} */ at, /** @type {number} */ n) {
  for (let i = 0; i < 6; i++) bytes[at + i] = HEX.charCodeAt((n >>> (20 - 4 * i)) & 0x0f);
}

/** A number in letters and digits, behind the first letter of a name. @param {Uint8Array} bytes */
function writeDigits(bytes, /** @type {number} */ at, /** @type {number} */ n, /** @type {number} */ length) {
  const digits = n.toString(36).padStart(length - 1, '0');
  for (let i = 0; i < digits.length; i++) bytes[at + 1 + i] = digits.charCodeAt(i);
}

/** Sequence numbers of copies, spread evenly (Knuth's multiplicative hashing). */
const GOLDEN = 0x9e3779b1;
/** Two bytes of each address. */
const HOSTS = 0x10000;
/** Version 4, as the API server makes them. */
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const HEX = '0123456789abcdef';
