// The interpreter on exchanges of a connection whose header table nobody saw: what waits, what is filled in, what stays.

import { describe, expect, it } from 'vitest';
import type { Origin } from '../../../core/origin.js';
import type { Body, Exchange, ExchangeEvent } from '../../../http/exchange-event.js';
import type { PartialField, RequestHead, ResponseHead } from '../../../http/http-event.js';
import { redactionOf } from '../../../redaction/redaction.js';
import type { Connection } from '../../../tcp/stream-event.js';
import { interpreter } from '../../interpreter.js';
import type { Message } from '../../messages/message.js';

const START = BigInt(Date.parse('2026-11-21T04:41:11Z')) * 1_000_000n;

const CONNECTION: Connection = {
  id: 1,
  client: { address: '192.0.2.11', port: 41080 },
  server: { address: '192.0.2.10', port: 6443 },
  name: '192.0.2.11:41080-192.0.2.10:6443',
  roles: 'content',
};

function slots(...numbers: number[]): PartialField[] {
  return numbers.map((slot) => ({ name: null, value: null, slot }));
}

/** Feeds exchanges and keeps what comes out, with the time in ms at which it did. */
class Run {
  readonly out: Message[] = [];
  readonly #stage;
  #frame = 0;

  constructor(holdNs?: bigint) {
    this.#stage = interpreter({ redaction: redactionOf(), ...(holdNs === undefined ? null : { holdNs }) });
  }

  exchange(stream: number, request: Partial<RequestHead> | null): { -readonly [K in keyof Exchange]: Exchange[K] } {
    const head: RequestHead | null =
      request === null
        ? null
        : { kind: 'request-head', version: '2', method: null, target: null, fields: [], partial: [], ...request };
    return { connection: CONNECTION, stream, request: head, response: null, trailers: null, upgraded: null };
  }

  request(exchange: Exchange, ms: number, body?: unknown): void {
    const at = this.#at(ms);
    this.#feed({ kind: 'request', exchange, first: at, last: at, at, complete: false, body: bodyOf(body) });
  }

  response(
    exchange: { response: ResponseHead | null } & Exchange,
    ms: number,
    head: Partial<ResponseHead>,
    body?: unknown,
  ) {
    exchange.response = { kind: 'response-head', version: '2', status: null, fields: [], partial: [], ...head };
    const at = this.#at(ms);
    this.#feed({ kind: 'response', exchange, first: at, last: at, at, complete: false, body: bodyOf(body) });
  }

  item(exchange: Exchange, ms: number, body: unknown): void {
    const at = this.#at(ms);
    const bytes = Buffer.from(JSON.stringify(body));
    this.#feed({ kind: 'item', exchange, from: 'server', first: at, last: at, at, complete: true, bytes });
  }

  end(): Message[] {
    this.#keep(this.#stage.end());
    return this.out;
  }

  #at(ms: number): Origin {
    this.#frame += 1;
    return { capture: 0, frame: this.#frame, time: START + BigInt(ms) * 1_000_000n };
  }

  #feed(event: ExchangeEvent): void {
    this.#keep(this.#stage.feed(event));
  }

  #keep(items: readonly (Message | { kind: 'notice' })[]): void {
    for (const item of items) if (item.kind !== 'notice') this.out.push(item as Message);
  }
}

function bodyOf(value: unknown): Body | null {
  if (value === undefined) return null;
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    length: bytes.length,
    contentType: '',
    contentEncoding: '',
    complete: true,
    read: () => ({ bytes, complete: true }),
  };
}

const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1', uid: 'u', resourceVersion: '7' } };
const GET_NODE = { method: 'GET', partial: slots(-46, -32, -41) };
const NOT_FOUND = {
  apiVersion: 'v1',
  kind: 'Status',
  status: 'Failure',
  reason: 'NotFound',
  code: 404,
  details: { name: 'node-1', group: 'coordination.k8s.io', kind: 'leases' },
};
const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'node-1', namespace: 'kube-node-lease' },
  spec: { holderIdentity: 'node-1' },
};

describe('a request whose path is not known', () => {
  it('waits for its response and lists what was concluded, in the order of the contract', () => {
    const run = new Run();
    const exchange = run.exchange(77, GET_NODE);
    run.request(exchange, 0);
    expect(run.out).toEqual([]);
    run.response(exchange, 2, { status: 200 }, NODE);
    const [request] = run.end();
    expect(request).toMatchObject({ verb: 'get', apiGroup: '', apiVersion: 'v1', resource: 'nodes', name: 'node-1' });
    expect(request.inferred).toEqual(['label', 'verb', 'apiGroup', 'apiVersion', 'resource', 'name']);
    expect(request.label).toBe('[REQ] GET …/nodes/node-1');
    expect(request.method).toBe('GET');
    expect(request.target).toBeUndefined();
  });

  it('is known at once when the same head comes again', () => {
    const run = new Run();
    const first = run.exchange(77, GET_NODE);
    run.request(first, 0);
    run.response(first, 2, { status: 200 }, NODE);
    run.request(run.exchange(79, GET_NODE), 2000);
    expect(run.end()[2]).toMatchObject({ verb: 'get', resource: 'nodes', name: 'node-1' });
  });

  it('goes without a response after a second', () => {
    const run = new Run();
    run.request(run.exchange(77, GET_NODE), 0);
    run.item(run.exchange(65, null), 1001, { type: 'ADDED', object: NODE });
    expect(run.out.map((one) => one.label)).toEqual([
      '[REQ] GET (path not captured)',
      '[RESP-CHUNK] Node ADDED - node-1',
    ]);
    expect(run.out[0].inferred).toBeUndefined();
  });

  it('does not wait when live', () => {
    const run = new Run(0n);
    const exchange = run.exchange(77, GET_NODE);
    run.request(exchange, 0);
    expect(run.out).toHaveLength(1);
    run.response(exchange, 2, { status: 200 }, NODE);
    // What is printed stays as it is.
    expect(run.out[0].verb).toBeUndefined();
    expect(run.out[1].status).toBe(200);
  });

  it('was where its object is made next, if it was not there', () => {
    const run = new Run();
    const get = run.exchange(77, GET_NODE);
    run.request(get, 0);
    run.response(get, 2, { status: 404 }, NOT_FOUND);
    run.request(run.exchange(79, { method: 'POST', partial: slots(-46, -33, -41) }), 4, LEASE);
    expect(run.end()[0]).toMatchObject({
      verb: 'get',
      resource: 'leases',
      namespace: 'kube-node-lease',
      name: 'node-1',
    });
  });

  it('was elsewhere, if something else is made', () => {
    const run = new Run();
    const get = run.exchange(77, GET_NODE);
    run.request(get, 0);
    run.response(get, 2, { status: 404 }, NOT_FOUND);
    const other = { ...LEASE, metadata: { name: 'node-2', namespace: 'kube-node-lease' } };
    run.request(run.exchange(79, { method: 'POST', partial: slots(-46, -33, -41) }), 4, other);
    expect(run.end()[0].namespace).toBeUndefined();
  });

  it('is a watch if events come', () => {
    const run = new Run();
    const watch = run.exchange(77, GET_NODE);
    run.request(watch, 0);
    run.response(watch, 2, { status: 200 });
    run.item(watch, 3, { type: 'ADDED', object: NODE });
    const [request, response] = run.end();
    expect(request).toMatchObject({ verb: 'watch', resource: 'nodes', label: '[REQ] GET …/nodes?watch=true' });
    expect(response.label).toBe('[RESP] 200 OK, chunked, wait for chunks...');
  });
});

describe('a request whose method is not known', () => {
  const head = { target: '/api/v1/namespaces/default/pods/nginx/status', partial: slots(-18, -16) };

  it('has what is in its path, read; and its verb, concluded', () => {
    const run = new Run();
    run.request(run.exchange(89, head), 0, { metadata: { uid: 'u' }, status: { phase: 'Running' } });
    const [request] = run.end();
    expect(request).toMatchObject({ verb: 'patch', resource: 'pods', subresource: 'status', name: 'nginx' });
    expect(request.inferred).toEqual(['label', 'verb']);
    expect(request.label).toBe('[REQ] PATCH /api/v1/namespaces/default/pods/nginx/status');
    expect(request.method).toBeUndefined();
  });

  it('has no verb where its body leaves it open', () => {
    const run = new Run();
    run.request(run.exchange(89, head), 0, {});
    const [request] = run.end();
    expect(request.verb).toBeUndefined();
    expect(request).toMatchObject({ resource: 'pods', namespace: 'default' });
    expect(request.inferred).toBeUndefined();
  });
});

describe('an answer', () => {
  it('to a create has status 201, and so has a response without a body that has the same table entry', () => {
    const run = new Run();
    const post = run.exchange(81, { method: 'POST', target: '/api/v1/namespaces/default/pods', partial: slots(-46) });
    run.request(post, 0, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
    run.response(
      post,
      1,
      { partial: slots(-51, -7) },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', uid: 'u' } },
    );
    const other = run.exchange(83, { method: 'POST', target: '/api/v1/namespaces/default/pods', partial: slots(-46) });
    run.request(other, 2);
    run.response(other, 3, { partial: slots(-51, -7) });
    const responses = run.end().filter((one) => one.kind === 'response');
    expect(responses.map((one) => [one.status, one.label, one.inferred])).toEqual([
      [201, '[RESP] 201 Created', ['label', 'status']],
      [201, '[RESP] 201 Created', ['label', 'status']],
    ]);
  });
});

describe('the client', () => {
  it('is waited for during the first second, then known for all that was held', () => {
    const run = new Run();
    run.item(run.exchange(65, null), 0, { type: 'ADDED', object: NODE });
    expect(run.out).toEqual([]);
    run.request(run.exchange(81, { method: 'POST', partial: slots(-46, -33) }), 900, LEASE);
    const [event] = run.end();
    expect(event.to.name).toBe('kubelet (node-1)');
    expect(event.inferred).toEqual(['to']);
    expect(event.to.evidence.join()).toContain('concluded from the Lease kube-node-lease/node-1');
  });

  it('is unknown where nothing shows it, and no message waits for ever', () => {
    const run = new Run();
    run.item(run.exchange(65, null), 0, { type: 'ADDED', object: NODE });
    run.item(run.exchange(65, null), 1001, { type: 'MODIFIED', object: NODE });
    expect(run.out.map((one) => [one.to.name, one.inferred])).toEqual([
      ['client 192.0.2.11', undefined],
      ['client 192.0.2.11', undefined],
    ]);
  });

  it('is the name that it sends later on the same connection', () => {
    const run = new Run();
    run.request(run.exchange(77, { method: 'GET', target: '/api/v1/nodes/node-1', partial: slots(-46) }), 0);
    const fields = ['user-agent', 'kube-proxy/v1.34.4 (linux/amd64)'];
    run.request(run.exchange(79, { method: 'GET', target: '/api/v1/nodes/node-1', fields }), 500);
    const [first, second] = run.end();
    expect([first.from.component, first.inferred]).toEqual(['kube-proxy', ['from']]);
    expect([second.from.component, second.inferred]).toEqual(['kube-proxy', undefined]);
    expect(first.userAgent).toBeUndefined();
  });

  it('is unknown where two programs share a connection', () => {
    const run = new Run();
    const at = (agent: string) => ({
      method: 'GET',
      target: '/api/v1/nodes/node-1',
      fields: ['user-agent', agent],
    });
    run.item(run.exchange(65, null), 0, { type: 'ADDED', object: NODE });
    run.request(run.exchange(79, at('kube-proxy/v1')), 1100);
    run.request(run.exchange(81, at('kubelet/v1')), 1200);
    run.item(run.exchange(67, null), 1300, { type: 'MODIFIED', object: NODE });
    expect(run.end().at(-1)?.to.name).toBe('client 192.0.2.11');
  });
});
