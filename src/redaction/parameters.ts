// Query parameters whose values may be shown: those of APIs that are known to hold no secret. Every other value is hidden, its name
// stays: a list of what is secret can never be finished.

/** How the value of a parameter is shown. `length`: only how long it is. */
export type Showing = 'value' | 'length' | 'nothing';

/**
 * @param path of the request, without scheme, host and query.
 * @param name of the parameter, decoded.
 */
export function showingOf(path: string, name: string): Showing {
  if (name === 'continue' && KUBERNETES_PATH.test(path)) return 'length';
  const api = APIS.find((one) => one.path.test(path));
  return api?.names.has(name) === true && !PROXIED.test(path) ? 'value' : 'nothing';
}

interface Api {
  readonly path: RegExp;
  readonly names: ReadonlySet<string>;
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

/** What an API server, or a kubelet, hands on to a program that it does not know. */
const PROXIED = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?(?:nodes|pods|services)\/[^/]+\/proxy(?:\/|$)|^\/api\/v1\/proxy\//;
const KUBERNETES_PATH = /^\/(?:apis?|openapi|version|healthz|livez|readyz|metrics|\.well-known)(?:\/|$)/;

// k8s.io/apimachinery/pkg/apis/meta/v1/types.go: ListOptions, GetOptions, CreateOptions, PatchOptions, UpdateOptions, DeleteOptions,
// TableOptions; k8s.io/api/core/v1/types.go: PodLogOptions, PodExecOptions, PodAttachOptions, PodPortForwardOptions.
const KUBERNETES = names(`
  labelSelector fieldSelector watch allowWatchBookmarks resourceVersion resourceVersionMatch timeoutSeconds limit sendInitialEvents
  shardSelector pretty dryRun fieldManager fieldValidation force gracePeriodSeconds orphanDependents propagationPolicy
  ignoreStoreReadErrorWithClusterBreakingPotential includeObject timeout exact export verbose exclude
  container follow previous sinceSeconds sinceTime timestamps tailLines limitBytes insecureSkipTLSVerifyBackend stream
  stdin stdout stderr tty command ports port hash
`);

const APIS: readonly Api[] = [
  { path: KUBERNETES_PATH, names: KUBERNETES },
  // pkg/kubelet/server/server.go
  {
    path: /^\/(?:containerLogs|exec|run|attach|portForward|pods|runningpods|stats|checkpoint|configz|logs)(?:\/|$)/,
    names: new Set([...KUBERNETES, 'input', 'output', 'error']),
  },
  // github.com/opencontainers/distribution-spec/blob/main/spec.md; `ns` is containerd's, for mirrors.
  { path: /^\/v2(?:\/|$)/, names: names('n last ns digest mount from artifactType') },
  // docs.docker.com/reference/api/engine: what is no credential, no environment and no text of a user's.
  {
    path: /^\/v1\.\d+\//,
    names: names(`
      all limit size follow stdout stderr since until timestamps tail stream stdin logs detachKeys one-shot signal t v link force
      noprune h w condition name platform fromImage tag repo digests shared-size rm forcerm nocache pull q version type dangling
    `),
  },
  // Admission webhooks and conversion (apiserver/pkg/util/webhook): the API server tells how long it waits.
  { path: /^/, names: names('timeout') },
];
