// Provides the field tables that ship with kubeseq, each parsed when it is first used: many runs never need the large one.

import { Table } from './table.js';
import { CRI_TABLE } from './tables/cri.js';
import { ETCD_TABLE } from './tables/etcd.js';
import { KUBERNETES_TABLE } from './tables/kubernetes.js';

/** Kubernetes API objects; sections `gvk`, `jsonNames`, `zeroValues`. */
export const kubernetesTable = parsedOnce(KUBERNETES_TABLE);
/** etcd's client API: package `etcdserverpb`, with `mvccpb` and `authpb`. */
export const etcdTable = parsedOnce(ETCD_TABLE);
/** The container runtime interface: package `runtime.v1`. */
export const criTable = parsedOnce(CRI_TABLE);

function parsedOnce(text: string): () => Table {
  let table: Table | undefined;
  return () => {
    table ??= new Table(text);
    return table;
  };
}
