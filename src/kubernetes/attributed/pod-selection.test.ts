import { describe, expect, it } from 'vitest';
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

it('a Pod whose labels change is selected by those that it has now (endpoint util: GetServicesToUpdateOnPodChange)', () => {
  const selection = selectionOf('Service', SERVICE, { selector: { app: 'web' } });
  selection.observe('Pod', 'default', POD, pod({ app: 'web' }), JSON_TYPE);
  expect(selection.selecting(POD)).toEqual([SERVICE]);
  selection.observe('Pod', 'default', POD, pod({ app: 'debug' }), JSON_TYPE);
  expect(selection.selecting(POD)).toEqual([]);
});

it('several Services and budgets select one Pod, and each of their keys is added', () => {
  const selection = selectionOf('Service', SERVICE, { selector: { app: 'web' } });
  const budget = 'poddisruptionbudgets.policy default web';
  const spec = { selector: { matchLabels: { app: 'web' } } };
  selection.observe('PodDisruptionBudget', 'default', budget, bytes({ kind: 'PodDisruptionBudget', spec }), JSON_TYPE);
  selection.observe('Pod', 'default', POD, pod({ app: 'web' }), JSON_TYPE);
  expect([...selection.selecting(POD)].sort()).toEqual([budget, SERVICE].sort());
});

it('a Pod that was not captured has no keys', () =>
  expect(selectionOf('Service', SERVICE, { selector: { app: 'web' } }).selecting(POD)).toEqual([]));

describe('beyond the limits', () => {
  const selector = { app: 'web' };
  const service = (): Uint8Array => bytes({ kind: 'Service', spec: { selector } });

  it('of 1,000 Services in a namespace, those since then select', () => {
    const selection = selectionOf('Service', 'services. default s-0', { selector });
    selection.observe('Pod', 'default', POD, pod(selector), JSON_TYPE);
    for (let at = 1; at <= 1000; at += 1)
      selection.observe('Service', 'default', `services. default s-${at}`, service(), JSON_TYPE);
    expect(selection.selecting(POD)).toEqual(['services. default s-1000']);
  });

  it('of 1,000 namespaces, Services since then select', () => {
    const selection = selectionOf('Service', SERVICE, { selector });
    selection.observe('Pod', 'default', POD, pod(selector), JSON_TYPE);
    expect(selection.selecting(POD)).toEqual([SERVICE]);
    for (let at = 1; at <= 1000; at += 1)
      selection.observe('Service', `n-${at}`, `services. n-${at} web`, service(), JSON_TYPE);
    expect(selection.selecting(POD)).toEqual([]);
    selection.observe('Pod', 'n-1000', 'pods. n-1000 a', pod(selector), JSON_TYPE);
    expect(selection.selecting('pods. n-1000 a')).toEqual(['services. n-1000 web']);
  });

  it('of 10,000 Pods, those since then are selected', () => {
    const selection = selectionOf('Service', SERVICE, { selector });
    for (let at = 0; at <= 10_000; at += 1)
      selection.observe('Pod', 'default', `pods. default web-${at}`, pod(selector), JSON_TYPE);
    expect(selection.selecting('pods. default web-0')).toEqual([]);
    expect(selection.selecting('pods. default web-10000')).toEqual([SERVICE]);
  });
});
