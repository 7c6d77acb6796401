// Lists the components that can be participants, with the User-Agents by which they are recognised. A new component is a new row.

import { dictionary } from '../../core/collections/dictionary.js';
import { memo } from '../../core/collections/memo.js';
import { ELLIPSIS } from '../../redaction/shown.js';
import type { Tier } from './tiers.js';

export interface Component {
  readonly name: string;
  readonly tier: Tier;
  /** Short id in diagrams, as the article has it. */
  readonly id: string;
  /** Runs once on every node: its instances are named by node. */
  readonly perNode?: true;
}

export const COMPONENTS: readonly Component[] = [
  { name: 'kubectl', tier: 'people', id: 'C' },
  { name: 'helm', tier: 'people', id: 'H' },
  { name: 'curl', tier: 'people', id: 'U' },
  { name: 'kube-apiserver', tier: 'apiserver', id: 'AS' },
  { name: 'etcd', tier: 'etcd', id: 'E' },
  { name: 'konnectivity-server', tier: 'apiserver', id: 'KS' },
  { name: 'aggregated-apiserver', tier: 'extensions', id: 'AA' },
  { name: 'webhook', tier: 'extensions', id: 'W' },
  { name: 'kube-controller-manager', tier: 'controllers', id: 'CM' },
  { name: 'cloud-controller-manager', tier: 'controllers', id: 'CCM' },
  { name: 'kube-scheduler', tier: 'scheduler', id: 'S' },
  { name: 'kubelet', tier: 'nodes', id: 'L', perNode: true },
  { name: 'kube-proxy', tier: 'nodes', id: 'KP', perNode: true },
  { name: 'konnectivity-agent', tier: 'nodes', id: 'KA' },
  { name: 'container-runtime', tier: 'runtimes', id: 'R', perNode: true },
  { name: 'docker', tier: 'runtimes', id: 'D' },
  { name: 'registry', tier: 'registries', id: 'G' },
  // Named by their addresses, not by their User-Agents.
  { name: 'Pod', tier: 'others', id: 'P' },
  { name: 'Service', tier: 'others', id: 'SV' },
];

const BY_NAME = new Map(COMPONENTS.map((row) => [row.name, row]));

export function componentNamed(name: string): Component | undefined {
  return BY_NAME.get(name);
}

/** Tier of a program without a row: what is no known part of a cluster is a client. */
export function tierOf(component: string): Tier {
  const row = BY_NAME.get(component);
  if (row !== undefined) return row.tier;
  if (component.startsWith(PROXY)) return 'proxies';
  if (CONTROLLERS.test(component)) return 'controllers';
  const isMachinery = component.startsWith(ACCOUNT) || MACHINERY.test(component);
  return isMachinery || ALL_IN_ONE.has(component.split(/[ -]/, 1)[0]) ? 'others' : 'people';
}

/**
 * Whether a request is one of a leader election, as controllers have (client-go tools/leaderelection). The name must be that of a
 * program; without one, several programs may send like requests.
 */
export function electsLeader(component: string, { resource, verb }: { resource?: string; verb?: string }): boolean {
  if (resource !== 'leases' || !LOCKS.has(verb ?? '')) return false;
  return !BY_NAME.has(component) && !component.includes(' ') && MAY_ELECT.has(tierOf(component));
}

const LOCKS = new Set(['create', 'update', 'patch']);
const MAY_ELECT: ReadonlySet<Tier> = new Set(['people', 'controllers']);

export const API_SERVER = 'kube-apiserver';

/** Begins the name of a client that is known by its token alone. */
export const SERVICE_ACCOUNT = 'ServiceAccount';
const ACCOUNT = `${SERVICE_ACCOUNT} `;

/** Begins the name of what stands between a client and a server. */
export const PROXY = 'proxy ';

/**
 * Distributions of which several components are one process: each announces the process's name (client-go rest.Config
 * adjustCommand), and only some of them a tail of their own.
 */
const ALL_IN_ONE: ReadonlySet<string> = new Set(['k3s', 'kubelite', 'microshift', 'hyperkube', 'rke2']);

/** Whose clients have such a tail (cmd/kube-controller-manager/app, cmd/kube-scheduler/app). */
const TAILS: Readonly<Partial<Record<string, string>>> = dictionary({
  'kube-controller-manager': 'kube-controller-manager',
  'shared-informers': 'kube-controller-manager',
  'metadata-informers': 'kube-controller-manager',
  'controller-discovery': 'kube-controller-manager',
  scheduler: 'kube-scheduler',
});

/** Programs of a cluster that have no row of their own, by the habits of their names. */
const MACHINERY =
  /^(?:kube-|kubelet|etcd|cloud-|containerd|cri-|dockerd|coredns|cilium|calico|flannel|metrics-server|local-path-|snapshot-|csi-)|-(?:provisioner|informers|webhook)$/i;

/** Custom controllers, by their own names; `manager` is the name that kubebuilder and the Operator SDK build. */
const CONTROLLERS = /^(?:manager|descheduler|karpenter)$|-(?:controller|controller-manager|operator|autoscaler)$/i;

/** Programs that announce a library instead of themselves: such a client stays unknown. */
const LIBRARY_AGENTS = new Set(['Go-http-client', 'go-http-client', 'grpc-go', 'grpc-c', 'Mozilla', '']);

/** Libraries whose name is better than none: other evidence may tell which program uses them. */
const NAMED_LIBRARIES: ReadonlySet<string> = new Set(
  (
    'OpenAPI-Generator Swagger-Codegen python-requests Python-urllib aiohttp okhttp Java-http-client Apache-HttpClient ' +
    'fabric8-kubernetes-client node-fetch axios undici ruby Ruby KubernetesClient'
  ).split(' '),
);

/** Docker's client has a blank in its User-Agent: `Docker-Client/20.10 (linux)`. Runtimes use their own names at registries. */
const AGENT_ALIASES: Readonly<Record<string, string>> = dictionary({
  'Docker-Client': 'docker-client',
  Helm: 'helm',
  containerd: 'container-runtime',
  'cri-o': 'container-runtime',
  'kube-apiserver-admission': 'kube-apiserver',
});

export interface Agent {
  /** Component or program name; null where the text announces none. */
  readonly component: string | null;
  /** A controller of the controller manager that sends under its own name. */
  readonly controller: string | null;
  /** What it names: a program, the library that one is written with, or a process that is several components. */
  readonly names: 'program' | 'library' | 'several';
}

/**
 * Reads a User-Agent. `kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/0123456/system:serviceaccount:kube-system:deployment-controller`
 * is the controller manager's deployment-controller (client-go rest.AddUserAgent, controller-manager ClientBuilder).
 */
export function readUserAgent(userAgent: string): Agent {
  return AGENTS(userAgent);
}

function parse(userAgent: string): Agent {
  const part = DISTRIBUTION_AGENT.exec(userAgent);
  if (part !== null && ALL_IN_ONE.has(part[2])) {
    const [, name, distribution] = part;
    const component = tierOf(name) === 'people' ? `${distribution} ${name}` : name;
    return { component, controller: null, names: 'program' };
  }
  const program = userAgent.split(/[/ (]/, 1)[0];
  // Text that is no name of a program was left out (src/redaction/user-agent.ts): it identifies as little as a library.
  if (program.startsWith(ELLIPSIS) || LIBRARY_AGENTS.has(program))
    return { component: null, controller: null, names: 'library' };
  const isSeveral = ALL_IN_ONE.has(program);
  const account = userAgent.lastIndexOf(CONTROLLER_ACCOUNT);
  const controller = account < 0 ? '' : userAgent.slice(account + CONTROLLER_ACCOUNT.length);
  const tail = isSeveral ? userAgent.slice(userAgent.lastIndexOf('/') + 1) : '';
  const role = isSeveral && controller !== '' ? CONTROLLER_MANAGER : TAILS[tail];
  const component = role ?? AGENT_ALIASES[program] ?? program;
  const isController = component === CONTROLLER_MANAGER && controller !== '';
  const names = role === undefined && isSeveral ? 'several' : NAMED_LIBRARIES.has(program) ? 'library' : 'program';
  return { component, controller: isController ? controller : null, names };
}

/**
 * `deploy@server-1/v1.34.4+k3s1 (linux/amd64) k3s/0123456`: what a distribution brings along besides Kubernetes (k3s pkg/util
 * GetUserAgent).
 */
const DISTRIBUTION_AGENT = /^([^@/ ]+)(?:@[^/ ]*)?\/\S+ \([^)]*\) ([a-z0-9]+)\/[^/]*$/;
const CONTROLLER_MANAGER = 'kube-controller-manager';

const CONTROLLER_ACCOUNT = '/system:serviceaccount:kube-system:';

/** Limit: user agents whose components are cached: real clusters show some dozens; a client can invent a new one each time. */
const MAX_CACHED_AGENTS = 1000;
const AGENTS = memo(parse, MAX_CACHED_AGENTS);
