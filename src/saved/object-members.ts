// Reads the object that a message carries from the bytes of its line.

import { readOwners, readRow } from '../kubernetes/messages/field-values.js';
import type { ObjectField } from '../kubernetes/messages/message.js';
import { asciiBytes } from '../render/messages/line-buffer.js';
import type { LineCursor } from './line-cursor.js';
import { readMembers, rowsOf } from './members.js';
import type { SavedFields } from './saved-fields.js';

/** Of an object, while it is read. */
class ObjectMembers {
  apiVersion: string | null | undefined = undefined;
  namespace: string | null | undefined = undefined;
  name: string | null | undefined = undefined;
  uid: string | null | undefined = undefined;
  resourceVersion: string | null | undefined = undefined;
  generation: number | undefined = undefined;
  deletionTimestamp: string | undefined = undefined;
  owners: ObjectField['owners'] = undefined;
  items: number | undefined = undefined;
  rows: number | undefined = undefined;
  row: ObjectField['row'] = undefined;

  clear(): void {
    this.apiVersion = undefined;
    this.namespace = undefined;
    this.name = undefined;
    this.uid = undefined;
    this.resourceVersion = undefined;
    this.generation = undefined;
    this.deletionTimestamp = undefined;
    this.owners = undefined;
    this.items = undefined;
    this.rows = undefined;
    this.row = undefined;
  }
}

/** @returns false where it is not of the usual form. */
export function readObjectField(cursor: LineCursor, into: SavedFields): boolean {
  if (!cursor.skips(K_OBJECT_KIND)) return false;
  const kind = cursor.text();
  if (kind === undefined) return false;
  MEMBERS.clear();
  if (!readMembers(OBJECT_MEMBERS, cursor, MEMBERS)) return false;
  const { apiVersion, namespace, name, uid, resourceVersion } = MEMBERS;
  const { generation, deletionTimestamp, owners, items, rows, row } = MEMBERS;
  into.object = {
    apiVersion: apiVersion as string | undefined,
    kind,
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    deletionTimestamp,
    owners,
    items,
    rows,
    row,
  };
  return cursor.skipsByte(CLOSE_BRACE);
}

const MEMBERS = new ObjectMembers();
const OBJECT_MEMBERS = rowsOf<ObjectMembers>([
  [
    'apiVersion',
    (cursor, into) => {
      into.apiVersion = cursor.textOrNull();
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
