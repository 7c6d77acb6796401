import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../../test/kit/fixtures.js';
import { carriedObject } from '../objects/object-meta.js';
import { watchEvent } from './watch-event.js';

interface RealEvent {
  contentType: string;
  item: string;
  type: string;
  objectKind: string;
  apiVersion: string;
  namespace: string | null;
  name: string | null;
  resourceVersion: string | null;
  uid: string | null;
}

describe('real watch events', () => {
  const events = fixtureLines<RealEvent>('objects/watch-events.jsonl');
  it.each(events.map((event) => [`${event.type} ${event.objectKind}`, event] as const))('%s', (_, truth) => {
    const item = Buffer.from(truth.item, 'base64');
    const event = watchEvent(item, truth.contentType);
    expect(event?.type).toBe(truth.type);
    expect(event?.object).toMatchObject({
      kind: truth.objectKind,
      apiVersion: truth.apiVersion,
      namespace: truth.namespace ?? undefined,
      name: truth.name ?? undefined,
      resourceVersion: truth.resourceVersion ?? undefined,
      uid: truth.uid ?? undefined,
    });
    expect(carriedObject(event!.objectBytes, event!.objectContentType)?.info ?? null).toEqual(event?.object);
    // The same where the head of the watch was before the capture.
    expect(watchEvent(item, '')).toEqual(event);
  });
  it('are of all the kinds that the captures hold', () => expect(events.length).toBe(84));
});

const CONTENT_TYPES = {
  protobuf: 'application/vnd.kubernetes.protobuf;stream=watch',
  json: 'application/json',
  cbor: 'application/cbor-seq',
};

describe.each(['protobuf', 'json', 'cbor'] as const)('watch events as %s', (encoding) => {
  const rows = fixtureLines<Record<string, string>>('objects/encodings.jsonl');
  const event = (name: string) => {
    const item = Buffer.from(rows.find((row) => row['name'] === `watch-${name}`)![encoding], 'base64');
    return watchEvent(item, CONTENT_TYPES[encoding]);
  };

  it('carry an object', () => {
    expect(event('added')).toMatchObject({
      type: 'ADDED',
      object: { kind: 'Pod', namespace: 'shop', name: 'web-1-x', owners: [{ kind: 'ReplicaSet' }] },
      status: undefined,
      initialEventsEnd: false,
    });
  });
  it('carry a Status where they are errors', () => {
    const { type, object, status } = event('error')!;
    expect([type, object?.kind, status?.code, status?.reason]).toEqual(['ERROR', 'Status', 410, 'Expired']);
  });
  it('distinguish the bookmark that ends the initial events from others', () => {
    expect(event('start-over')).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true });
    expect(event('bookmark')).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: false });
    expect(event('bookmark')?.object).toMatchObject({ kind: 'Pod', name: undefined, resourceVersion: '901' });
  });
  it('carry what an Event reports', () => {
    expect(event('reported')?.k8sEvent).toMatchObject({ reason: 'Scheduled', kind: 'Pod', name: 'nginx' });
  });
  // A Table has no protobuf.
  if (encoding !== 'protobuf')
    it('carry Tables', () => {
      expect(event('table')?.object).toMatchObject({ kind: 'Table', rows: 2, name: undefined });
    });
  it('may be cut anywhere', () => {
    const item = Buffer.from(rows.find((row) => row['name'] === 'watch-added')![encoding], 'base64');
    for (let length = 0; length < item.length; length++) {
      const cut = watchEvent(item.subarray(0, length), CONTENT_TYPES[encoding]);
      if (cut?.object?.uid !== undefined) expect('u-1'.startsWith(cut.object.uid)).toBe(true);
    }
  });
  it('may be any bytes', () => {
    const item = Buffer.from(rows.find((row) => row['name'] === 'watch-added')![encoding], 'base64');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(item.length - 1), fc.nat(255)), { maxLength: 6 }), (changes) => {
        const bytes = new Uint8Array(item);
        for (const [at, byte] of changes) bytes[at] = byte;
        watchEvent(bytes, CONTENT_TYPES[encoding]);
        return true;
      }),
      { numRuns: 3000 },
    );
  });
});

describe('watchEvent', () => {
  it('takes JSON inside protobuf', () => {
    const json = '{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a"}}';
    const raw = Buffer.concat([Buffer.from([0x0a, json.length]), Buffer.from(json)]);
    const item = Buffer.concat([Buffer.from([0x0a, 5]), Buffer.from('ADDED'), Buffer.from([0x12, raw.length]), raw]);
    expect(watchEvent(item, CONTENT_TYPES.protobuf)).toMatchObject({
      type: 'ADDED',
      object: { kind: 'Thing', name: 'a' },
      objectContentType: 'application/json',
    });
  });
  it('keeps an unknown type', () => {
    expect(watchEvent(Buffer.from('{"type":"ODD","object":{}}'), 'application/json')).toMatchObject({
      type: 'ODD',
      object: null,
    });
    expect(watchEvent(Buffer.from([0x0a, 5, 0x41, 0x44, 0x44, 0x45, 0x58]), CONTENT_TYPES.protobuf)?.type).toBe(
      'ADDEX',
    );
  });
  it('gives null for what is no event', () => {
    expect(watchEvent(Buffer.from('{}'), 'application/json')).toBeNull();
    expect(watchEvent(Buffer.from('hello'), 'text/plain')).toBeNull();
    expect(watchEvent(new Uint8Array(0), CONTENT_TYPES.protobuf)).toBeNull();
    expect(watchEvent(new Uint8Array(0), '')).toBeNull();
    expect(watchEvent(Buffer.from([0x0a, 5, 0x41, 0x44, 0x44, 0x45, 0x44, 0x12, 2, 0x0a, 0]), '')).toBeNull();
  });
});
