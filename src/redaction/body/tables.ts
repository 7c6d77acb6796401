// Reads the rows of fields.txt, which decide what strings of a body are shown, by what they are about.

import { textSections } from '../../core/text-table.js';
import FIELDS from './fields.txt?raw';
import { type FieldRow, fieldRows, rowsByField } from './rows.js';

const SECTIONS = new Map(textSections(FIELDS).map(({ heading, lines }) => [heading, fieldRows(lines)]));

export function rowsOf(heading: string): readonly FieldRow[] {
  return SECTIONS.get(heading) as readonly FieldRow[];
}

export const OBJECT_ROWS = rowsOf('any object');
/** Those of annotations: the last row is for all that are not listed. */
export const ANNOTATION_ROWS = rowsOf('annotations').map((row) => ({ ...row, field: `annotations[${row.field}]` }));
export const EXTRA_ROWS = rowsOf('tables and metrics');
export const CUSTOM_ROWS = rowsOf('custom resources');

export const KUBERNETES_BY_FIELD = rowsByField(rowsOf('built-in kinds of Kubernetes'));
export const SPECIAL_BY_TYPE = rowsByField(rowsOf('messages of protobuf that JSON writes in another form'));
export const CRI_BY_FIELD = rowsByField(rowsOf('container runtime interface'));
export const ETCD_BY_FIELD = rowsByField(rowsOf('etcd'));
export const DOCKER_BY_MEMBER = rowsByField(rowsOf('docker'));
export const REGISTRY_BY_MEMBER = rowsByField(rowsOf('registries'));
export const KUBELET_BY_MEMBER = rowsByField(rowsOf('kubelet'));
export const SERVER_BY_MEMBER = rowsByField(rowsOf('what servers say of themselves'));

/**
 * The row of all annotations that none is for: they may hold whole objects in JSON (`kubectl.kubernetes.io/last-applied-configuration`),
 * records, compressed documents, prose.
 */
export const UNLISTED = ANNOTATION_ROWS[ANNOTATION_ROWS.length - 1];
const BY_ANNOTATION = new Map(ANNOTATION_ROWS.map((row) => [row.field.slice('annotations['.length, -1), row]));

/** @returns the row of an annotation; UNLISTED if its value is not shown. */
export function annotationRow(key: string): FieldRow {
  return BY_ANNOTATION.get(key) ?? UNLISTED;
}
