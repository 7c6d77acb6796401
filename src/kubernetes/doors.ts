// Which door of the cluster an exchange goes through, as a table: a new door is a new row. Knows paths, ports and
// content types; what is said behind the door is read elsewhere.

import { fieldValue } from '../core/fields.js';
import { memo } from '../core/memo.js';
import type { RequestHead } from '../http/http-event.js';
import type { Endpoint } from '../packet/segment.js';
import type { Protocol } from './message.js';
import { WEBHOOK, WEBHOOK_AGENT } from './webhooks/words.js';

export interface Door {
  readonly protocol: Protocol;
  /** Who answers there; null: only its address is known. */
  readonly component: string | null;
}

interface Row extends Door {
  /** Ports that are customary for it, used where no request tells more (late start). */
  readonly ports: readonly number[];
  opensFor(request: RequestHead, server: Endpoint): boolean;
}

const ROWS: readonly Row[] = [
  {
    protocol: 'etcd',
    component: 'etcd',
    ports: [2379],
    opensFor: (r) => startsWith(r, '/etcdserverpb.', '/v3lockpb.', '/v3electionpb.'),
  },
  {
    protocol: 'cri',
    component: 'container-runtime',
    ports: [3500],
    opensFor: (r) => startsWith(r, '/runtime.v1.', '/runtime.v1alpha2.'),
  },
  {
    protocol: 'grpc',
    component: null,
    ports: [],
    opensFor: (r) => (fieldValue(r.fields, 'content-type') ?? '').startsWith('application/grpc'),
  },
  {
    protocol: 'kubelet',
    component: 'kubelet',
    ports: [10250],
    opensFor: (r, s) => s.port === 10250 || isKubeletPath(r.target ?? ''),
  },
  {
    protocol: 'http',
    component: WEBHOOK,
    ports: [],
    opensFor: (r) => fieldValue(r.fields, 'user-agent') === WEBHOOK_AGENT,
  },
  { protocol: 'kubernetes', component: 'kube-apiserver', ports: [6443, 8080], opensFor: isApiRequest },
  {
    protocol: 'registry',
    component: 'registry',
    ports: [5000],
    opensFor: (r) => startsWith(r, '/v2/') || r.target === '/v2',
  },
  { protocol: 'docker', component: 'docker', ports: [2375], opensFor: (r) => isDockerPath(r.target ?? '') },
];

const OTHER: Door = { protocol: 'http', component: null };

export interface Doors {
  /** `request` null: it was before the capture. */
  doorOf(request: RequestHead | null, server: Endpoint): Door;
}

/**
 * Remembers which endpoints were seen to be what, so that `/` on an API server's port is the API server's.
 *
 * @param isWorkload whether an address is a Pod's or a Service's: what everybody serves tells nothing there.
 */
export function doors(isWorkload: (address: string) => boolean = () => false): Doors {
  const known = new Map<number, Map<string, Door>>();
  let size = 0;
  return {
    doorOf(request, server) {
      const row =
        request === null || request.target === null
          ? (ROWS.find((one) => one.ports.includes(server.port)) ?? OTHER)
          : ROWS.find((one) => one.opensFor(request, server));
      const { address, port } = server;
      let onPort = known.get(port);
      if (request === null || row === undefined) return onPort?.get(address) ?? row ?? OTHER;
      if (onPort?.has(address) !== true && EVERYBODYS.test(request.target ?? '') && isWorkload(address)) return OTHER;
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

function isApiRequest(request: RequestHead, server: Endpoint): boolean {
  const target = request.target ?? '';
  if (isApiPath(target)) return true;
  return server.port === 6443 && request.version !== undefined;
}

function startsWith({ target }: RequestHead, ...prefixes: string[]): boolean {
  if (target === null) return false;
  for (const prefix of prefixes) if (target.startsWith(prefix)) return true;
  return false;
}

/** Paths of the generic API server (k8s.io/apiserver/pkg/server routes), absolute-form too. */
const API_PATH =
  /^(?:https?:\/\/[^/]*)?\/(?:api|apis|openapi|version|healthz|livez|readyz|metrics|debug\/api_priority_and_fairness|\.well-known\/openid-configuration|openid\/v1)(?:[/?]|$)/;
/** pkg/kubelet/server/server.go */
const KUBELET_PATH = /^\/(?:containerLogs|exec|attach|portForward|run|checkpoint|runningpods|stats\/summary)\//;
const DOCKER_PATH =
  /^\/(?:v1\.\d+\/)?(?:_ping|version|info|auth|events|build|containers|images|networks|volumes|exec|system|distribution|plugins|session|grpc)(?:[/?]|$)/;
/** Paths that say little: any program in a Pod may have them. */
const EVERYBODYS =
  /^\/(?:version|healthz|livez|readyz|metrics|info|auth|events|images|system|plugins|session)(?:[/?]|$)/;
const isApiPath = memo((target) => API_PATH.test(target), 4096);
const isKubeletPath = memo((target) => KUBELET_PATH.test(target), 4096);
const isDockerPath = memo((target) => DOCKER_PATH.test(target), 4096);
const MAX_ENDPOINTS = 10_000;
