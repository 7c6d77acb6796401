// Collects all rows that decide what of a body is shown, for the pages that list them.

import { dictionary } from '../../src/core/collections/dictionary.js';
import {
  ENUM_ROW,
  type FieldPlace,
  kubernetesPlan,
  LABEL_ROW,
  messagePlace,
  NUMBER_ROW,
  placeOfMessage,
} from '../../src/redaction/body/field-places.js';
import { step } from '../../src/redaction/body/member-places.js';
import type { FieldRow } from '../../src/redaction/body/rows.js';
import * as tables from '../../src/redaction/body/tables.js';
import { ARGUMENT_ROW, PATCH_ROWS } from '../../src/redaction/body/walk.js';

/** Rows by their subject. */
export const FIELD_ROWS: Readonly<Record<string, readonly FieldRow[]>> = dictionary({
  'built-in kinds of Kubernetes': [
    ...tables.rowsOf('built-in kinds of Kubernetes'),
    ...tables.rowsOf('messages of protobuf that JSON writes in another form'),
    ARGUMENT_ROW,
    ENUM_ROW,
    NUMBER_ROW,
  ],
  'any object': tables.OBJECT_ROWS,
  labels: [LABEL_ROW],
  annotations: tables.ANNOTATION_ROWS,
  'tables and metrics': tables.EXTRA_ROWS,
  'JSON patches': PATCH_ROWS,
  'custom resources': tables.CUSTOM_ROWS,
  'container runtime interface': tables.rowsOf('container runtime interface'),
  etcd: tables.rowsOf('etcd'),
  docker: tables.rowsOf('docker'),
  registries: tables.rowsOf('registries'),
  kubelet: tables.rowsOf('kubelet'),
  'what servers say of themselves': tables.rowsOf('what servers say of themselves'),
});

/**
 * The row that applies to a string, as far as types alone determine it.
 * @param type full name of a message: `k8s.io.api.core.v1.Pod`, `runtime.v1.CreateContainerRequest`.
 * @param path names of members, keys of maps and indices of lists from there on.
 * @returns undefined if there is no string of a known type.
 */
export function rowOf(type: string, path: readonly string[]): FieldRow | undefined {
  let place: FieldPlace | undefined = messagePlace(kubernetesPlan(type)) ?? placeOfMessage(type);
  for (const token of path) place = place === undefined ? undefined : step(place, token);
  return place?.at === 'leaf' ? place.row : undefined;
}
