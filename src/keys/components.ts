// Recognises processes of Kubernetes components on a host, by the names of their programs.

export interface HostProcess {
  readonly pid: number;
  /** Path of its executable in its own mount namespace; empty for kernel threads. */
  readonly executable: string;
  /** Its first argument, `argv[0]`. */
  readonly argument: string;
}

/** @returns the name of the component in `wanted` that the process is; null if it is none. */
export function componentOf(
  { executable, argument }: HostProcess,
  wanted: readonly string[] = COMPONENTS,
): string | null {
  // The kernel adds ` (deleted)` to the path of an executable that was replaced while it runs.
  const names = [executable.replace(/ \(deleted\)$/, ''), argument].map(baseName);
  const named = wanted.find((name) => names.includes(name));
  if (named !== undefined) return named;
  // A distribution that is one program counts as each of its parts.
  return wanted.some((name) => PARTS.includes(name))
    ? (ONE_PROGRAM.find((name) => names.includes(name)) ?? null)
    : null;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Distributions that are one program, and the components in it. */
const ONE_PROGRAM = ['hyperkube', 'k3s', 'kubelite'];
const PARTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'];

/** Programs that use TLS with the control plane; the last are distributions. */
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
