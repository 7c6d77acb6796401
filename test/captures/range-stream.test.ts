// Reads of etcd 3.7 that come in pieces, held against what tshark and Python make of the same capture.

import { expect, it } from 'vitest';
import { observedTogether } from '../kit/diagrams.js';
import { fixtureLines } from '../kit/fixtures.js';

interface Piece {
  readonly port: number;
  readonly stream: number;
  readonly frame: number;
  readonly keys: number;
  readonly revision: number | null;
  readonly count: number | null;
}

const TRUTH = fixtureLines<Piece>('range-stream-tls/truth.jsonl');
const { messages, notices } = await observedTogether(['range-stream-tls/capture.pcap'], 'range-stream-tls/keys.log');

function words({ keys, revision, count }: Piece): string {
  const all = revision === null ? '' : `, revision ${revision} (${count} in all)`;
  return `[RPC-CHUNK] ${keys} ${keys === 1 ? 'key' : 'keys'}${all}`;
}

it('emits each piece with its keys, and their number with the last', () => {
  const pieces = messages.filter((one) => one.kind === 'data' && one.rpcMethod === 'RangeStream' && one.bytes !== 0);
  expect(TRUTH.length).toBeGreaterThan(10);
  expect(pieces.map((one) => [one.connection, one.stream, one.frames[1], one.label])).toEqual(
    TRUTH.map((piece) => [`192.0.2.11:${piece.port}-192.0.2.11:2379`, piece.stream, piece.frame, words(piece)]),
  );
  expect(notices.filter(({ code }) => code.startsWith('kubernetes.'))).toEqual([]);
});

it('shows what is read, and that it ends well', () => {
  const asked = messages.filter((one) => one.kind === 'request' && one.rpcMethod === 'RangeStream');
  expect(new Set(asked.map(({ key }) => key?.split('/')[1]))).toEqual(new Set(['registry']));
  const ends = messages.filter((one) => one.rpcMethod === 'RangeStream' && one.bytes === 0);
  expect(ends.map(({ grpcStatus }) => grpcStatus)).toEqual(asked.map(() => 0));
});
