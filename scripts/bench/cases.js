// What is measured: three captures made of fixtures, the command of tshark that reads as much of them as a table of requests
// needs, and the speed that kubeseq is to have beside it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { filtered } from './packets.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @typedef {object} Case
 * @property {string} name for `--only`.
 * @property {string} title
 * @property {string} fixture folder in fixtures/.
 * @property {number} port of the server whose packets are kept; of all where there are no others.
 * @property {boolean} keys a key log is beside it.
 * @property {boolean} [gopacket] the program in gopacket/ reads it.
 * @property {(file: string, keys: string) => string[]} tshark its arguments.
 */

/** @type {readonly Case[]} */
export const CASES = [
  {
    name: 'plain',
    title: 'HTTP/1.1',
    fixture: 'run-nginx-http1',
    port: 8080,
    keys: false,
    gopacket: true,
    tshark: (file) => [
      ...['-r', file, '-d', 'tcp.port==8080,http', '-Y', 'http.request'],
      ...['-T', 'fields', '-e', 'http.request.uri'],
    ],
  },
  {
    name: 'tls',
    title: 'TLS, HTTP/2',
    fixture: 'run-nginx-tls',
    port: 6443,
    keys: true,
    tshark: (file, keys) => [
      ...['-r', file, '-o', `tls.keylog_file:${keys}`, '-d', 'tcp.port==6443,tls', '-Y', 'http2.header'],
      ...['-T', 'fields', '-e', 'http2.headers.path'],
    ],
  },
  {
    name: 'etcd',
    title: 'etcd, gRPC',
    fixture: 'boot-etcd-tls',
    port: 2379,
    keys: false,
    tshark: (file) => [
      ...['-r', file, '-d', 'tcp.port==2379,http2', '-Y', 'http2.header'],
      ...['-T', 'fields', '-e', 'http2.headers.path'],
    ],
  },
];

/** @param {Case} one @returns {Uint8Array} classic pcap. */
export function captureOfCase({ fixture: folder, port }) {
  return filtered(fixture(`${folder}/capture.pcap`), (source, destination) => source === port || destination === port);
}

/** @param {string} name of a gzipped file in fixtures/, without its ending. @returns {Uint8Array} */
export function fixture(name) {
  return gunzipSync(readFileSync(join(ROOT, 'fixtures', `${name}.gz`)));
}
