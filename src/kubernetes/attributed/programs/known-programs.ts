// Lists the names that programs of a Kubernetes cluster have as participants: components, controllers by their service accounts, add-ons.

import { COMPONENTS } from '../../participants/components.js';
import { LISTENING_CONTROLLERS } from '../controllers.js';

/** Names of programs, in no order that means anything. */
export const KNOWN_PROGRAMS: ReadonlySet<string> = new Set([
  ...COMPONENTS.map(({ name }) => name),
  ...LISTENING_CONTROLLERS,
  // plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go: those that controllers.ts has no row for.
  'cloud-provider',
  'node-ipam-controller',
  'podcertificaterequest-cleaner',
  'selinux-warning-controller',
  'storage-version-migrator-controller',
  'taint-eviction-controller',
  // Add-ons of kubeadm, kind, k3s, minikube and managed clusters, by their User-Agents.
  ...`calico cilium-agent cilium-operator cluster-autoscaler coredns csi-attacher csi-provisioner
  csi-resizer csi-snapshotter docker-client flanneld kindnetd kubeadm local-path-provisioner
  metrics-server node-driver-registrar snapshot-controller storage-provisioner`.split(/\s+/),
]);

/** Is it a name that some cluster can have: a known program, one instance of it (`kubelet (node-9)`), or a thing of a known kind (`Pod web-0`)? */
export function isNameOfCluster(name: string): boolean {
  const [, program = name] = /^(.*?) \(.*\)$/s.exec(name) ?? [];
  return KNOWN_PROGRAMS.has(program) || OF_A_KIND.test(name);
}

/** Beginnings of the names of participants that are named after what they are. */
const OF_A_KIND = /^(?:Pod|Service|ServiceAccount|client|proxy|webhook|unknown) \S/;
