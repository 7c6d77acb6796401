// The tables that ship with the program. Each is parsed when it is first asked for: a run that draws a picture from
// names and versions never parses the large one.

import { Table } from './table.js';
import { CRI_TABLE } from './tables/cri.js';
import { ETCD_TABLE } from './tables/etcd.js';
import { KUBERNETES_TABLE } from './tables/kubernetes.js';

let kubernetes: Table | undefined;
let etcd: Table | undefined;
let cri: Table | undefined;

/** Kubernetes API objects; sections `gvk`, `jsonNames`, `zeroValues`. */
export function kubernetesTable(): Table {
  kubernetes ??= new Table(KUBERNETES_TABLE);
  return kubernetes;
}

/** etcd's client API: package `etcdserverpb`, with `mvccpb` and `authpb`. */
export function etcdTable(): Table {
  etcd ??= new Table(ETCD_TABLE);
  return etcd;
}

/** The container runtime interface: package `runtime.v1`. */
export function criTable(): Table {
  cri ??= new Table(CRI_TABLE);
  return cri;
}
