// Collects all rows that decide what of a body is shown, for the pages that list them and for tests.

import { dictionary } from '../../core/collections/dictionary.js';
import { ANNOTATION_ROWS, UNLISTED } from './annotations.js';
import { CUSTOM_ROWS } from './custom-fields.js';
import { DOCKER_ROWS, KUBELET_ROWS, REGISTRY_ROWS, SERVER_ROWS } from './engine-fields.js';
import { EXTRA_ROWS } from './extra-kinds.js';
import {
  ENUM_ROW,
  type FieldPlace,
  kubernetesPlan,
  LABEL_ROW,
  messagePlace,
  NUMBER_ROW,
  placeOfMessage,
} from './field-places.js';
import { CRI_ROWS, ETCD_ROWS } from './grpc-fields.js';
import { KUBERNETES_ROWS, OBJECT_ROWS, SPECIAL_ROWS } from './kubernetes-fields.js';
import { step } from './member-places.js';
import type { FieldRow } from './rows.js';
import { ARGUMENT_ROW, PATCH_ROWS } from './walk.js';

/** Rows by their subject. */
export const FIELD_ROWS: Readonly<Record<string, readonly FieldRow[]>> = dictionary({
  'built-in kinds of Kubernetes': [...KUBERNETES_ROWS, ...SPECIAL_ROWS, ARGUMENT_ROW, ENUM_ROW, NUMBER_ROW],
  'any object': OBJECT_ROWS,
  labels: [LABEL_ROW],
  annotations: [...ANNOTATION_ROWS, UNLISTED],
  'tables and metrics': EXTRA_ROWS,
  'JSON patches': PATCH_ROWS,
  'custom resources': CUSTOM_ROWS,
  'container runtime interface': CRI_ROWS,
  etcd: ETCD_ROWS,
  docker: DOCKER_ROWS,
  registries: REGISTRY_ROWS,
  kubelet: KUBELET_ROWS,
  'what servers say of themselves': SERVER_ROWS,
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
