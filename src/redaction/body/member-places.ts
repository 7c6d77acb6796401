// Steps from a place to the next one by the name of a member, for JSON pointers and for tables.

import { isIndex } from '../objects.js';
import { customMember } from './custom-fields.js';
import { type FieldPlace, LABEL_ROW } from './field-places.js';
import { isWellKnown } from './label-values.js';
import { annotationRow, UNLISTED } from './tables.js';

/**
 * @param token a member, the key of a map, or an index of a list.
 * @param value the value there; undefined if a pointer names it.
 */
export function step(place: FieldPlace, token: string, value?: unknown): FieldPlace {
  switch (place.at) {
    case 'map':
      return place.element;
    case 'leaf':
      return valuePlace(place, token);
    case 'message':
      return isIndex(token) ? place : place.type.member(token);
    case 'object':
      return isIndex(token) ? place : step(place.otherwise, token, value);
    case 'members': {
      const row = place.rows.get(token);
      // `State` is a word in a list of containers, but an object in the details of one.
      const isStructure = row !== undefined && !WHOLE.has(row.showing) && holdsObjects(value);
      return row === undefined || isStructure ? place : { at: 'leaf', row };
    }
    case 'custom':
      return isIndex(token) ? place : customMember(place.area, token, value);
  }
}

/** Whether a table lists this key: a field of a type, a member of an API, an annotation or a label of Kubernetes. */
export function isListed(place: FieldPlace, name: string): boolean {
  switch (place.at) {
    case 'message':
      return place.type.isListed(name);
    case 'members':
      return place.rows.has(name);
    case 'leaf':
      return place.row.showing === 'annotations' ? annotationRow(name) !== UNLISTED : isWellKnown(name);
    default:
      return false;
  }
}

function holdsObjects(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsObjects);
  return typeof value === 'object' && value !== null;
}

/** The place of one label's or annotation's value, from the place of all of them. */
function valuePlace(place: FieldPlace & { at: 'leaf' }, key: string): FieldPlace {
  if (place.key !== undefined) return place;
  if (place.row.showing === 'annotations') return { at: 'leaf', row: annotationRow(key), key };
  return place.row.showing === 'labels' ? { at: 'leaf', row: LABEL_ROW, key } : place;
}

/** Rows that apply to a whole object. */
const WHOLE: ReadonlySet<string> = new Set(['none', 'labels', 'annotations']);
