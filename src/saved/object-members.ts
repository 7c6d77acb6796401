// Reads the object that a message carries from the bytes of its line.

import { readOwners, readRow } from '../kubernetes/messages/field-values.js';
import type { ObjectField } from '../kubernetes/messages/message.js';
import { asciiBytes } from '../render/messages/line-buffer.js';
import type { LineCursor } from './line-cursor.js';
import { readMembers, rowsOf } from './members.js';
import type { SavedFields } from './saved-fields.js';

type ObjectMembers = { -readonly [Name in keyof ObjectField]: ObjectField[Name] };

/** @returns false where it is not of the usual form. */
export function readObjectField(cursor: LineCursor, into: SavedFields): boolean {
  if (!cursor.skips(K_OBJECT_KIND)) return false;
  const kind = cursor.text();
  if (kind === undefined) return false;
  // All members from the start, in the order of `readObject`, so that every object has one shape.
  const object: ObjectMembers = {
    apiVersion: undefined,
    kind,
    namespace: undefined,
    name: undefined,
    uid: undefined,
    resourceVersion: undefined,
    generation: undefined,
    deletionTimestamp: undefined,
    owners: undefined,
    items: undefined,
    rows: undefined,
    row: undefined,
  };
  if (!readMembers(OBJECT_MEMBERS, cursor, object)) return false;
  into.object = object;
  return cursor.skipsByte(CLOSE_BRACE);
}

const OBJECT_MEMBERS = rowsOf<ObjectMembers>([
  [
    'apiVersion',
    (cursor, into) => {
      into.apiVersion = cursor.textOrNull() as string | undefined;
    },
  ],
  [
    'namespace',
    (cursor, into) => {
      into.namespace = cursor.textOrNull();
    },
  ],
  [
    'name',
    (cursor, into) => {
      into.name = cursor.textOrNull();
    },
  ],
  [
    'uid',
    (cursor, into) => {
      into.uid = cursor.textOrNull();
    },
  ],
  [
    'resourceVersion',
    (cursor, into) => {
      into.resourceVersion = cursor.textOrNull();
    },
  ],
  [
    'generation',
    (cursor, into) => {
      into.generation = cursor.number();
    },
  ],
  [
    'deletionTimestamp',
    (cursor, into) => {
      into.deletionTimestamp = cursor.text();
    },
  ],
  [
    'owners',
    (cursor, into) => {
      into.owners = readOwners(cursor.value());
    },
  ],
  [
    'items',
    (cursor, into) => {
      into.items = cursor.number();
    },
  ],
  [
    'rows',
    (cursor, into) => {
      into.rows = cursor.number();
    },
  ],
  [
    'row',
    (cursor, into) => {
      into.row = readRow(cursor.value());
    },
  ],
]);

const CLOSE_BRACE = 0x7d;
const K_OBJECT_KIND = asciiBytes('{"kind":');
