// Node's own HTTP/2 over a loopback relay: what its ends sent is what the session says, however it was cut.
import http2 from 'node:http2';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connection, dataEvent, type HttpItem } from '../../../test/kit/http2-kit.js';
import type { Side, StreamEvent } from '../../tcp/stream-event.js';
import { fieldValue } from '../http-event.js';
import { http2Session } from './session.js';

interface Piece {
  from: Side;
  bytes: Buffer;
}

const LONG = 'x'.repeat(60_000);
const pieces: Piece[] = [];

beforeAll(async () => {
  const server = http2.createServer({
    paddingStrategy: http2.constants.PADDING_STRATEGY_MAX,
    maxSendHeaderBlockLength: 200_000,
  });
  server.on('stream', (stream, headers) => {
    const path = headers[':path'];
    if (path === '/early') stream.additionalHeaders({ ':status': 103, link: 'x' });
    if (path === '/long') stream.respond({ ':status': 200, long: LONG });
    else stream.respond({ ':status': path === '/none' ? 404 : 200, path }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', path }));
    stream.on('error', () => {});
    stream.pipe(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = (server.address() as net.AddressInfo).port;
  const relay = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1');
    near.on('data', (bytes) => {
      pieces.push({ from: 'client', bytes: Buffer.from(bytes) });
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      pieces.push({ from: 'server', bytes: Buffer.from(bytes) });
      near.write(bytes);
    });
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.on('error', () => {});
    far.on('error', () => {});
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const client = http2.connect(`http://127.0.0.1:${(relay.address() as net.AddressInfo).port}`, {
    paddingStrategy: http2.constants.PADDING_STRATEGY_MAX,
    maxSendHeaderBlockLength: 200_000,
    settings: { headerTableSize: 1000 },
  });
  const call = (path: string, body: string, more: http2.OutgoingHttpHeaders = {}): Promise<void> =>
    new Promise((resolve, reject) => {
      const stream = client.request({ ':method': 'POST', ':path': path, 'user-agent': 'test/1', ...more });
      stream.on('error', reject);
      stream.on('close', resolve);
      stream.resume();
      stream.end(body);
    });
  for (let i = 0; i < 20; i++)
    await call(`/${i}`, `body ${i}`, { [`header-${i % 5}`]: `value ${i % 3}`, cookie: 'a=b' });
  await Promise.all([call('/none', ''), call('/big', 'y'.repeat(100_000)), call('/early', '1')]);
  // A request with fields in CONTINUATION frames.
  await call('/fields', 'z', { long: LONG.slice(0, 40_000) });
  await call('/long', '');
  await new Promise<void>((resolve) => client.close(resolve));
  server.close();
  relay.close();
});

afterAll(() => expect(pieces.length).toBeGreaterThan(10));

/** The conversation cut anew; capture order of the two sides kept as far as whole pieces go. */
function cut(size: () => number): StreamEvent[] {
  const c = connection();
  const out: StreamEvent[] = [];
  for (const { from, bytes } of pieces) {
    for (let at = 0; at < bytes.length; ) {
      const length = size();
      out.push(dataEvent(c, from, bytes.subarray(at, at + length), out.length + 1));
      at += length;
    }
  }
  return out;
}

const TOLD: ReadonlySet<string> = new Set(['http2.goaway', 'http2.window-full']);

function read(events: readonly StreamEvent[]): Map<string, string[]> {
  const session = http2Session(connection());
  const streams = new Map<string, string[]>();
  const bodies = new Map<string, number>();
  const take = (items: readonly HttpItem[]): void => {
    for (const item of items) {
      // Each side announces the end of the connection; cut into pieces, each with a later time, it seems to stall.
      if (item.kind === 'stalled' || (item.kind === 'notice' && TOLD.has(item.code))) continue;
      if (item.kind === 'notice' || item.kind === 'unread') throw new Error(item.kind);
      const key = `${item.stream} ${item.from}`;
      const lines = streams.get(key) ?? [];
      streams.set(key, lines);
      if (item.kind === 'head') {
        const { head } = item;
        const what = head.kind === 'request-head' ? `${head.method} ${head.target}` : `${head.status}`;
        lines.push(`${what} ${head.fields.length / 2} ${fieldValue(head.fields, 'long')?.length ?? ''}`.trim());
      } else if (item.kind === 'body') bodies.set(key, (bodies.get(key) ?? 0) + item.bytes.length);
      else if (item.kind === 'trailers') lines.push(`trailers ${item.fields.join(' ')}`);
      else lines.push(`${item.kind} ${bodies.get(key) ?? 0} ${item.kind === 'end' && item.complete}`);
    }
  };
  for (const event of events) take(session.feed(event));
  take(session.end());
  return streams;
}

describe('node against itself', () => {
  it('every request, answer, body, trailer', () => {
    const streams = read(cut(() => 1 << 20));
    const paths = [...Array(20).keys(), 'none', 'big', 'early', 'fields', 'long'].map((path) => `/${path}`);
    const sizes: Record<string, number> = { '/none': 0, '/big': 100_000, '/early': 1, '/fields': 1, '/long': 0 };
    paths.forEach((path, i) => {
      const size = sizes[path] ?? `body ${i}`.length;
      const [request, ended] = streams.get(`${2 * i + 1} client`)!;
      expect(request.startsWith(`POST ${path} `)).toBe(true);
      expect(ended).toBe(`end ${size} true`);
      const answer = streams.get(`${2 * i + 1} server`)!;
      expect(answer[0].slice(0, 3)).toBe(path === '/none' ? '404' : '200');
      expect(answer.at(-1)).toBe(`end ${size} true`);
      if (path !== '/long') expect(answer[1]).toBe(`trailers grpc-status 0 path ${path}`);
    });
    expect(streams.size).toBe(2 * paths.length);
    expect(streams.get('47 client')![0]).toMatch(/ 40000$/);
    expect(streams.get('49 server')![0]).toMatch(/ 60000$/);
  });

  it('cut anyhow, the same', () => {
    const whole = read(cut(() => 1 << 20));
    let seed = 1;
    for (const most of [1, 7, 50, 1500]) {
      const size = (): number => {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
        return 1 + ((seed >> 8) % most);
      };
      expect(read(cut(size))).toEqual(whole);
    }
  });
});
