// Which row of which table allows what stands in a place: what the property of random strings holds outputs to.

import { requestInfo } from '../../../src/kubernetes/api/request-info.js';
import { kubernetesTable } from '../../../src/protobuf/tables.js';
import {
  CUSTOM_ROOT,
  type FieldPlace,
  kubernetesPlan,
  messagePlace,
  placeOfMessage,
} from '../../../src/redaction/body/field-places.js';
import { placeOfKind, placeOfResource } from '../../../src/redaction/body/kinds.js';
import { isLabelShown } from '../../../src/redaction/body/label-values.js';
import { step } from '../../../src/redaction/body/member-places.js';
import { isShownNumber } from '../../../src/redaction/body/plain-values.js';
import type { FieldRow } from '../../../src/redaction/body/rows.js';
import { CUSTOM_ROWS } from '../../../src/redaction/body/tables.js';
import { fieldShapeOf } from '../../../src/redaction/fields.js';
import { type Api, shapeOf } from '../../../src/redaction/parameters.js';
import { FIELD_ROWS } from '../field-rows.js';
import type { BodyPart, BodyPlace, Place } from './places.js';

const APIS: readonly Api[] = ['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http'];

/** @param text the random string. @returns the row, in words; null: no table allows it. */
export function rowOf(place: Place, text: string): string | null {
  switch (place.in) {
    case 'header': {
      const shape = fieldShapeOf(place.name);
      if (place.name === 'x-remote-user') return USER_ROW;
      return shape === undefined ? null : `fields.ts: ${shape}: ${place.name}`;
    }
    case 'query': {
      const shape = APIS.map((api) => shapeOf(api, place.path, place.name)).find((one) => one !== undefined);
      return shape === undefined ? null : `parameters.ts: ${shape}: ${place.name}`;
    }
    case 'body':
      return rowOfBody(place);
    case 'number':
      return rowOfNumber(place);
    case 'selector':
      if (place.parameter === 'fieldSelector' && NAMING_FIELDS.test(place.key)) return `field selector: ${place.key}`;
      return isLabelShown(place.key, text) ? `label: ${place.key}` : null;
    case 'segment':
      return place.role === 'name' ? 'target.ts: name at the end of a path of a kubelet or registry' : null;
    // No table has a key that nobody knows, and a user of an authority is a secret.
    case 'key':
    case 'user-info':
      return null;
  }
}

/** Fields that hold names of objects and states (label-values.ts). */
const NAMING_FIELDS =
  /^(?:metadata|involvedObject|regarding)\.\w+$|^spec\.(?:nodeName|podName|serviceAccountName|clusterIP|signerName)$|^status\.phase$/;
/** Numbers of built-in kinds are no secrets; others only where the field's name says what is counted. */
function rowOfNumber(place: BodyPart): string | null {
  const field = place.path.filter((name) => name !== '*').at(-1) ?? '';
  if (isShownNumber(4_123_456_789, field)) return `plain-values.ts: number: ${field}`;
  const end = place.path.reduce<FieldPlace>(
    (at, name) => step(at, name === '*' ? '0' : name),
    beginning({ ...place, in: 'body' }),
  );
  return end.at === 'leaf' ? `${end.row.field}: number` : null;
}

/** @param place with `type`, the object or message, and `path`, its members down to the string. */
export function rowOfBody(place: BodyPlace): string | null {
  const row = rowsOf(place).find(({ showing }) => showing !== 'none');
  return row === undefined ? null : `${row.field}: ${row.showing}, ${row.reason}`;
}

function rowsOf(place: BodyPlace): readonly FieldRow[] {
  const { api, path, type } = place;
  const names = path.filter((name) => name !== '*');
  const last = names[names.length - 1];
  const named = (rows: readonly FieldRow[], field: string): FieldRow[] => rows.filter((row) => row.field === field);
  if (api === 'json') return JSON_APIS.flatMap((heading) => named(FIELD_ROWS[heading], last));
  // What an event of a watch is, labels say.
  if ((type === '/' || type.endsWith('/WatchEvent')) && names.join('.') === 'type') return [WATCH_ROW];
  // Who says in protobuf that it is no list has an object's metadata, whose third field is the namespace.
  if (type.endsWith('List') && names.join('.') === 'metadata.continue') return [NAMESPACE_ROW];
  const patch = path[0] === '*' ? path[1] : undefined;
  if (patch === 'op' || patch === 'path' || patch === 'from') return FIELD_ROWS['JSON patches'];
  // Where the value of a patch stands, its pointer says, which is not known here.
  if (patch === 'value') return named(FIELD_ROWS['built-in kinds of Kubernetes'], last);
  const end = path.reduce<FieldPlace>((at, name) => step(at, name === '*' ? '0' : name), beginning(place));
  if (end.at === 'leaf') return [end.row];
  if (end.at !== 'custom') return [];
  // A discovery document that does not say its version is known by its kind, and references by their shape.
  return [
    ...(type === '/' ? named(FIELD_ROWS['built-in kinds of Kubernetes'], last) : []),
    ...named(CUSTOM_ROWS, `custom.reference.${last}`),
  ];
}

const JSON_APIS = ['docker', 'registries', 'kubelet', 'what servers say of themselves'];
const WATCH_ROW: FieldRow = { field: 'type', showing: 'word', reason: 'of a watch event (fields.ts)' };
/** Hidden as a field, and shown as the name of a user, as `Impersonate-User` is (kubernetes/users). */
const USER_ROW = 'message field user: name: whom a front proxy asks for (fields.ts)';
const NAMESPACE_ROW: FieldRow = { field: 'namespace', showing: 'name', reason: 'of an object (fields.ts)' };

function beginning({ api, type, target }: BodyPlace): FieldPlace {
  if (api === 'etcd' || api === 'cri') return placeOfMessage(type) ?? CUSTOM_ROOT;
  // As the table of kinds writes it: `/v1/Pod`, `apps/v1/Deployment`.
  const gvk = type.split('/').length === 2 ? `/${type}` : type;
  const known = kubernetesTable().section<Record<string, string>>('gvk')[gvk];
  if (known !== undefined) return messagePlace(kubernetesPlan(known)) ?? CUSTOM_ROOT;
  const [kind, ...version] = type.split('/').reverse();
  const options = type === '/' ? undefined : placeOfKind(version.reverse().join('/'), kind);
  if (options !== undefined) return options;
  return (type === '/' ? placeOfResource(requestInfo('GET', target) ?? {}) : undefined) ?? CUSTOM_ROOT;
}
