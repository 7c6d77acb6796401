// Which processes of a host are components of Kubernetes. Knows the names of their programs; looks at no process itself.

export interface HostProcess {
  readonly pid: number;
  /** Where its executable is, as its own namespace names it; empty for kernel threads. */
  readonly executable: string;
  /** First of its arguments. */
  readonly argument: string;
}

/** @returns by which name it is a component of `wanted`; null: it is none. */
export function componentOf(
  { executable, argument }: HostProcess,
  wanted: readonly string[] = COMPONENTS,
): string | null {
  // An executable that was replaced while it runs has ` (deleted)` behind its path.
  const names = [executable.replace(/ \(deleted\)$/, ''), argument].map(baseName);
  return wanted.find((name) => names.includes(name)) ?? null;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Programs that speak TLS with the control plane; the last are distributions that are one program. */
export const COMPONENTS: readonly string[] = [
  'kube-apiserver',
  'etcd',
  'kube-controller-manager',
  'kube-scheduler',
  'cloud-controller-manager',
  'kubelet',
  'kube-proxy',
  'kubectl',
  'coredns',
  'hyperkube',
  'k3s',
  'rke2',
  'k0s',
  'kubelite',
];
