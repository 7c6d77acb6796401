// Provides the field tables that ship with kubeseq, each parsed when it is first used: many runs never need the large one.
// lab/tables makes the files; table.ts tells their format.

/// <reference path="./tables/text.d.ts" />
import { Table } from './table.js';
import CRI_TABLE from './tables/cri.txt?raw';
import ETCD_TABLE from './tables/etcd.txt?raw';
import KUBERNETES_TABLE from './tables/kubernetes.txt?raw';

/** Kubernetes API objects, 1.34 to 1.37 (The Kubernetes Authors, Apache-2.0); sections `gvk`, `jsonNames`, `zeroValues`. */
export const kubernetesTable = parsedOnce(KUBERNETES_TABLE);
/** etcd's v3 client API, 3.6 and 3.7 (The etcd Authors, Apache-2.0): package `etcdserverpb`, with `mvccpb` and `authpb`. */
export const etcdTable = parsedOnce(ETCD_TABLE);
/** The container runtime interface, 1.34 to 1.37 (The Kubernetes Authors, Apache-2.0): package `runtime.v1`. */
export const criTable = parsedOnce(CRI_TABLE);

function parsedOnce(text: string): () => Table {
  let table: Table | undefined;
  return () => {
    table ??= new Table(text);
    return table;
  };
}
