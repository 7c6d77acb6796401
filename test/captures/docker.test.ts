// Docker's engine API and the registry behind it, whole life of a container: every request held against what an independent
// decoder found, in its frames. The bytes of the one layer are not in the fixture (fixtures/docker-engine-api/README.md).

import { describe, expect, it } from 'vitest';
import { observed } from '../kit/diagrams.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { summaryOf } from '../kit/summaries.js';
import { HAS_TSHARK, tsharkFollow } from '../kit/tshark.js';

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

const TRUTH = fixtureLines<Truth>('docker-engine-api/capture.truth.jsonl');
const REQUESTS = TRUTH.filter(({ kind }) => kind === 'request');
/** As the manifest has it, and the engine's own report of the pull. */
const LAYER_BYTES = 5_092_757;
const LAYER = '192.0.2.12:38158-192.0.2.10:5000';

describe('docker-engine-api', async () => {
  const { messages, notices } = await observed('docker-engine-api/capture.pcap');
  const answers = new Map(messages.filter((one) => one.kind === 'response').map((one) => [one.exchange, one]));

  it('every request to the engine and to the registry equals the truth, and no other is there', () => {
    const mine = messages
      .filter(({ kind }) => kind === 'request')
      .map((one) => [
        one.connection,
        one.protocol,
        one.method,
        one.target,
        one.userAgent,
        one.frames[0],
        answers.get(one.exchange)?.status,
        answers.get(one.exchange)?.frames[0],
      ]);
    const theirs = REQUESTS.map((one) => [
      one.tcp,
      one.tcp.endsWith(':5000') ? 'registry' : 'docker',
      one.method,
      one.target,
      one.userAgent,
      one.requestFrame,
      one.status,
      one.responseFrame,
    ]);
    const sorted = (rows: unknown[][]): string[] => rows.map((row) => JSON.stringify(row)).sort();
    expect(theirs).toHaveLength(27);
    expect(sorted(mine)).toEqual(sorted(theirs));
  });

  it('clients and servers', () => {
    const pairs = messages.map((one) => `${one.protocol}: ${[one.from.name, one.to.name].sort().join(', ')}`);
    expect([...new Set(pairs)].sort()).toEqual(['docker: docker, docker-client', 'registry: docker, registry']);
  });

  it('has the bytes and the MD5 of every connection; of the layer what the fixture has', async () => {
    const { streams = [] } = await summaryOf('docker-engine-api/capture.pcap');
    const mine = streams.map(({ connection, bytes, md5 }) => [
      connection,
      bytes.client,
      md5.client,
      ...(connection === LAYER ? [] : [bytes.server, md5.server]),
    ]);
    const theirs = TRUTH.filter(({ kind }) => kind === 'stream-bytes').map((one) => [
      one.tcp,
      one.client,
      one.clientMd5,
      ...(one.tcp === LAYER ? [] : [one.server, one.serverMd5]),
    ]);
    expect(theirs).toHaveLength(15);
    expect(mine.map(String).sort()).toEqual(theirs.map(String).sort());
  });

  it('names the response that is not whole, and the reason', () => {
    const cut = messages.filter(({ complete }) => !complete);
    expect(cut.map(({ connection, kind }) => [connection, kind])).toEqual([[LAYER, 'response']]);
    // As the fixture's README and tshark count them (frame.cap_len < frame.len).
    expect(notices.map(({ code, detail }) => `${code}: ${detail}`)).toEqual([
      'packet.cut: 3579 of 4008 packets were cut at 72 bytes by the capture (snap length): record with tcpdump -s 0',
    ]);
  });

  it('every request to a registry has the pull as its cause', () => {
    const bySeq = new Map(messages.map((one) => [one.seq, one]));
    const asked = messages.filter((one) => one.kind === 'request' && one.protocol === 'registry');
    expect(asked.map((one) => `${one.method} ${one.target?.replace(/sha256:\w+/, 'DIGEST')}`)).toEqual([
      'GET /v2/',
      'HEAD /v2/library/nginx/manifests/latest',
      'GET /v2/library/nginx/manifests/DIGEST',
      'GET /v2/library/nginx/blobs/DIGEST',
      'GET /v2/library/nginx/blobs/DIGEST',
    ]);
    for (const one of asked)
      expect(bySeq.get(one.causedBy ?? 0)?.label).toBe(
        '[REQ] POST /v1.41/images/create?fromImage=docker.io/library/nginx&tag=latest',
      );
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

  it('shows how large what the registry sends is', () => {
    const sizes = messages.filter((one) => one.protocol === 'registry' && one.bytes !== undefined);
    expect(sizes.map(({ bytes }) => bytes)).toContain(LAYER_BYTES);
    expect(sizes).toHaveLength(3);
    expect(sizes.every(({ kind }) => kind === 'response')).toBe(true);
  });
});
