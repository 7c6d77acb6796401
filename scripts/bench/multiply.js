// Multiplies a capture: the same packets again and again, each copy with its own addresses and later times, so that a
// small fixture becomes a long capture of many hosts. Knows classic pcap with Ethernet or cooked headers and IP.

import { closeSync, openSync, writeSync } from 'node:fs';

/**
 * @param {Uint8Array} capture classic pcap.
 * @param {number} bytes how large the result has to be at least.
 * @param {string} path where it goes.
 * @param {number} [first] number of the first copy: captures of other numbers are of other hosts.
 * @returns {{ copies: number, frames: number, bytes: number }}
 */
export function multiply(capture, bytes, path, first = 0) {
  const view = new DataView(capture.buffer, capture.byteOffset, capture.byteLength);
  const little = [0xa1b2c3d4, 0xa1b23c4d].includes(view.getUint32(0, true));
  const linkType = view.getUint32(20, little) & 0xffff;
  const packets = packetsOf(view, little);
  const seconds = view.getUint32(packets[packets.length - 1], little) - view.getUint32(packets[0], little) + 1;
  const body = new Uint8Array(capture.subarray(24));
  const copy = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const copies = Math.ceil(bytes / body.length);
  const file = openSync(path, 'w');
  writeSync(file, capture.subarray(0, 24));
  for (let n = 0; n < copies; n++) {
    for (const at of packets) {
      const time = view.getUint32(at, little) + n * seconds;
      copy.setUint32(at - 24, time, little);
      renumber(body, at - 24 + 16, linkType, first + n);
    }
    writeSync(file, body);
  }
  closeSync(file);
  return { copies, frames: copies * packets.length, bytes: 24 + copies * body.length };
}

/**
 * @param {DataView} view
 * @param {boolean} little
 */
function packetsOf(view, little) {
  const packets = [];
  for (let at = 24; at + 16 <= view.byteLength; at += 16 + view.getUint32(at + 8, little)) packets.push(at);
  return packets;
}

/**
 * Gives both addresses of a packet the number of its copy: bytes two and three of IPv4, six and seven of IPv6.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} linkType
 * @param {number} n
 */
function renumber(bytes, at, linkType, n) {
  const ip = at + (LINK_HEADERS[linkType] ?? 14);
  const version = bytes[ip] >> 4;
  const places = version === 4 ? [ip + 13, ip + 17] : version === 6 ? [ip + 14, ip + 30] : [];
  for (const place of places) {
    bytes[place] = n >> 8;
    bytes[place + 1] = n & 0xff;
  }
}

/** Bytes before the IP header: Ethernet, LINUX_SLL, LINUX_SLL2. @type {Record<number, number>} */
const LINK_HEADERS = { 1: 14, 113: 16, 276: 20 };
