// Which strings of etcd's API are shown (etcd, api/etcdserverpb/rpc.proto, api/mvccpb/kv.proto, api/authpb/auth.proto).

import { type FieldRow, fieldRows, rowsByField } from './rows.js';

/** Values are objects of Kubernetes, judged by their kind, or a number of bytes before they come here. */
export const ETCD_ROWS: readonly FieldRow[] = fieldRows([
  ['name', 'keys are names of objects', 'key keys range_end'],
  [
    'name',
    'names of members, users and roles, and versions',
    'name role roles user users version ver storageVersion targetVersion',
  ],
  ['endpoint', 'where members are', 'clientURLs peerURLs'],
  ['text', 'what the server says', 'error errors cancel_reason'],

  ['none', 'credentials', 'password hashedPassword token'],
  ['none', 'a database', 'blob'],
  ['object', 'what is stored, where that is an object of Kubernetes', 'value'],
]);

export const ETCD_BY_FIELD = rowsByField(ETCD_ROWS);
