// Followed logs in pieces of a byte: what stands in one frame is one message, so that a capture costs by its frames. RUNS=full: 8 million.

import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-log-pieces-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
const PIECES = process.env['RUNS'] === 'full' ? 8_000_000 : 240_000;
const A_FRAME = 240;

/** A capture of raw IPv4 (link type 101): `follow=true` over HTTP/1.1, a chunk for each byte. */
function logsCapture(path: string, pieces: number): void {
  const file = openSync(path, 'w');
  const head = Buffer.alloc(24);
  head.writeUInt32LE(0xa1b2c3d4, 0);
  head.writeUInt16LE(2, 4);
  head.writeUInt16LE(4, 6);
  head.writeUInt32LE(262_144, 16);
  head.writeUInt32LE(101, 20);
  writeSync(file, head);
  let [micros, client, server] = [0, 1000, 5000];
  const packet = (isClient: boolean, flags: number, text = ''): void => {
    const payload = Buffer.from(text);
    const headers = Buffer.alloc(16 + 40);
    headers.writeUInt32LE(1_700_000_000 + Math.floor(micros / 1e6), 0);
    headers.writeUInt32LE(micros % 1e6, 4);
    headers.writeUInt32LE(40 + payload.length, 8);
    headers.writeUInt32LE(40 + payload.length, 12);
    const ip = headers.subarray(16);
    ip[0] = 0x45;
    ip.writeUInt16BE(40 + payload.length, 2);
    ip.set([64, 6], 8);
    ip.set(isClient ? [10, 0, 0, 1, 10, 0, 0, 2] : [10, 0, 0, 2, 10, 0, 0, 1], 12);
    ip.writeUInt16BE(isClient ? 40_000 : 6443, 20);
    ip.writeUInt16BE(isClient ? 6443 : 40_000, 22);
    ip.writeUInt32BE(isClient ? client : server, 24);
    ip.writeUInt32BE(isClient ? server : client, 28);
    ip.set([0x50, flags, 0xff, 0xff], 32);
    writeSync(file, Buffer.concat([headers, payload]));
    micros += 100;
    const length = payload.length + ((flags & 2) === 0 ? 0 : 1);
    if (isClient) client += length;
    else server += length;
  };
  packet(true, 0x02);
  packet(false, 0x12);
  packet(true, 0x10);
  packet(true, 0x18, 'GET /api/v1/namespaces/default/pods/web/log?follow=true HTTP/1.1\r\nHost: 10.0.0.2:6443\r\n\r\n');
  packet(false, 0x18, 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n');
  for (let at = 0; at < pieces; at += A_FRAME) packet(false, 0x18, '1\r\nx\r\n'.repeat(A_FRAME));
  packet(false, 0x18, '0\r\n\r\n');
  closeSync(file);
}

it('has one message for the pieces of a frame, with their bytes', () => {
  const path = join(FOLDER, 'few.pcap');
  logsCapture(path, 10 * A_FRAME);
  const { stdout } = kubeseq(['messages', '-o', 'ndjson', '-q', path]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; channel?: string; bytes?: number; frames: number[] });
  const data = lines.filter(({ kind }) => kind === 'data');
  expect(data.map(({ channel, bytes, frames }) => [channel, bytes, ...frames])).toEqual(
    // Five frames are before the first piece.
    Array.from({ length: 10 }, (_, i) => ['log', A_FRAME, 6 + i, 6 + i]),
  );
});

it('draws them within 300 MB of heap', { timeout: 120_000 }, () => {
  const path = join(FOLDER, 'many.pcap');
  logsCapture(path, PIECES);
  // Each piece as a message of its own takes 1.5 KB.
  const heap = PIECES > 1e6 ? 300 : 100;
  const { status, stdout } = kubeseq(['diagram', '-q', path], {
    env: { NODE_OPTIONS: `--max-old-space-size=${heap}` },
  });
  expect(status).toBe(0);
  expect(stdout).toContain(`loop ${Math.ceil(PIECES / A_FRAME)} times`);
});
