// Which row of which table allows what stands in a place: what the property of random strings holds outputs to.

import { kubernetesTable } from '../src/protobuf/tables.js';
import { rowOfField } from '../src/redaction/fields.js';
import { showingOf } from '../src/redaction/parameters.js';
import type { BodyPlace, Place } from './random-strings.js';

/** @returns the row, in words; null: no table allows it. */
export function rowOf(place: Place): string | null {
  switch (place.in) {
    case 'header':
      return rowOfField(place.name);
    case 'query':
      return showingOf(place.path, place.name) === 'value' ? `parameters.ts: ${place.name}` : null;
    case 'body':
      return rowOfBody(place);
  }
}

/**
 * What may be shown of bodies. To be asked of the tables of src/redaction/body as soon as they are there; until then it knows
 * who an object is and what messages tell of it, and nothing of what it holds.
 *
 * @param place with `type`, the object or message, and `path`, its members down to the string.
 */
export function rowOfBody({ type, path, api }: BodyPlace): string | null {
  if (api === 'json') return null;
  const row = OBJECT_ROWS.find(([types, paths]) => types.test(type) && paths.test(path.join('.')));
  return row === undefined ? null : `${row[2]} (${type}: ${path.join('.')})`;
}

/**
 * The place as a table by message types wants it: full name of a message (`k8s.io.api.core.v1.Pod`, `runtime.v1.PullImageRequest`) and members
 * with `0` for an element of a list; null for bodies of no built-in type, of which only `target` tells what they are.
 */
export function typedPlace({
  api,
  type,
  path,
}: BodyPlace): { readonly type: string; readonly path: readonly string[] } | null {
  const known = api === 'kubernetes' ? kubernetesTable().section<Record<string, string>>('gvk')[gvkOf(type)] : type;
  if (known === undefined || api === 'json') return null;
  return { type: known, path: path.map((name) => (name === '*' ? '0' : name)) };
}

/** As the table of kinds writes it: `/v1/Pod`, `apps/v1/Deployment`. */
function gvkOf(type: string): string {
  return type.split('/').length === 2 ? `/${type}` : type;
}

/** Of types and paths: what the row is called. A first match counts. */
const OBJECT_ROWS: readonly (readonly [RegExp, RegExp, string])[] = [
  [/./, /(?:^|\.)(?:apiVersion|kind)$/, 'kinds'],
  [/^(?:meta\.k8s\.io\/v1\/WatchEvent|\/)$/, /^type$/, 'types of watch events'],
  [
    /./,
    /(?:^|\.)metadata\.(?:name|namespace|generateName|uid|resourceVersion|creationTimestamp|deletionTimestamp)$/,
    'identity',
  ],
  [/./, /(?:^|\.)(?:name|namespace|uid|nodeName|resourceVersion)$/, 'names and references'],
  [/./, /(?:^|\.)(?:reason|type|phase)$/, 'words of machines'],
  [/./, /(?:^|\.)image(?:Ref|\.image|ID)?$/, 'images'],
  [/^v1\/Status$/, /^(?:status|details\.(?:group|kind|name))$/, 'what a Status is about'],
];
