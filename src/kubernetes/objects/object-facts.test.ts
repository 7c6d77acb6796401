import { expect, it } from 'vitest';
import { daemonNodeOf, listedUids } from './object-facts.js';

const byName = (...values: string[]): object => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values }] });

function nodeOf(...nodeSelectorTerms: object[]): string | undefined {
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  const pod = { kind: 'Pod', apiVersion: 'v1', spec: { affinity: { nodeAffinity: required } } };
  return daemonNodeOf(new TextEncoder().encode(JSON.stringify(pod)), 'application/json');
}

it('a Pod of a DaemonSet names its node in each term', () => {
  expect(nodeOf(byName('n1'))).toBe('n1');
  expect(nodeOf({ ...byName('n1'), matchExpressions: [] }, byName('n1'))).toBe('n1');
});

it('others name none, or several', () => {
  const labelled = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] };
  expect([nodeOf(), nodeOf(labelled), nodeOf(byName('n1'), labelled)]).toEqual([undefined, undefined, undefined]);
  expect([nodeOf(byName('n1', 'n2')), nodeOf(byName('n1'), byName('n2'))]).toEqual([undefined, undefined]);
});

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
