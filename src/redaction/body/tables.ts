// Reads the rows of fields.txt, which decide what strings of a body are shown, by what they are about.

import { textSections } from '../../core/text-table.js';
import FIELDS from './fields.txt?raw';
import { type FieldRow, fieldRows, rowsByField } from './rows.js';

const SECTIONS = new Map(textSections(FIELDS).map(({ heading, lines }) => [heading, fieldRows(lines)]));

function rows(heading: string): readonly FieldRow[] {
  return SECTIONS.get(heading) as readonly FieldRow[];
}

export const KUBERNETES_ROWS = rows('built-in kinds of Kubernetes');
export const SPECIAL_ROWS = rows('messages of protobuf that JSON writes in another form');
export const OBJECT_ROWS = rows('any object');
/** Those of annotations: the last row is for all that are not listed. */
export const ANNOTATION_ROWS = rows('annotations').map((row) => ({ ...row, field: `annotations[${row.field}]` }));
export const EXTRA_ROWS = rows('tables and metrics');
export const CUSTOM_ROWS = rows('custom resources');
export const CRI_ROWS = rows('container runtime interface');
export const ETCD_ROWS = rows('etcd');
export const DOCKER_ROWS = rows('docker');
export const REGISTRY_ROWS = rows('registries');
export const KUBELET_ROWS = rows('kubelet');
export const SERVER_ROWS = rows('what servers say of themselves');

export const KUBERNETES_BY_FIELD = rowsByField(KUBERNETES_ROWS);
export const SPECIAL_BY_TYPE = rowsByField(SPECIAL_ROWS);
export const CRI_BY_FIELD = rowsByField(CRI_ROWS);
export const ETCD_BY_FIELD = rowsByField(ETCD_ROWS);
export const DOCKER_BY_MEMBER = rowsByField(DOCKER_ROWS);
export const REGISTRY_BY_MEMBER = rowsByField(REGISTRY_ROWS);
export const KUBELET_BY_MEMBER = rowsByField(KUBELET_ROWS);
export const SERVER_BY_MEMBER = rowsByField(SERVER_ROWS);

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
