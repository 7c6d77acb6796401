import { describe, expect, it } from 'vitest';
import { pb } from '../../../../../test/kit/protobuf-kit.js';
import type { FamilyCall } from '../payload.js';
import { ETCD } from './etcd.js';

const KEY = '/registry/pods/default/nginx';
const META = pb([1, 'nginx'], [3, 'default'], [5, 'uid-1']);
const POD = Buffer.concat([
  Buffer.from('k8s\0'),
  pb([1, pb([1, 'v1'], [2, 'Pod'])], [2, pb([1, META])], [3, ''], [4, '']),
]);
const header = (revision: number): Buffer => pb([1, 7], [2, 8], [3, revision], [4, 2]);
const call = (service: string, method: string): FamilyCall => ({
  service: `etcdserverpb.${service}`,
  method,
  memory: null,
});
const compareMod = (key: string, revision: number): Buffer => pb([2, 2], [3, key], [6, revision]);
const put = (key: string, value: Uint8Array): Buffer => pb([2, pb([1, key], [2, value])]);

describe('words of requests', () => {
  const words = (method: string, bytes: Uint8Array, service = 'KV'): string =>
    ETCD.readRequest(call(service, method), bytes).words;

  it('a key, all keys with a beginning, and the rest of a list', () => {
    expect(words('Range', pb([1, KEY]))).toBe(KEY);
    expect(words('Range', pb([1, KEY], [3, 1]))).toBe(KEY);
    expect(words('Range', pb([1, '/registry/pods/'], [2, '/registry/pods0'], [3, 500]))).toBe(
      '/registry/pods/…, at most 500',
    );
    expect(words('Range', pb([1, '/registry/pods/default/b\0'], [2, '/registry/pods0'], [4, 71]))).toBe(
      '/registry/pods/… after default/b, at revision 71',
    );
    expect(words('Range', pb([1, '/registry/pods/'], [2, '/registry/pods0'], [9, 1]))).toBe('/registry/pods/…, count');
    expect(words('Range', pb([1, 'a'], [2, '\0']))).toBe('a… and all after it');
    expect(words('Range', pb([1, 'a'], [2, 'k']))).toBe('a to k');
  });

  it('transactions as what they mean', () => {
    const txn = (...fields: [number, Uint8Array][]): string => words('Txn', pb(...fields));
    expect(txn([1, compareMod(KEY, 0)], [2, put(KEY, POD)])).toBe(`create ${KEY}`);
    expect(txn([1, compareMod(KEY, 705)], [2, put(KEY, POD)], [3, pb([1, pb([1, KEY])])])).toBe(
      `update ${KEY} if mod revision = 705`,
    );
    expect(txn([1, compareMod(KEY, 705)], [2, pb([3, pb([1, KEY])])])).toBe(`delete ${KEY} if mod revision = 705`);
    expect(txn([1, pb([3, 'compact_rev_key'], [4, 3])], [2, put('compact_rev_key', Buffer.from('9'))])).toBe(
      'update compact_rev_key if version = 3',
    );
    expect(txn([2, put(KEY, POD)])).toBe(`put ${KEY}`);
    expect(txn([1, compareMod('a', 1)], [1, compareMod('b', 1)], [2, put('a', POD)], [2, put('b', POD)])).toBe(
      'update a and 1 more if mod revision = 1 and 1 more',
    );
    expect(txn([1, compareMod('lock', 4)], [2, put(KEY, POD)])).toBe(`update ${KEY} if mod revision of lock = 4`);
  });

  it('a value that is compared with is not shown', () => {
    const compare = pb([2, 3], [3, KEY], [7, 'hunter2']);
    expect(words('Txn', pb([1, compare], [2, put(KEY, POD)]))).toBe(`update ${KEY} if value = …`);
  });

  it('leases, compaction, watches', () => {
    expect(words('LeaseGrant', pb([1, 15]), 'Lease')).toBe('15 s');
    expect(words('LeaseRevoke', pb([1, 0x694da1fc59e1b237n]), 'Lease')).toBe('lease 694da1fc59e1b237');
    expect(words('Compact', pb([1, 600]))).toBe('revision 600');
    expect(words('Watch', pb([1, pb([1, '/registry/pods/'], [2, '/registry/pods0'], [3, 713])]), 'Watch')).toBe(
      'create /registry/pods/… from revision 713',
    );
    expect(words('Watch', pb([2, pb([1, 3])]), 'Watch')).toBe('cancel watch 3');
    expect(words('Watch', pb([3, '']), 'Watch')).toBe('progress?');
  });
});

describe('what is put under a key', () => {
  it('is an object, whose version is the revision of the answer', () => {
    const txn = call('KV', 'Txn');
    const asked = ETCD.readRequest(txn, pb([1, compareMod(KEY, 0)], [2, put(KEY, POD)]));
    expect(asked).toMatchObject({
      key: KEY,
      resource: 'pods',
      namespace: 'default',
      name: 'nginx',
      changes: 'creates',
      object: { kind: 'Pod', name: 'nginx', namespace: 'default', uid: 'uid-1', resourceVersion: null },
    });
    const answered = ETCD.readResponse(txn, pb([1, header(712)], [2, 1], [3, pb([2, pb([1, pb([3, 712])])])]));
    expect(answered).toMatchObject({
      words: ', revision 712',
      succeeded: true,
      revision: '712',
      object: { kind: 'Pod', uid: 'uid-1', resourceVersion: '712' },
    });
  });

  it('a failed compare has the present object, with its own version', () => {
    const txn = call('KV', 'Txn');
    ETCD.readRequest(txn, pb([1, compareMod(KEY, 1)], [2, put(KEY, POD)], [3, pb([1, pb([1, KEY])])]));
    const kv = pb([1, KEY], [2, 700], [3, 705], [4, 2], [5, POD]);
    const answered = ETCD.readResponse(txn, pb([1, header(712)], [3, pb([1, pb([2, kv], [4, 1])])]));
    expect(answered).toMatchObject({
      words: ', revision 712 (compare failed)',
      succeeded: false,
      object: { uid: 'uid-1', resourceVersion: '705' },
    });
  });

  it('an encrypted value is marked, and is no object', () => {
    const value = Buffer.from('k8s:enc:aescbc:v1:key1:\x01\x02\x03');
    const asked = ETCD.readRequest(call('KV', 'Txn'), pb([1, compareMod(KEY, 0)], [2, put(KEY, value)]));
    expect(asked.words).toBe(`create ${KEY} (encrypted)`);
    expect(asked.object).toBeUndefined();
  });

  it('a custom resource is JSON', () => {
    const value = Buffer.from('{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"one","uid":"u"}}');
    const asked = ETCD.readRequest(call('KV', 'Put'), pb([1, '/registry/example.com/widgets/default/one'], [2, value]));
    expect(asked.object).toMatchObject({ apiVersion: 'example.com/v1', kind: 'Widget', name: 'one', uid: 'u' });
  });
});

describe('reads', () => {
  const answer = (request: Uint8Array, response: Uint8Array): ReturnType<typeof ETCD.readResponse> => {
    const range = call('KV', 'Range');
    ETCD.readRequest(range, request);
    return ETCD.readResponse(range, response);
  };

  it('one key: its object, with the version it was written with', () => {
    const kv = pb([1, KEY], [2, 700], [3, 705], [4, 2], [5, POD]);
    expect(answer(pb([1, KEY]), pb([1, header(712)], [2, kv], [4, 1]))).toMatchObject({
      words: ', revision 712',
      key: KEY,
      object: { kind: 'Pod', resourceVersion: '705' },
    });
  });

  it('no key, and many', () => {
    expect(answer(pb([1, KEY]), pb([1, header(712)])).words).toBe(', revision 712 (no such key)');
    const many = pb([1, '/registry/pods/'], [2, '/registry/pods0'], [3, 2]);
    const kv = pb([1, KEY], [3, 705], [5, POD]);
    const answered = answer(many, pb([1, header(712)], [2, kv], [2, kv], [3, 1], [4, 9]));
    expect(answered.words).toBe(', revision 712 (9 keys)');
    expect(answered.object).toBeUndefined();
  });
});

it('a read in pieces (etcd 3.7) has the keys of each piece, and their total with the last', () => {
  const told = (range: Buffer): unknown => ETCD.readStreamed(call('KV', 'RangeStream'), pb([1, range]));
  const kv = pb([1, KEY], [2, 705], [3, 712], [5, POD]);
  expect(ETCD.readRequest(call('KV', 'RangeStream'), pb([1, '/registry/pods/'], [2, '/registry/pods0'])).words).toBe(
    '/registry/pods/…',
  );
  expect(told(pb([2, kv], [2, kv]))).toMatchObject([{ kind: 'message', words: '2 keys', revision: undefined }]);
  expect(told(pb([1, header(713)], [2, kv], [4, 3]))).toMatchObject([
    { words: '1 key, revision 713 (3 in all)', revision: '713' },
  ]);
});

describe('watches', () => {
  const told = (bytes: Uint8Array): ReturnType<typeof ETCD.readStreamed> =>
    ETCD.readStreamed(call('Watch', 'Watch'), bytes);

  it('each change is an event', () => {
    const kv = pb([1, KEY], [2, 705], [3, 712], [4, 2], [5, POD]);
    const gone = pb([1, 1], [2, pb([1, KEY], [3, 713])], [3, kv]);
    const events = told(pb([1, header(713)], [2, 4], [11, pb([2, kv])], [11, gone]));
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({
      kind: 'event',
      type: 'PUT',
      words: `PUT ${KEY}`,
      revision: '712',
      object: { kind: 'Pod', resourceVersion: '712' },
    });
    expect(events[1]).toMatchObject({ kind: 'event', type: 'DELETE', revision: '713', object: { uid: 'uid-1' } });
  });

  it('a message about the watch itself is a part of the stream', () => {
    expect(told(pb([1, header(713)], [2, 4], [3, 1]))).toMatchObject([{ kind: 'message', words: 'watch 4 created' }]);
    expect(told(pb([1, header(713)], [2, 4], [4, 1], [5, 600]))).toMatchObject([
      { words: 'watch 4 canceled: compacted up to revision 600' },
    ]);
    expect(told(pb([1, header(713)], [2, -1]))).toMatchObject([{ words: 'progress, revision 713', revision: '713' }]);
  });
});

it('cut at any byte it reads on and never throws', () => {
  const kv = pb([1, KEY], [2, 700], [3, 705], [4, 2], [5, POD]);
  const messages: [string, Buffer][] = [
    ['Txn', pb([1, compareMod(KEY, 705)], [2, put(KEY, POD)], [3, pb([1, pb([1, KEY])])])],
    ['Range', pb([1, header(7)], [2, kv], [4, 1])],
    ['Watch', pb([1, header(7)], [11, pb([2, kv])])],
  ];
  let read = 0;
  for (const [method, bytes] of messages)
    for (let end = 0; end <= bytes.length; end++) {
      const one = call(method === 'Watch' ? 'Watch' : 'KV', method);
      ETCD.readRequest(one, bytes.subarray(0, end));
      ETCD.readResponse(one, bytes.subarray(0, end));
      read += ETCD.readStreamed(one, bytes.subarray(0, end)).length;
    }
  expect(read).toBeGreaterThan(100);
});
