// Bodies that were compressed on their way (RFC 9112, section 7): read like those whose content was.

import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { concat } from '../../src/core/bytes/bytes.js';
import { observed } from '../kit/observed.js';
import { bytesOf, conversation, packets, pcap } from '../kit/packetiser.js';

const PODS = JSON.stringify({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '712' },
  items: [],
});
const EVENTS = ['ADDED', 'MODIFIED'].map((type, i) => {
  const metadata = { name: 'web', namespace: 'default', uid: 'u', resourceVersion: `${713 + i}` };
  return `${JSON.stringify({ type, object: { kind: 'Pod', apiVersion: 'v1', metadata } })}\n`;
});

/** An answer with a piece a chunk. */
function answer(coding: string, pieces: readonly Uint8Array[]): Uint8Array {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
  const chunks = pieces.flatMap((piece) => [bytesOf(`${piece.length.toString(16)}\r\n`), piece, bytesOf('\r\n')]);
  return concat([bytesOf(head), ...chunks, bytesOf('0\r\n\r\n')]);
}

const said = async (target: string, body: Uint8Array) => {
  const bytes = `GET ${target} HTTP/1.1\r\nHost: k\r\n\r\n`;
  const sent = conversation([
    { from: 'client', bytes },
    { from: 'server', bytes: body },
  ]);
  const { messages, notices } = await observed([pcap(packets(sent))]);
  expect(notices).toEqual([]);
  return messages.slice(1).map(({ label, object, complete }) => [label, object?.resourceVersion, complete]);
};

it.each(['gzip, chunked', 'x-gzip,chunked', 'gzip\r\nTransfer-Encoding: chunked'])('a list: %j', async (coding) => {
  const body = answer(coding, [gzipSync(PODS)]);
  expect(await said('/api/v1/pods', body)).toEqual([['[RESP] 200 OK', '712', true]]);
});

it('a watch, each event in a gzip member and chunk of its own', async () => {
  const body = answer(
    'gzip, chunked',
    EVENTS.map((event) => gzipSync(event)),
  );
  expect(await said('/api/v1/pods?watch=true', body)).toEqual([
    ['[RESP] 200 OK, chunked, wait for chunks...', undefined, true],
    ['[RESP-CHUNK] Pod ADDED - web', '713', true],
    ['[RESP-CHUNK] Pod MODIFIED - web', '714', true],
    // A server closes a watch after 30 minutes at the soonest.
    ['[END] ended early: last chunk after 2.0 ms', undefined, true],
  ]);
});
