// What tshark and independent parsers make of Docker's engine API, of what kubectl streams, of etcd's reads in pieces and of patches.

import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { summaryOf } from '../kit/summaries.js';
import { HAS_TSHARK, tsharkFollow } from '../kit/tshark.js';
import { observeWhole } from '../kit/whole-fixtures.js';

interface Truth {
  readonly kind: string;
  readonly tcp: string;
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly userAgent: string;
  readonly requestFrame: number;
  readonly responseFrame: number;
  readonly client: number;
  readonly server: number;
  readonly clientMd5: string;
  readonly serverMd5: string;
}

const sorted = (rows: readonly (readonly unknown[])[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

/** The bytes of the one layer are not in the fixture (fixtures/docker-engine-api/README.md). */
describe('docker-engine-api', async () => {
  const { messages } = await observeWhole('docker-engine-api');
  const truth = fixtureLines<Truth>('docker-engine-api/capture.truth.jsonl');
  /** As the manifest has it, and the engine's own report of the pull. */
  const LAYER_BYTES = 5_092_757;
  const LAYER = '192.0.2.12:38158-192.0.2.10:5000';

  it('every request to the engine and to the registry equals the truth, and no other is there', () => {
    const answers = new Map(messages.filter(({ kind }) => kind === 'response').map((one) => [one.exchange, one]));
    const mine = messages
      .filter(({ kind }) => kind === 'request')
      .map(({ connection, protocol, method, target, userAgent, frames, exchange }) => {
        const answer = answers.get(exchange);
        return [connection, protocol, method, target, userAgent, frames[0], answer?.status, answer?.frames[0]];
      });
    const theirs = truth
      .filter(({ kind }) => kind === 'request')
      .map(({ tcp, method, target, userAgent, requestFrame, status, responseFrame }) => {
        const protocol = tcp.endsWith(':5000') ? 'registry' : 'docker';
        return [tcp, protocol, method, target, userAgent, requestFrame, status, responseFrame];
      });
    expect(theirs).toHaveLength(27);
    expect(sorted(mine)).toEqual(sorted(theirs));
  });

  it('has the bytes and the MD5 of every connection; of the layer what the fixture has', async () => {
    const { streams = [] } = await summaryOf('docker-engine-api/capture.pcap');
    const row = (tcp: string, client: unknown[], server: unknown[]) => [
      tcp,
      ...client,
      ...(tcp === LAYER ? [] : server),
    ];
    const theirs = truth
      .filter(({ kind }) => kind === 'stream-bytes')
      .map((one) => row(one.tcp, [one.client, one.clientMd5], [one.server, one.serverMd5]));
    expect(theirs).toHaveLength(15);
    expect(
      sorted(
        streams.map(({ connection, bytes, md5 }) =>
          row(connection, [bytes.client, md5.client], [bytes.server, md5.server]),
        ),
      ),
    ).toEqual(sorted(theirs));
  });

  it.skipIf(!HAS_TSHARK)('shows the steps of the pull that tshark has', () => {
    const said = tsharkFollow(fixture('docker-engine-api/capture.pcap'), 0)
      .split('\n')
      .filter((line) => line.startsWith('{"'))
      .map((line) => JSON.parse(line) as { status: string; id?: string; progressDetail?: { current?: number } });
    const told = messages.filter((one) => one.kind === 'data' && one.connection.endsWith(':37012-127.0.0.1:2375'));
    expect(said).toHaveLength(13);
    expect(told.map(({ label }) => label)).toEqual(
      said.map(({ status, id, progressDetail }) =>
        [
          `[DATA] ${status}`,
          ...(id === undefined ? [] : [` ${id}`]),
          ...(progressDetail?.current === undefined ? [] : [`, ${progressDetail.current} of ${LAYER_BYTES} bytes`]),
        ].join(''),
      ),
    );
  });
});

/** Exec, logs and port-forward, whose figures an independent parser of WebSocket and SPDY took from tshark's decrypted streams. */
describe('what is streamed', () => {
  const STREAMS = /\/(?:exec|attach|portforward|log|containerLogs|portForward)(?:[/?]|$)/;

  /** `client stdin 6`, with the exit code. */
  function streamed(messages: readonly Message[], request: Message): string {
    const sizes = new Map<string, number>();
    const codes: string[] = [];
    for (const one of messages) {
      if (one.exchange !== request.exchange || one.kind !== 'data') continue;
      const key = `${one.from === request.from ? 'client' : 'server'} ${one.channel}`;
      sizes.set(key, (sizes.get(key) ?? 0) + (one.bytes ?? 0));
      if (one.exitCode !== undefined) codes.push(`exit code ${one.exitCode}`);
    }
    return [...[...sizes].map(([key, size]) => `${key} ${size}`), ...codes].join(', ');
  }

  it.each([
    ['logs', 0, ''],
    ['exec ls /etc', 1, 'server stdout 46, server error 34, exit code 0'],
    ['logs -f', 2, 'server log 85'],
    [
      'exec, status 3',
      3,
      'server stderr 5, server error 212, exit code 3',
      'server stderr 5, server error 253, exit code 3',
    ],
    ['exec cat', 4, 'client stdin 6, server stdout 6, server error 34, exit code 0'],
    ['exec id over SPDY', 5, 'server stdout 39, server error 34, exit code 0'],
    ['port-forward', 6, 'client data 79, server data 262'],
  ])('%s: sizes by channel and exit code, on both hops', async (_, i, asked, then = asked) => {
    const { messages } = await observeWhole('exec-logs-portforward-tls');
    const requests = messages.filter(({ kind, target }) => kind === 'request' && STREAMS.test(target ?? ''));
    const [first, second] = ['kubernetes', 'kubelet'].map((door) =>
      requests.filter(({ protocol }) => protocol === door),
    );
    expect([first.length, second.length]).toEqual([7, 7]);
    const hop = second.find(({ causedBy }) => causedBy === first[i].seq)!;
    expect([streamed(messages, first[i]), streamed(messages, hop)]).toEqual([asked, then]);
    expect([hop.from.name, hop.to.name]).toEqual(['kube-apiserver', 'kubelet (node-1)']);
  });

  it("Docker's hijacked connection: 51 bytes of stdout behind a header of 8", async () => {
    const { messages } = await observeWhole('docker-engine-api');
    const started = messages.filter(
      ({ kind, target }) => kind === 'request' && /\/exec\/\w+\/start$/.test(target ?? ''),
    );
    expect(started.map((one) => streamed(messages, one))).toEqual(['server stdout 51']);
  });
});

/** Reads of etcd 3.7 that come in pieces, held against what tshark and Python make of the same capture. */
it('range-stream-tls: each piece with its keys, and their number with the last; each read ends well', async () => {
  interface Piece {
    readonly port: number;
    readonly stream: number;
    readonly frame: number;
    readonly keys: number;
    readonly revision: number | null;
    readonly count: number | null;
  }
  const words = ({ keys, revision, count }: Piece): string =>
    `[RPC-CHUNK] ${keys} ${keys === 1 ? 'key' : 'keys'}${revision === null ? '' : `, revision ${revision} (${count} in all)`}`;
  const { messages } = await observeWhole('range-stream-tls');
  const truth = fixtureLines<Piece>('range-stream-tls/truth.jsonl');
  const reads = messages.filter((one) => one.rpcMethod === 'RangeStream');
  expect(truth.length).toBeGreaterThan(10);
  const pieces = reads.filter(({ kind, bytes }) => kind === 'data' && bytes !== 0);
  expect(pieces.map((one) => [one.connection, one.stream, one.frames[1], one.label])).toEqual(
    truth.map((piece) => [`192.0.2.11:${piece.port}-192.0.2.11:2379`, piece.stream, piece.frame, words(piece)]),
  );
  const asked = reads.filter(({ kind }) => kind === 'request');
  expect(reads.filter(({ bytes }) => bytes === 0).map(({ grpcStatus }) => grpcStatus)).toEqual(asked.map(() => 0));
});

it('workloads-tls: patches, and they alone, tell how each is meant', async () => {
  const { messages } = await observeWhole('workloads-tls');
  const types = new Map<string, number>();
  for (const { kind, verb, patchType } of messages) {
    if (patchType === undefined && !(kind === 'request' && verb === 'patch')) continue;
    const key = `${kind} ${verb} ${patchType}`;
    types.set(key, (types.get(key) ?? 0) + 1);
  }
  // tshark -Y 'http2.headers.method == "PATCH"' -T fields -e http2.headers.content_type | sort | uniq -c
  expect([...types].sort()).toEqual([
    ['request patch apply', 8],
    ['request patch merge', 1],
    ['request patch strategic', 121],
  ]);
});

it('connections-tls: an answer to the first request of a connection has how long TLS took, where that was long', async () => {
  const { messages } = await observeWhole('connections-tls');
  // tshark: the ClientHello of 54740 is frame 17935 at 102.303487, the ServerHello frame 19506 at 103.354945.
  const slow = messages.filter(({ times }) => times?.tlsMs !== undefined);
  expect(slow).toHaveLength(3);
  const first = slow.find(({ connection }) => connection === '192.0.2.11:54740-192.0.2.11:6443')!;
  expect(first.times).toEqual({ tlsMs: 1051.458 });
  const [request] = messages.filter(({ connection }) => connection === first.connection);
  expect([request.kind, request.exchange]).toEqual(['request', first.exchange]);
  expect(request.frames[0]).toBeGreaterThan(19_506);
});
