// From a place to the next one by the name of a member, as the pointer of a JSON patch and the rows of tables need it.

import { annotationRow } from './annotations.js';
import { customMember } from './custom-fields.js';
import { type FieldPlace, LABEL_ROW } from './field-places.js';

/**
 * @param token a member, the key of a map, or an index of a list.
 * @param value what stands there; undefined where a pointer names it.
 */
export function step(place: FieldPlace, token: string, value?: unknown): FieldPlace {
  switch (place.at) {
    case 'map':
      return place.element;
    case 'leaf':
      return keyed(place, token);
    case 'message':
      return INDEX.test(token) ? place : place.type.member(token);
    case 'object':
      return INDEX.test(token) ? place : step(place.otherwise, token, value);
    case 'members': {
      const row = place.rows.get(token);
      // `State` is a word where containers are listed, and an object where one is inspected.
      const isStructure = row !== undefined && !WHOLE.has(row.showing) && holdsObjects(value);
      return row === undefined || isStructure ? place : { at: 'leaf', row };
    }
    case 'custom':
      return INDEX.test(token) ? place : customMember(place.area, token, value);
  }
}

/** Reference tokens of a JSON pointer (RFC 6901). */
export function pointerTokens(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function isIndex(token: string): boolean {
  return INDEX.test(token);
}

function holdsObjects(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsObjects);
  return typeof value === 'object' && value !== null;
}

/** The value of one label or annotation, where the place is that of all of them. */
function keyed(place: FieldPlace & { at: 'leaf' }, key: string): FieldPlace {
  if (place.key !== undefined) return place;
  if (place.row.showing === 'annotations') return { at: 'leaf', row: annotationRow(key), key };
  return place.row.showing === 'labels' ? { at: 'leaf', row: LABEL_ROW, key } : place;
}

/** Rows that judge an object whole. */
const WHOLE: ReadonlySet<string> = new Set(['none', 'labels', 'annotations']);
const INDEX = /^(?:\d+|-)$/;
