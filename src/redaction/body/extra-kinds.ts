// Describes kinds that Kubernetes has in JSON alone, and no protobuf table holds: Tables and metrics.

import { type FieldPlace, INSIDE, kubernetesPlan, messagePlace, TypePlan } from './field-places.js';
import type { FieldRow } from './rows.js';
import { EXTRA_ROWS } from './tables.js';

/** @param group undefined if the object does not hold it. */
export function extraPlan(group: string | undefined, kind: string): TypePlan | undefined {
  if (kind === 'Table' && group === 'meta.k8s.io') return TABLE;
  return group === 'metrics.k8s.io' ? METRICS.get(kind) : undefined;
}

function plan(name: string, others: () => readonly (readonly [string, FieldPlace])[] = () => []): TypePlan {
  const start = `${name}.`;
  const leaves = (): [string, FieldPlace][] =>
    EXTRA_ROWS.filter(({ field }) => field.startsWith(start)).map((row) => [row.field.slice(start.length), leaf(row)]);
  return new TypePlan(name, () => new Map([...leaves(), ...others()]));
}

function leaf(row: FieldRow): FieldPlace {
  return row.showing === 'quantity' ? { at: 'map', element: { at: 'leaf', row } } : { at: 'leaf', row };
}

function message(type: TypePlan): FieldPlace {
  return { at: 'message', type };
}

function meta(name: string): FieldPlace {
  return messagePlace(kubernetesPlan(`k8s.io.apimachinery.pkg.apis.meta.v1.${name}`)) ?? INSIDE;
}

const COLUMN = plan('TableColumnDefinition');
const ROW_CONDITION = plan('TableRowCondition');
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
const CONTAINER_METRICS = plan('ContainerMetrics');
const ONE = plan('Metrics', () => [
  ['metadata', meta('ObjectMeta')],
  ['containers', message(CONTAINER_METRICS)],
]);
const LIST = plan('MetricsList', () => [
  ['metadata', meta('ListMeta')],
  ['items', message(ONE)],
]);
const METRICS = new Map([
  ['NodeMetrics', ONE],
  ['PodMetrics', ONE],
  ['NodeMetricsList', LIST],
  ['PodMetricsList', LIST],
]);
