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
  const named = wanted.find((name) => names.includes(name));
  if (named !== undefined) return named;
  // Who wants one of its parts wants it: they are one program.
  return wanted.some((name) => PARTS.includes(name))
    ? (ONE_PROGRAM.find((name) => names.includes(name)) ?? null)
    : null;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Distributions that are one program, and what is in it. */
const ONE_PROGRAM = ['hyperkube', 'k3s', 'kubelite'];
const PARTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'];

/** Programs that speak TLS with the control plane; the last are distributions. */
export const COMPONENTS: readonly string[] = [
  ...PARTS,
  'etcd',
  'cloud-controller-manager',
  'kubectl',
  'coredns',
  ...ONE_PROGRAM,
  'rke2',
  'k0s',
];
