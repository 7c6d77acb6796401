// Decides which strings are shown of kinds that Kubernetes has in JSON alone, and no protobuf table holds: Tables and metrics.

import { type FieldPlace, INSIDE, kubernetesPlan, TypePlan } from './field-places.js';
import { type FieldRow, fieldRows } from './rows.js';

/** Sources: apimachinery, pkg/apis/meta/v1/types.go (Table); k8s.io/metrics, pkg/apis/metrics/v1beta1/types.go. */
export const EXTRA_ROWS: readonly FieldRow[] = fieldRows([
  ['name', 'which kind it is', 'Table.kind Table.apiVersion Metrics.kind Metrics.apiVersion'],
  ['phrase', 'the heading of a column', 'TableColumnDefinition.name'],
  ['word', 'the type of a column', 'TableColumnDefinition.type TableColumnDefinition.format'],
  ['none', 'prose', 'TableColumnDefinition.description'],
  [
    'cell',
    'what people read: names, states, counts, ages, and what printer columns of custom resources show',
    'TableRow.cells',
  ],
  ['text', "the server's message", 'TableRowCondition.message'],
  ['word', 'a state and its reason', 'TableRowCondition.type TableRowCondition.status TableRowCondition.reason'],
  ['time', 'when it was measured', 'Metrics.timestamp'],
  ['duration', 'how long it was measured', 'Metrics.window'],
  ['name', 'a name of a container', 'ContainerMetrics.name'],
  ['quantity', 'what was used', 'Metrics.usage ContainerMetrics.usage'],
]);

/** @param group undefined if the object does not hold it. */
export function extraPlan(group: string | undefined, kind: string): TypePlan | undefined {
  if (kind === 'Table' && group === 'meta.k8s.io') return TABLE;
  return group === 'metrics.k8s.io' ? METRICS.get(kind) : undefined;
}

function plan(name: string, others: () => readonly (readonly [string, FieldPlace])[]): TypePlan {
  const start = `${name}.`;
  const leaves = (): [string, FieldPlace][] =>
    EXTRA_ROWS.filter(({ field }) => field.startsWith(start)).map((row) => [row.field.slice(start.length), leaf(row)]);
  return new TypePlan(name, () => new Map([...leaves(), ...others()]));
}

function leaf(row: FieldRow): FieldPlace {
  return row.showing === 'quantity' ? { at: 'map', element: { at: 'leaf', row } } : { at: 'leaf', row };
}

function message(type: TypePlan | undefined): FieldPlace {
  return type === undefined ? INSIDE : { at: 'message', type };
}

function meta(name: string): FieldPlace {
  return message(kubernetesPlan(`k8s.io.apimachinery.pkg.apis.meta.v1.${name}`));
}

const NO_OTHERS = (): [] => [];
const COLUMN = plan('TableColumnDefinition', NO_OTHERS);
const ROW_CONDITION = plan('TableRowCondition', NO_OTHERS);
const ROW = plan('TableRow', () => [
  ['conditions', message(ROW_CONDITION)],
  // A row holds the metadata of its object, or the whole object.
  ['object', { at: 'object', otherwise: INSIDE }],
]);
const TABLE = plan('Table', () => [
  ['metadata', meta('ListMeta')],
  ['columnDefinitions', message(COLUMN)],
  ['rows', message(ROW)],
]);
const CONTAINER_METRICS = plan('ContainerMetrics', NO_OTHERS);
const ONE = plan('Metrics', () => [
  ['metadata', meta('ObjectMeta')],
  ['containers', message(CONTAINER_METRICS)],
]);
const LIST = new TypePlan(
  'MetricsList',
  () =>
    new Map([
      ['metadata', meta('ListMeta')],
      ['items', message(ONE)],
    ]),
);
const METRICS = new Map([
  ['NodeMetrics', ONE],
  ['PodMetrics', ONE],
  ['NodeMetricsList', LIST],
  ['PodMetricsList', LIST],
]);
