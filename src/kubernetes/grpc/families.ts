// Which calls belong to which family, as a table: a new family is a new row.

import type { Protocol } from '../messages/message.js';
import { criFamily } from './cri/cri.js';
import { ETCD } from './etcd/etcd.js';
import type { RpcFamily } from './family.js';
import { payload } from './payload.js';

/** Families remember: each interpreter has its own. */
export function families(): Readonly<Partial<Record<Protocol, RpcFamily>>> {
  return { etcd: ETCD, cri: criFamily(), grpc: OTHER };
}

/** Any other service: its calls are told by name, what they say is not known. */
const OTHER: RpcFamily = {
  table: null,
  asked: () => payload(''),
  answered: () => payload(''),
  streamed: () => [payload('')],
};
