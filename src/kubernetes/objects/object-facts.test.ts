import { expect, it } from 'vitest';
import { listedUids } from './object-facts.js';

it('has the uids of the objects of a list, in JSON and in protobuf', () => {
  const items = [{ metadata: { name: 'a', uid: 'u1' } }, { metadata: {} }, {}, { metadata: { uid: 'u2' } }];
  const json = Buffer.from(JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items }));
  expect(listedUids(json, 'application/json')).toEqual(['u1', 'u2']);
  expect(listedUids(json.subarray(0, -20), 'application/json')).toEqual(['u1']);
  // runtime.Unknown { typeMeta = 1 { v1, PodList }, raw = 2 { metadata = 1, items = 2 { metadata = 1 { uid = 5 } } } }
  const list = '6b387300 0a0d 0a027631 1207506f644c697374 120c 0a00 1208 0a06 0a01302a0132';
  expect(listedUids(Buffer.from(list.replaceAll(' ', ''), 'hex'), 'application/vnd.kubernetes.protobuf')).toEqual([
    '2',
  ]);
});

it('has none of what is no list', () => {
  expect(listedUids(Buffer.from('{"kind":"Status","status":"Success"}'), 'application/json')).toEqual([]);
  expect(listedUids(Buffer.from('nothing'), 'text/plain')).toEqual([]);
});
