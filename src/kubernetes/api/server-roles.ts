// Classifies the server of an exchange by paths, ports and content types. A new kind of server is a new row.

import { CORE_RESOURCES } from '../../core/api-resources.js';
import { memo } from '../../core/collections/memo.js';
import { fieldValue } from '../../core/fields.js';
import type { RequestHead } from '../../http/http-event.js';
import type { Endpoint } from '../../packet/segment.js';
import type { Protocol } from '../messages/message.js';
import { addressOf } from '../participants/hosts.js';

export interface ServerRole {
  readonly protocol: Protocol;
  /** Component that serves it; null: only the address is known. */
  readonly component: string | null;
  /** Component of its clients, where they do not name themselves. */
  readonly isClientToo?: string;
}

interface ServerRoleRow extends ServerRole {
  /** Customary ports, used where no request shows more (mid-stream capture). */
  readonly ports: readonly number[];
  /** Whether a path alone is proof. */
  matchesPath?(target: string): boolean;
  /** Paths that any server may have: proof only at the customary ports, or with a client that sends to no other server. */
  readonly common?: { readonly paths: RegExp; readonly agents?: RegExp };
  /** Other proof. */
  matchesRequest?(request: RequestHead, server: Endpoint): boolean;
}

export const ETCD = 'etcd';
export const WEBHOOK = 'webhook';
/** User-Agent of the API server that calls a webhook (apiserver/pkg/admission/plugin/webhook). */
const WEBHOOK_AGENT = 'kube-apiserver-admission';

/** absolute-form too. */
const ORIGIN = '(?:https?://[^/]*)?';
/** The core group has these resources and will have no others; Prometheus has `/api/v1/query`. */
const CORE = [...CORE_RESOURCES, 'proxy', 'watch'].join('|');
/** Paths of the generic API server (k8s.io/apiserver/pkg/server routes). */
const API_PATH = new RegExp(`^${ORIGIN}/(?:api/v1/(?:${CORE})|apis|openapi|debug/api_priority_and_fairness)(?:[/?]|$)`);
/** And those that any program may have. */
const API_COMMON = new RegExp(
  `^${ORIGIN}/(?:(?:version|healthz|livez|readyz|metrics|\\.well-known/openid-configuration|openid/v1)(?:[/?]|$)|api(?:/v1)?/?(?:\\?|$))`,
);
/** pkg/kubelet/server/server.go; docker's `/exec/ID/start` has no container behind the Pod. */
const KUBELET_PATH =
  /^\/(?:containerLogs|exec(?!\/[^/]+\/(?:start|resize|json)(?:\?|$))|attach|portForward|run|checkpoint|runningpods|stats\/summary)\//;
const DOCKER_WORDS = 'version|info|auth|events|build|images|networks|volumes|exec|system|plugins|session|grpc';
const DOCKER_PATH = new RegExp(
  `^/(?:v1\\.\\d+/(?:${DOCKER_WORDS})|(?:v1\\.\\d+/)?(?:_ping|containers|distribution))(?:[/?]|$)`,
);
const DOCKER_COMMON = new RegExp(`^/(?:${DOCKER_WORDS})(?:[/?]|$)`);
/** k8s.io/kubelet/pkg/cri/streaming/server.go: what streams, and a token. */
export const RUNTIME_STREAM = /^\/(exec|attach|portforward)\/[^/?]+$/;
const RAFT = /^\/raft(?:[/?]|$)/;
/** server/v3/etcdserver/cluster_util.go */
const PEERS = /^\/(?:version|members)$/;

const ROWS: readonly ServerRoleRow[] = [
  {
    protocol: 'etcd',
    component: ETCD,
    ports: [2379],
    matchesPath: (target) => startsWith(target, '/etcdserverpb.', '/v3lockpb.', '/v3electionpb.'),
  },
  {
    protocol: 'cri',
    component: 'container-runtime',
    isClientToo: 'kubelet',
    ports: [3500],
    matchesPath: (target) => startsWith(target, '/runtime.v1.', '/runtime.v1alpha2.'),
  },
  {
    // The runtime's streaming server: the path alone is weak, so that an upgrade is needed, too.
    protocol: 'cri',
    component: 'container-runtime',
    isClientToo: 'kubelet',
    ports: [],
    matchesRequest: (r) => isRuntimeStream(r.target ?? '') && fieldValue(r.fields, 'upgrade') !== undefined,
  },
  {
    // Tunnels to where the API server has no way of its own (sigs.k8s.io/apiserver-network-proxy, proto/agent/agent.proto).
    protocol: 'grpc',
    component: 'konnectivity-server',
    isClientToo: 'konnectivity-agent',
    ports: [8132],
    matchesPath: (target) => startsWith(target, '/AgentService/'),
  },
  {
    protocol: 'grpc',
    component: null,
    ports: [],
    matchesRequest: (r) => fieldValue(r.fields, 'content-type')?.startsWith('application/grpc') === true,
  },
  {
    protocol: 'kubelet',
    component: 'kubelet',
    ports: [10250],
    matchesPath: (target) => KUBELET_PATH.test(target),
    matchesRequest: (_, s) => s.port === 10250,
  },
  {
    protocol: 'http',
    component: WEBHOOK,
    ports: [],
    matchesRequest: (r) => fieldValue(r.fields, 'user-agent') === WEBHOOK_AGENT,
  },
  {
    protocol: 'kubernetes',
    component: 'kube-apiserver',
    ports: [6443, 8080],
    matchesPath: (target) => API_PATH.test(target),
    common: { paths: API_COMMON, agents: /\) kubernetes\/\S/ },
    matchesRequest: (r, s) => s.port === 6443 && r.version !== undefined,
  },
  {
    protocol: 'registry',
    component: 'registry',
    ports: [5000],
    matchesPath: (target) => target.startsWith('/v2/') || target === '/v2',
  },
  {
    protocol: 'docker',
    component: 'docker',
    ports: [2375],
    matchesPath: (target) => DOCKER_PATH.test(target),
    common: { paths: DOCKER_COMMON, agents: /docker/i },
  },
  {
    // Members of a cluster among each other (go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp).
    protocol: 'http',
    component: ETCD,
    ports: [2380],
    matchesPath: isRaft,
    common: { paths: PEERS },
    matchesRequest: (r) => fieldValue(r.fields, 'x-server-from') !== undefined,
  },
];

/** Of requests that are known to be an API server's. */
export const API_SERVER_ROLE: ServerRole = { protocol: 'kubernetes', component: 'kube-apiserver' };
const OTHER: ServerRole = { protocol: 'http', component: null };

export interface ServerRoles {
  /** `request` null: it was before the capture. */
  classify(request: RequestHead | null, server: Endpoint): ServerRole;
}

/**
 * Remembers which endpoints were seen to be what, so that `/` on an API server's port is the API server's.
 *
 * @param isWorkload whether an address is a Pod's or a Service's: common paths prove nothing there.
 */
export function serverRoles(isWorkload: (address: string) => boolean = () => false): ServerRoles {
  const known = new Map<number, Map<string, ServerRole>>();
  let size = 0;
  return {
    classify(request, server) {
      const row =
        request === null || request.target === null
          ? (ROWS.find((one) => one.ports.includes(server.port)) ?? OTHER)
          : rowOf(request, request.target, server);
      const { port } = server;
      const address = addressOf(server);
      let onPort = known.get(port);
      if (request === null || row === undefined) return onPort?.get(address) ?? row ?? OTHER;
      if (onPort?.has(address) !== true && isCommon(request.target ?? '') && isWorkload(address)) return OTHER;
      if (row.protocol === 'grpc' || size >= MAX_ENDPOINTS || onPort?.has(address) === true) return row;
      if (onPort === undefined) {
        onPort = new Map();
        known.set(port, onPort);
      }
      onPort.set(address, row);
      size += 1;
      return row;
    },
  };
}

/** The first row that opens. */
function rowOf(request: RequestHead, target: string, server: Endpoint): ServerRoleRow | undefined {
  const paths = rowsOfPath(target);
  for (let i = 0; i < ROWS.length; i++) {
    const row = ROWS[i];
    const isPath = (paths & (1 << i)) !== 0 || ((paths & (1 << (i + COMMON))) !== 0 && isAtHome(row, request, server));
    if (isPath || row.matchesRequest?.(request, server) === true) return row;
  }
  return undefined;
}

/** Does everybody serve it? */
function isCommon(target: string): boolean {
  return rowsOfPath(target) >> COMMON !== 0;
}

/** Whether a target is one that members of an etcd cluster request of each other. */
export function isOfPeers(target: string): boolean {
  return isRaft(target) || PEERS.test(target);
}

function isRaft(target: string): boolean {
  return RAFT.test(target);
}

function isAtHome({ ports, common }: ServerRoleRow, { fields }: RequestHead, { port }: Endpoint): boolean {
  return ports.includes(port) || common?.agents?.test(fieldValue(fields, 'user-agent') ?? '') === true;
}

/** Is this a path of a runtime's streaming server? */
export function isRuntimeStream(target: string): boolean {
  return RUNTIME_STREAM.test(target);
}

function startsWith(target: string, ...prefixes: string[]): boolean {
  return prefixes.some((prefix) => target.startsWith(prefix));
}

/** One bit for each row whose path it is; `COMMON` bits higher one for each that serves it as everybody does. */
const rowsOfPath = memo((target) => {
  let paths = 0;
  ROWS.forEach((row, i) => {
    if (row.matchesPath?.(target) === true) paths |= 1 << i;
    if (row.common?.paths.test(target) === true) paths |= 1 << (i + COMMON);
  });
  return paths;
}, 4096);
/** More than there are rows. */
const COMMON = 15;
/** Limit: server ports that are remembered. */
const MAX_ENDPOINTS = 10_000;
