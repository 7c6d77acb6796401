// Multiplies a capture: the same packets again and again, each copy with its own addresses and later times, so that a
// small fixture becomes a long capture of many hosts, in a file.

import { closeSync, openSync, writeSync } from 'node:fs';
import { FILE_HEADER } from './packets.js';
import { inTurn } from './traffic.js';

/**
 * @param {Uint8Array} capture classic pcap.
 * @param {number} bytes how large the result has to be at least.
 * @param {string} path where it goes.
 * @param {Omit<import('./traffic.js').TrafficOptions, 'copies'>} [options]
 * @returns {{ copies: number, frames: number, bytes: number }}
 */
export function multiply(capture, bytes, path, options = {}) {
  const copies = Math.ceil(bytes / (capture.length - FILE_HEADER));
  return { copies, ...write(inTurn(capture, { ...options, copies }), path) };
}

/**
 * @param {Iterable<import('./traffic.js').Piece>} traffic
 * @param {string} path where it goes.
 * @returns {{ frames: number, bytes: number }}
 */
export function write(traffic, path) {
  const file = openSync(path, 'w');
  let frames = 0;
  let written = 0;
  for (const { bytes, packets } of traffic) {
    writeSync(file, bytes);
    frames += packets;
    written += bytes.length;
  }
  closeSync(file);
  return { frames, bytes: written };
}
