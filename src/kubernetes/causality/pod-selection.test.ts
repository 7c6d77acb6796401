import { expect, it } from 'vitest';
import { PodSelection } from './pod-selection.js';

const JSON_TYPE = 'application/json';
const SERVICE = 'services. default web';
const POD = 'pods. default web-a';
const bytes = (object: unknown): Uint8Array => Buffer.from(JSON.stringify(object));
const pod = (labels: Record<string, string>): Uint8Array => bytes({ kind: 'Pod', metadata: { labels } });

function selectionOf(kind: string, key: string, spec: unknown): PodSelection {
  const selection = new PodSelection();
  selection.observe(kind, 'default', key, bytes({ kind, spec }), JSON_TYPE);
  return selection;
}

it('a Service selects Pods of its namespace with all of its labels', () => {
  const selection = selectionOf('Service', SERVICE, { selector: { app: 'web', tier: 'front' } });
  selection.observe('Pod', 'default', POD, pod({ app: 'web', tier: 'front', more: 'x' }), JSON_TYPE);
  selection.observe('Pod', 'default', 'pods. default b', pod({ app: 'web' }), JSON_TYPE);
  selection.observe('Pod', 'other', 'pods. other c', pod({ app: 'web', tier: 'front' }), JSON_TYPE);
  expect(selection.selecting(POD)).toEqual([SERVICE]);
  expect(selection.selecting('pods. default b')).toEqual([]);
  expect(selection.selecting('pods. other c')).toEqual([]);
});

it('a Service without a selector selects no Pod; a budget with an empty one selects all (policy/v1)', () => {
  const none = selectionOf('Service', SERVICE, {});
  none.observe('Pod', 'default', POD, pod({}), JSON_TYPE);
  expect(none.selecting(POD)).toEqual([]);
  const all = selectionOf('PodDisruptionBudget', 'poddisruptionbudgets.policy default b', { selector: {} });
  all.observe('Pod', 'default', POD, bytes({ kind: 'Pod', metadata: {} }), JSON_TYPE);
  expect(all.selecting(POD)).toEqual(['poddisruptionbudgets.policy default b']);
});

it.each([
  [{ key: 'app', operator: 'In', values: ['web'] }, true],
  [{ key: 'app', operator: 'NotIn', values: ['web'] }, false],
  [{ key: 'app', operator: 'Exists' }, true],
  [{ key: 'app', operator: 'DoesNotExist' }, false],
  [{ key: 'constructor', operator: 'DoesNotExist' }, true],
])('an expression: %o', (expression, isSelected) => {
  const selection = selectionOf('PodDisruptionBudget', 'b', { selector: { matchExpressions: [expression] } });
  selection.observe('Pod', 'default', POD, pod({ app: 'web' }), JSON_TYPE);
  expect(selection.selecting(POD)).toEqual(isSelected ? ['b'] : []);
});

it('a changed selector selects anew, a deleted Service no more', () => {
  const selection = selectionOf('Service', SERVICE, { selector: { app: 'other' } });
  selection.observe('Pod', 'default', POD, pod({ app: 'web' }), JSON_TYPE);
  expect(selection.selecting(POD)).toEqual([]);
  selection.observe(
    'Service',
    'default',
    SERVICE,
    bytes({ kind: 'Service', spec: { selector: { app: 'web' } } }),
    JSON_TYPE,
  );
  expect(selection.selecting(POD)).toEqual([SERVICE]);
  selection.deleted('default', SERVICE);
  expect(selection.selecting(POD)).toEqual([]);
});
