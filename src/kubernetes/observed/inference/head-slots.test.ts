import { describe, expect, it } from 'vitest';
import type { PartialField, RequestHead, ResponseHead } from '../../../http/http-event.js';
import { RequestSlots, ResponseSlots } from './head-slots.js';

/** Numbers are entries that are not known; with a value, only their name is not. */
function unknown(...slots: (number | [number, string])[]): PartialField[] {
  return slots.map((slot) =>
    typeof slot === 'number' ? { name: null, value: null, slot } : { name: null, value: slot[1], slot: slot[0] },
  );
}

function request(
  method: string | null,
  target: string | null,
  partial: PartialField[],
  authority = false,
): RequestHead {
  const fields = authority ? [':authority', 'a:6443', ':scheme', 'https'] : [':scheme', 'https'];
  return { kind: 'request-head', version: '2', method, target, fields, partial };
}

function response(status: number | null, partial: PartialField[]): ResponseHead {
  return { kind: 'response-head', version: '2', status, fields: [], partial };
}

const A = '4ed7f0dd-001e-42d9-8ed6-ae2b75f71e08';
const B = '735f76fe-41ab-49c0-a07c-716bf69a3b1b';
const FLOW = '89a17853-d6c3-4b4a-a642-a32862768737';
const NODE = { verb: 'get', method: 'GET', apiGroup: '', apiVersion: 'v1', resource: 'nodes', name: 'node-1' };

describe('which entries the pseudo-header fields are', () => {
  it('the only one that is missing is the first unknown one', () => {
    const slots = new RequestSlots();
    expect(slots.pseudoSlots(request(null, '/api/v1/nodes', unknown(-18, -16), true))).toEqual({ method: -18 });
    expect(slots.pseudoSlots(request('GET', null, unknown(-32, -41), true))).toEqual({ path: -32 });
  });

  it('of two it is not certain which is which, until one was alone', () => {
    const slots = new RequestSlots();
    const head = request('GET', null, unknown(-46, -32, -43));
    expect(slots.pseudoSlots(head)).toEqual({});
    slots.pseudoSlots(request('GET', '/api/v1/nodes', unknown(-46, -43)));
    expect(slots.pseudoSlots(head)).toEqual({ path: -32 });
    expect(slots.pseudoSlots(request(null, null, unknown(-46, -4, -9)))).toEqual({});
  });
});

describe('what was inferred before', () => {
  it('is inferred again by the same head, in whatever order its fields come', () => {
    const slots = new RequestSlots();
    const head = request('GET', null, unknown(-46, -32, -43, -41));
    slots.learn(head, {}, NODE);
    expect(slots.inferredBefore(request('GET', null, unknown(-46, -32, -41, -43)), {}, 'GET')).toEqual(NODE);
    expect(slots.inferredBefore(request('GET', null, unknown(-46, -33, -41, -43)), {}, 'GET')).toBeUndefined();
  });

  it('is on the same path for another method', () => {
    const slots = new RequestSlots();
    slots.learn(request('GET', null, unknown(-32, -41), true), { path: -32 }, NODE);
    const inferred = slots.inferredBefore(request(null, null, unknown(-18, -32)), { path: -32 }, 'PUT');
    expect(inferred).toMatchObject({ verb: 'update', resource: 'nodes', name: 'node-1' });
  });

  it('of a create is known but its name', () => {
    const slots = new RequestSlots();
    const made = { method: 'POST', verb: 'create', resource: 'events', namespace: 'default', name: 'nginx.1' };
    const head = request('POST', null, unknown(-36, -35), true);
    slots.learn(head, { path: -36 }, made);
    expect(slots.inferredBefore(head, { path: -36 }, 'POST')).toMatchObject({ resource: 'events', name: undefined });
  });

  it('is believed no more once it is contradicted', () => {
    const slots = new RequestSlots();
    const head = request('GET', null, unknown(-32), true);
    slots.learn(head, { path: -32 }, NODE);
    slots.learn(head, { path: -32 }, { ...NODE, name: 'node-2' });
    slots.learn(head, { path: -32 }, NODE);
    expect(slots.inferredBefore(head, { path: -32 }, 'GET')).toBeUndefined();
  });

  it('is not kept of heads that only an attacker sends', () => {
    const slots = new RequestSlots();
    for (const partial of [unknown(...Array.from({ length: 65 }, (_, i) => -i - 1)), unknown([-1, 'x'.repeat(3000)])]) {
      slots.learn(request('GET', null, partial), {}, NODE);
      expect(slots.inferredBefore(request('GET', null, partial), {}, 'GET')).toBeUndefined();
    }
  });

  it('a method is known by its entry', () => {
    const slots = new RequestSlots();
    slots.learn(request(null, '/x', unknown(-18), true), { method: -18 }, { method: 'PATCH' });
    expect(slots.methodOf({ method: -18 })).toBe('PATCH');
    expect(slots.methodOf({ method: -19 })).toBeUndefined();
    expect(slots.methodOf({})).toBeUndefined();
  });
});

describe('answers', () => {
  it('the same entry is the same status', () => {
    const slots = new ResponseSlots();
    slots.learnStatus(response(null, unknown(-51, [-1, A])), 201);
    expect(slots.status(response(null, unknown(-51)))).toBe(201);
    expect(slots.status(response(null, unknown(-50)))).toBeUndefined();
    slots.learnStatus(response(null, unknown(-51)), 409);
    expect(slots.status(response(null, unknown(-51)))).toBeUndefined();
  });

  it('the Audit-Id is the identifier that comes first, and keeps its entry', () => {
    const slots = new ResponseSlots();
    expect(slots.auditId(response(200, unknown([-1, A], -7, [-6, FLOW])))).toBe(A);
    expect(slots.auditId(response(200, unknown([-6, FLOW], [-1, B])))).toBe(B);
  });

  it('nothing else is taken for one', () => {
    const slots = new ResponseSlots();
    expect(slots.auditId(response(200, unknown(-1, [-2, 'no-cache'], [-3, A.toUpperCase()])))).toBeUndefined();
    expect(slots.auditId(response(200, [{ name: 'x-request-id', value: A, slot: -4 }]))).toBeUndefined();
  });
});

describe('heads of which nothing is known', () => {
  it('were lost, and are not the same head', () => {
    const slots = new RequestSlots();
    const lost = (): RequestHead => ({ ...request(null, null, []), fields: [] });
    slots.learn(lost(), slots.pseudoSlots(lost()), NODE);
    expect(slots.inferredBefore(lost(), slots.pseudoSlots(lost()), null)).toBeUndefined();
    // Nor if what is not known are names alone.
    const named = request(null, null, unknown([-7, A]));
    slots.learn(named, {}, NODE);
    expect(slots.inferredBefore(named, {}, null)).toBeUndefined();
  });
});
