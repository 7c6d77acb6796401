import { expect, it } from 'vitest';
import { daemonNodeOf } from './daemon-node.js';

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
