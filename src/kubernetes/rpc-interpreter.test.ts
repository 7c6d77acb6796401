import { describe, expect, it } from 'vitest';
import { originOf } from '../../test/kit/http1-kit.js';
import { pb } from '../../test/kit/protobuf-kit.js';
import type { Notice } from '../core/notice.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { PartialField, RequestHead } from '../http/http-event.js';
import { redactionOf } from '../redaction/redaction.js';
import type { Connection, Side } from '../tcp/stream-event.js';
import { interpreter } from './interpreter.js';
import type { Message } from './messages/message.js';

const CLIENT = { address: '127.0.0.1', port: 40_000 };
const KEY = '/registry/pods/default/nginx';
const header = pb([1, 7], [2, 8], [3, 712], [4, 2]);

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** One call, event by event: each is a frame of its own. */
class Call {
  readonly events: ExchangeEvent[] = [];
  readonly exchange: Writable<Exchange>;
  #frame: number;

  constructor(path: string | null, options: { port?: number; stream?: number; frame?: number; head?: boolean } = {}) {
    const { port = 2379, stream = 1, frame = 0, head = true } = options;
    const server = { address: '127.0.0.1', port };
    const connection: Connection = {
      id: 1,
      client: CLIENT,
      server,
      name: `127.0.0.1:40000-127.0.0.1:${port}`,
      roles: 'handshake',
    };
    const unknown: PartialField[] = path === null ? [{ name: null, value: null, slot: -7 }] : [];
    const request: RequestHead = {
      kind: 'request-head',
      version: '2',
      method: 'POST',
      target: path,
      fields: ['content-type', 'application/grpc', 'user-agent', 'grpc-go/1.72.1'],
      partial: unknown,
    };
    this.exchange = {
      connection,
      stream,
      request: head ? request : null,
      response: null,
      trailers: null,
      upgraded: null,
    };
    this.#frame = frame;
    if (head) this.#push({ kind: 'request', body: null, complete: path !== null });
  }

  #push(event: Record<string, unknown>): this {
    this.#frame += 1;
    const at = originOf(this.#frame);
    this.events.push({ exchange: this.exchange, first: at, last: at, at, complete: true, ...event } as ExchangeEvent);
    return this;
  }

  item(from: Side, bytes: Uint8Array, complete = true): this {
    return this.#push({ kind: 'item', from, bytes, complete });
  }

  head(status = 200, ...fields: string[]): this {
    this.exchange.response = { kind: 'response-head', version: '2', status, fields, partial: [] };
    return this.#push({ kind: 'response', body: null });
  }

  over(...trailers: string[]): this {
    if (trailers.length > 0) this.exchange.trailers = trailers;
    return this.#push({ kind: 'exchange-end', requestSeen: true, responseSeen: this.exchange.response !== null });
  }
}

/** @param calls their events in the order of frames. */
function read(calls: readonly Call[], live = false): (Message | Notice)[] {
  const stage = interpreter({ redaction: redactionOf(), ...(live ? { holdNs: 0n } : null) });
  const events = calls.flatMap((call) => call.events).sort((a, b) => a.at.frame - b.at.frame);
  // Trailers are there when the call is over, heads when they came: each event sees the exchange of its time.
  const out = events.flatMap((event) => [...stage.feed(event)]);
  return [...out, ...stage.end()];
}

function messages(...calls: Call[]): Message[] {
  return read(calls).filter((item): item is Message => item.kind !== 'notice');
}

const labels = (...calls: Call[]): string[] => messages(...calls).map(({ kind, label }) => `${kind} ${label}`);
const range = (key: string): Buffer => pb([1, key], [3, 1]);
const OK = ['grpc-status', '0', 'grpc-message', ''];

describe('a call without streams', () => {
  it('is one request and one response, from the first byte of the head to the last of the message and trailers', () => {
    const call = new Call('/etcdserverpb.KV/Range').item('client', range(KEY)).head();
    const [request, response, ...rest] = messages(call.item('server', pb([1, header], [4, 1])).over(...OK));
    expect(rest).toEqual([]);
    expect(request).toMatchObject({
      kind: 'request',
      protocol: 'etcd',
      label: `[RPC] KV/Range ${KEY}`,
      frames: [1, 2],
      complete: true,
      method: 'POST',
      target: '/etcdserverpb.KV/Range',
      userAgent: 'grpc-go/1.72.1',
      service: 'etcdserverpb.KV',
      rpcMethod: 'Range',
      key: KEY,
    });
    expect(response).toMatchObject({
      kind: 'response',
      label: '[RPC-RESP] OK, revision 712',
      frames: [3, 5],
      complete: true,
      status: 200,
      grpcStatus: 0,
      revision: '712',
      causedBy: request.seq,
      latencyMs: 1e-6,
    });
    expect(request.inferred).toBeUndefined();
  });

  it('that fails at once has its status in its head', () => {
    const call = new Call('/runtime.v1.RuntimeService/RuntimeConfig', { port: 3500 }).item('client', pb());
    call
      .head(
        200,
        'grpc-status',
        '12',
        'grpc-message',
        'unknown method RuntimeConfig for service runtime.v1.RuntimeService%20',
      )
      .over();
    expect(messages(call)[1]).toMatchObject({
      label: '[RPC-RESP] UNIMPLEMENTED',
      grpcStatus: 12,
      reason: 'UNIMPLEMENTED',
      statusMessage: 'unknown method RuntimeConfig for service runtime.v1.RuntimeService ',
      complete: true,
    });
  });

  it('a reason that may repeat the request is not shown', () => {
    const call = new Call('/etcdserverpb.KV/Range').item('client', range(KEY)).head();
    const [, response] = messages(call.over('grpc-status', '3', 'grpc-message', 'bad key hunter2'));
    expect(response).toMatchObject({ label: '[RPC-RESP] INVALID_ARGUMENT', reason: 'INVALID_ARGUMENT' });
    expect(response.statusMessage).toBeUndefined();
  });

  it('cut off before its trailers is not complete', () => {
    const call = new Call('/etcdserverpb.KV/Range').item('client', range(KEY)).head();
    const [, response] = messages(call.item('server', pb([1, header])).over());
    expect(response).toMatchObject({ label: '[RPC-RESP] (cut off)', complete: false, frames: [3, 4] });
  });

  it('without a response is a request and a notice', () => {
    const items = read([new Call('/etcdserverpb.KV/Range').item('client', range(KEY)).over()]);
    expect(items.map((item) => (item.kind === 'notice' ? item.code : item.kind))).toEqual([
      'request',
      'exchange.no-response',
    ]);
  });

  it('without a message is emitted all the same', () => {
    const [request, ...rest] = messages(new Call('/etcdserverpb.KV/Range').over());
    expect(rest).toEqual([]);
    expect(request).toMatchObject({ kind: 'request', label: '[RPC] KV/Range', complete: false });
  });

  it('answered by something else in plain HTTP', () => {
    const call = new Call('/etcdserverpb.KV/Range').item('client', range(KEY)).head(502).over();
    expect(messages(call)[1]).toMatchObject({ label: '[RPC-RESP] HTTP 502', status: 502, complete: true });
  });

  it('of a cut message nothing is read', () => {
    const bytes = range(KEY);
    const [request] = messages(new Call('/etcdserverpb.KV/Range').item('client', bytes.subarray(0, 9), false).over());
    expect(request).toMatchObject({ label: '[RPC] KV/Range', complete: false });
    expect(request.key).toBeUndefined();
  });

  it('bytes that are no message give a notice', () => {
    const items = read([new Call('/etcdserverpb.KV/Range').item('client', Buffer.from([0xff, 0xff])).over()]);
    expect(items.map((item) => (item.kind === 'notice' ? item.code : item.complete))).toEqual([
      'kubernetes.undecodable',
      false,
      'exchange.no-response',
    ]);
  });

  it('of any other service is emitted by name', () => {
    const call = new Call('/grpc.health.v1.Health/Check', { port: 9000 }).item('client', pb([1, 'hunter2'])).head();
    expect(labels(call.item('server', pb([1, 1])).over(...OK))).toEqual([
      'request [RPC] Health/Check',
      'response [RPC-RESP] OK',
    ]);
  });

  it('a key is captured text: it goes through the redaction', () => {
    const [request] = messages(
      new Call('/etcdserverpb.KV/Range').item('client', range('/registry/x/default/y/hunter2Xk9qLm?a=b')).over(),
    );
    expect(request).toMatchObject({
      label: '[RPC] KV/Range /registry/x/default/y/…',
      key: '/registry/x/default/y/…',
    });
  });
});

describe('a stream', () => {
  const create = pb([1, pb([1, '/registry/pods/'], [2, '/registry/pods0'], [3, 713])]);
  const kv = pb([1, KEY], [2, 713], [3, 713], [4, 1], [5, '{}']);

  it('a watch: request, its response at once, then its events', () => {
    const call = new Call('/etcdserverpb.Watch/Watch').item('client', create).head();
    call.item('server', pb([1, header], [3, 1])).item('server', pb([1, header], [11, pb([2, kv])], [11, pb([2, kv])]));
    call.item('client', pb([2, pb([1, 0])])).over('grpc-status', '1');
    expect(labels(call)).toEqual([
      'request [RPC] Watch/Watch create /registry/pods/… from revision 713',
      'response [RPC-RESP] stream, wait for messages...',
      'data [RPC-CHUNK] watch 0 created',
      `event [RPC-CHUNK] PUT ${KEY}`,
      `event [RPC-CHUNK] PUT ${KEY}`,
      'data [RPC] Watch/Watch cancel watch 0',
      'data [RPC-CHUNK] end of stream: CANCELLED',
    ]);
    expect(messages(call)[3]).toMatchObject({ type: 'PUT', key: KEY, revision: '713', frames: [5, 5] });
  });

  it('a response before the first message does not wait for it', () => {
    const call = new Call('/etcdserverpb.Watch/Watch').head().item('client', create);
    expect(labels(call.over())).toEqual([
      'request [RPC] Watch/Watch',
      'response [RPC-RESP] stream, wait for messages...',
      'data [RPC] Watch/Watch create /registry/pods/… from revision 713',
    ]);
  });

  it('opened before the capture: no request is invented', () => {
    const call = new Call(null, { head: false });
    call
      .item('server', pb([1, header], [11, pb([2, kv])]))
      .item('client', pb([3, '']))
      .over();
    expect(messages(call)).toMatchObject([
      { kind: 'event', rpcMethod: 'Watch', inferred: ['service', 'rpcMethod'], key: KEY },
      { kind: 'data', rpcMethod: 'Watch', label: '[RPC] Watch/Watch progress?' },
    ]);
  });

  it('of an unknown service is found to be one by its second message', () => {
    const call = new Call('/example.Chat/Send', { port: 9000 }).item('client', pb([1, 'a'])).head();
    call
      .item('server', pb([1, 'b']))
      .item('server', pb([1, 'c']))
      .over(...OK);
    expect(labels(call)).toEqual([
      'request [RPC] Chat/Send',
      'response [RPC-RESP] stream, wait for messages...',
      'data [RPC-CHUNK] 3 bytes',
      'data [RPC-CHUNK] 3 bytes',
      'data [RPC-CHUNK] end of stream: OK',
    ]);
  });

  it('of an unknown service is one where the server answers before it received anything', () => {
    const call = new Call('/example.Chat/Listen', { port: 9000 }).head().item('server', pb([1, 'b']));
    const told = messages(call.item('client', pb([1, 'a'])).over(...OK));
    expect(told.map(({ label, frames }) => `${frames.join('-')} ${label}`)).toEqual([
      '1-1 [RPC] Chat/Listen',
      '2-2 [RPC-RESP] stream, wait for messages...',
      '3-3 [RPC-CHUNK] 3 bytes',
      '4-4 [RPC-CHUNK] 3 bytes',
      '5-5 [RPC-CHUNK] end of stream: OK',
    ]);
    expect(told[1].latencyMs).toBeGreaterThan(0);
  });

  it('is none where the answer before the first message is that it is refused', () => {
    const call = new Call('/example.Chat/Listen', { port: 9000 }).head(200, 'grpc-status', '16');
    expect(labels(call.item('client', pb([1, 'a'])).over())).toEqual([
      'request [RPC] Chat/Listen',
      'response [RPC-RESP] UNAUTHENTICATED',
    ]);
  });
});

describe('a path from before the capture', () => {
  const grant = (frame: number, stream: number): Call =>
    new Call(null, { frame, stream }).item('client', pb([1, 15])).head();

  it('waits for the answer that proves the method', () => {
    const call = grant(0, 1)
      .item('server', pb([1, header], [2, 0x694da1fc59e1b237n], [3, 15]))
      .over();
    expect(messages(call)).toMatchObject([
      { label: '[RPC] Lease/LeaseGrant 15 s', inferred: ['service', 'rpcMethod'], rpcMethod: 'LeaseGrant' },
      { rpcMethod: 'LeaseGrant', grpcStatus: undefined },
    ]);
  });

  it('is concluded from the answer where two methods have the same request: a read at once, and one in pieces', () => {
    const asks = (stream: number): Call =>
      new Call(null, { frame: 10 * stream, stream })
        .item('client', pb([1, '/registry/pods/'], [2, '/registry/pods0']))
        .head();
    const whole = asks(1)
      .item('server', pb([1, header], [4, 3]))
      .over();
    const pieces = asks(3)
      .item('server', pb([1, pb([1, header], [4, 3])]))
      .over();
    expect(messages(whole)[1]).toMatchObject({ rpcMethod: 'Range' });
    expect(messages(pieces)[1]).toMatchObject({ rpcMethod: 'RangeStream' });
  });

  it('that nothing proves stays unknown', () => {
    const call = grant(0, 1).over();
    expect(messages(call)).toMatchObject([
      { label: '[RPC] (method not captured)', rpcMethod: null, service: undefined },
      { label: '[RPC-RESP] (cut off)', rpcMethod: null },
    ]);
    expect(messages(call)[0].inferred).toBeUndefined();
  });

  it('the same head again is the same method, at once', () => {
    const first = grant(0, 1)
      .item('server', pb([1, header], [2, 0x694da1fc59e1b237n], [3, 15]))
      .over();
    const second = grant(10, 3).over();
    expect(messages(first, second)[2]).toMatchObject({ label: '[RPC] Lease/LeaseGrant 15 s' });
  });

  it('live, nothing waits', () => {
    const call = grant(0, 1)
      .item('server', pb([1, header], [2, 0x694da1fc59e1b237n], [3, 15]))
      .over();
    const [request, response] = read([call], true) as Message[];
    expect(request).toMatchObject({ rpcMethod: null });
    expect(response).toMatchObject({ rpcMethod: 'LeaseGrant' });
  });
});

describe('participants', () => {
  it("keys under /registry/ are an API server's; so are earlier requests", () => {
    const status = new Call('/etcdserverpb.Maintenance/Status')
      .item('client', pb())
      .head()
      .over(...OK);
    const read = new Call('/etcdserverpb.KV/Range', { frame: 20, stream: 3 }).item('client', range(KEY)).over();
    const all = messages(status, read);
    expect(all[0].from.component).toBe('kube-apiserver');
    expect(all[0].from.evidence.join()).toContain('stores its objects in etcd under /registry/ (frame 22)');
    expect(all[0].to.name).toBe('etcd');
  });

  it('other keys prove nothing', () => {
    const [request] = messages(new Call('/etcdserverpb.KV/Range').item('client', range('config/x')).over());
    expect(request.from.name).toBe('client 127.0.0.1');
  });

  it('the client of a container runtime is its kubelet', () => {
    const call = new Call('/runtime.v1.RuntimeService/Version', { port: 3500 }).item('client', pb()).over();
    expect(messages(call)[0]).toMatchObject({ from: { component: 'kubelet' }, to: { name: 'container-runtime' } });
  });
});
