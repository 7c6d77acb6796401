// Lists the families of gRPC services; a further family is a further row.

import type { Protocol } from '../messages/message.js';
import { criFamily } from './cri/cri.js';
import { ETCD } from './etcd/etcd.js';
import type { RpcFamily } from './family.js';
import { payload } from './payload.js';

/** For one interpreter, as families have state. */
export function families(): Readonly<Partial<Record<Protocol, RpcFamily>>> {
  return { etcd: ETCD, cri: criFamily(), grpc: OTHER };
}

/** Any other service: its calls are emitted by name, without content. */
const OTHER: RpcFamily = {
  table: null,
  readRequest: () => payload(''),
  readResponse: () => payload(''),
  readStreamed: () => [payload('')],
};
