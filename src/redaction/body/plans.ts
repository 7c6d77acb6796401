// The tables of messages that ship with the program, each with the rows that judge its strings.

import { criTable, etcdTable, kubernetesTable } from '../../protobuf/tables.js';
import { CRI_BY_FIELD } from './cri-fields.js';
import { ETCD_BY_FIELD } from './etcd-fields.js';
import { type FieldPlace, type TypePlan, TypePlans } from './field-places.js';
import { KUBERNETES_BY_FIELD } from './kubernetes-fields.js';

/** @param name in full. @returns undefined where the table of Kubernetes has no such message. */
export function kubernetesPlan(name: string): TypePlan | undefined {
  kubernetes ??= new TypePlans(kubernetesTable(), KUBERNETES_BY_FIELD);
  return kubernetes.plan(name);
}

/** The place of a message of a remote call: `runtime.v1.CreateContainerRequest`, `etcdserverpb.RangeRequest`. */
export function placeOfMessage(name: string): FieldPlace | undefined {
  if (name.startsWith('runtime.v1.')) {
    cri ??= new TypePlans(criTable(), CRI_BY_FIELD);
    return messagePlace(cri.plan(name));
  }
  etcd ??= new TypePlans(etcdTable(), ETCD_BY_FIELD);
  return messagePlace(etcd.plan(name));
}

export function messagePlace(type: TypePlan | undefined): FieldPlace | undefined {
  return type === undefined ? undefined : { at: 'message', type };
}

let kubernetes: TypePlans | undefined;
let cri: TypePlans | undefined;
let etcd: TypePlans | undefined;
