// Tells the request to an API server from the path that stands before it: of programs that have several clusters behind them, of
// proxies with a path of their own, and of requests that one API server hands on to another.

import { API_VERSION, CORE_RESOURCES, UNDOTTED_GROUPS, UNDOTTED_RESOURCES } from '../../core/api-resources.js';
import { memo } from '../../core/collections/memo.js';
import { fieldValue } from '../../core/fields.js';
import type { RequestHead } from '../../http/http-event.js';
import { qualifiedName } from './object-ref.js';

/** What a path before a request leads to. */
export interface PathPrefix {
  /** In words: `Rancher cluster`; undefined: a path of no known form. */
  readonly words: string | undefined;
  /** A name in lower case, as Kubernetes has them; undefined: the path has none that may be shown. */
  readonly name: string | undefined;
}

interface PrefixRow {
  readonly words: string;
  /** From the beginning of a path on. */
  readonly path: RegExp;
  /** Nothing but an API server is behind it, so that its `/version` and `/api` are requests too. */
  readonly isProof: boolean;
}

/** Which requests are taken for an API server's: of objects alone, its discovery too, all that it serves. */
const NO_TRUST = 0;
const SOME_TRUST = 1;
const FULL_TRUST = 2;

/** Names and identifiers; others are not shown. */
const NAME = '(?<name>[a-z0-9][a-z0-9._-]{0,252})';
const ANY = '[^/?#]{1,512}';

/** Paths of servers that have API servers behind them. A new one is a new row. */
const ROWS: readonly PrefixRow[] = [
  // rancher/rancher: pkg/multiclustermanager/routes.go.
  row('Rancher cluster', `/k8s/(?:clusters|proxy)/(?:${NAME}|${ANY})`),
  // kcp-dev/kcp, docs/developers/rest-patterns.md.
  row(
    'kcp workspace',
    `(?:/services(?:/${ANY}){1,4})?/clusters/(?:(?<name>(?:root|system)(?:(?::|%3A)[a-z0-9-]{1,63}){0,32})|\\*)`,
  ),
  // kubernetes-sigs/headlamp: backend/cmd/headlamp.go, handleClusterAPI; KubeSphere; workspaces of kcp by the hash of their path.
  row('cluster', `(?:/services(?:/${ANY}){1,4})?/clusters/(?:${NAME}|${ANY})`, false),
  // GKE's Connect gateway: cloud.google.com/kubernetes-engine, Connect gateway: connectgateway.googleapis.com in the kubeconfig.
  row(
    'fleet member',
    `/v1(?:alpha1|beta1)?/projects/${ANY}(?:/locations/${ANY})?/(?:gkeM|m)emberships/(?:${NAME}|${ANY})`,
  ),
  // gravitational/teleport: lib/kube/proxy/forwarder.go; its names are in base64.
  row('cluster behind Teleport', `/v1/teleport/${ANY}/${ANY}`),
  // openshift/console: pkg/server/server.go, k8sProxyEndpoint.
  row('cluster of the OpenShift console', '/api/kubernetes'),
  // portainer/portainer: api/kubernetes/kubeconfig_service.go.
  row('Portainer environment', `/api/endpoints/(?<name>[0-9]{1,9})/kubernetes`),
  // gitlab-org/charts/gitlab: charts/gitlab/charts/kas/templates/ingress.yaml.
  row("cluster behind GitLab's agent", '/k8s-proxy'),
  // loft-sh/vcluster: pkg/platform/helper.go.
  row('virtual cluster', `/kubernetes/project/${ANY}/virtualcluster/(?:${NAME}|${ANY})`),
  row('cluster', `/kubernetes/(?:project/${ANY}/)?cluster/(?:${NAME}|${ANY})`),
  // Azure/azure-cli-extensions: src/connectedk8s/azext_connectedk8s/custom.py starts the proxy, which writes the kubeconfig.
  row('cluster behind Azure Arc', `/proxies/${ANY}`, false),
];

/** Requests of an API server that hands them on to another one, whose own path follows them. */
const NESTED: readonly PrefixRow[] = [
  // karmada-io/karmada: pkg/registry/cluster/storage/proxy.go, pkg/registry/search/storage/proxy.go.
  row('Karmada cluster', `/apis/cluster\\.karmada\\.io/v1alpha1/clusters/(?:${NAME}|${ANY})/proxy`),
  row("Karmada's proxy of all clusters", '/apis/search\\.karmada\\.io/v1alpha1/proxying/karmada/proxy'),
  // oam-dev/cluster-gateway, of KubeVela and Open Cluster Management: pkg/apis/cluster/v1alpha1/clustergateway_proxy.go.
  row(
    'gateway cluster',
    `/apis/(?:cluster\\.core\\.oam\\.dev|gateway\\.open-cluster-management\\.io)/v1alpha1/clustergateways/(?:${NAME}|${ANY})/proxy`,
  ),
  // clusternet/clusternet: pkg/registry/proxies/socket/subresources/proxy.go.
  row(
    'Clusternet cluster',
    `/apis/proxies\\.clusternet\\.io/v1alpha1/sockets/(?:${NAME}|${ANY})/proxy/(?:direct|https?/${ANY})`,
  ),
  // clusterpedia-io/clusterpedia, what it collected of clusters: pkg/kubeapiserver/resource_handler.go.
  row("Clusterpedia's copy", `/apis/clusterpedia\\.io/v1beta1/resources(?:/clusters/(?:${NAME}|${ANY}))?`),
  // Kubernetes: pkg/registry/core/service/proxy.go, pkg/registry/core/pod/rest/subresources.go: what is behind may be any program.
  row('Service', proxied('services'), false),
  row('Pod', proxied('pods'), false),
  // Connect subresources of aggregated servers: k8s.io/apiserver, pkg/registry/rest/rest.go: Connecter.
  row('', `/apis/${ANY}/${ANY}(?:/namespaces/${ANY})?/[a-z]{1,63}/(?:${NAME}|${ANY})/proxy`, false),
];

const CORE = CORE_RESOURCES.join('|');
/** Words that other programs have below `/api/v1`, too. */
const OWN_CORE = CORE_RESOURCES.filter(
  (one) => !['bindings', 'endpoints', 'events', 'namespaces', 'nodes', 'secrets', 'services'].includes(one),
).join('|');
const DOTTED = '[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){1,10}';
const UNDOTTED = UNDOTTED_GROUPS.join('|');
/** k8s.io/api, of the groups without a dot: GCP's discovery has `/discovery/v1/apis/batch/v1/rest`. */
const OF_UNDOTTED = [...UNDOTTED_RESOURCES, 'namespaces', 'watch'].join('|');
/** Objects, in paths that no other program has. */
const OBJECTS = `(?:api/v1/(?:namespaces/[a-z0-9-]{1,63}/(?:${CORE})|(?:watch/)?(?:${OWN_CORE}))|apis/(?:${DOTTED}/${API_VERSION}/[a-z]|(?:${UNDOTTED})/${API_VERSION}/(?:${OF_UNDOTTED})(?![a-z])))`;
const END = '(?=[/?#]|$)';
/** Where a request begins after a path of no known form. */
const BEGINS = new RegExp(`/${OBJECTS}(?![\\w-])|/apis/${DOTTED}/${API_VERSION}/[a-z]`);
const STRONG = new RegExp(`^/(?:${OBJECTS}${END}|apis/${DOTTED}/${API_VERSION}/[a-z])`);
/** Those of the generic API server (k8s.io/apiserver/pkg/server): what it serves, and what other programs serve as well. */
const DISCOVERY = `api(?:/v1)?/?$|api/v1/(?:watch/)?(?:${CORE})${END}|apis(?:/(?:${DOTTED}|${UNDOTTED})(?:/${API_VERSION})?)?/?$|openapi/v[23]${END}`;
const OTHERS = `(?:version|healthz|livez|readyz|metrics|\\.well-known/openid-configuration|openid/v1/jwks)${END}`;
/** By trust. */
const BEGINNINGS: readonly RegExp[] = [
  STRONG,
  new RegExp(`${STRONG.source}|^/(?:${DISCOVERY})`),
  new RegExp(`${STRONG.source}|^/(?:${DISCOVERY}|${OTHERS})`),
];
/** What clients of Kubernetes request after any path. */
const TRUSTED_BEGINS = new RegExp(`/(?:${DISCOVERY}|version$)`);
/** Paths of the API itself, and of registries: nothing stands before them. */
const OWN = /^\/(?:api\/v1|apis|v2)\//;
/** What every nested path has. */
const LEADS_ON = /prox|clusterpedia/;
/** client-go's (rest.DefaultKubernetesUserAgent). */
const CLIENT_GO = /\) kubernetes\/\S/;

/** The client speaks of Kubernetes itself. */
const KUBERNETES_MEDIA = /application\/vnd\.kubernetes\.|g=(?:meta|apidiscovery)\.k8s\.io/;

/** Limit: characters of a prefix; a longer one is none. */
export const MAX_PREFIX = 1024;
/** Limit: API servers behind each other. */
const MAX_LEVELS = 4;
/** Limit: prefixes of one connection behind which an API server was found. */
const MAX_PROVEN = 8;
/** Limit: paths of which it is remembered where their request begins. */
const MAX_PATHS = 4096;
/** Limit: characters of a request after a prefix that show what it is. */
const MAX_REQUEST = 1024;
/** Scheme and authority of an absolute-form target (RFC 9112, section 3.2.2), or the authority alone (RFC 3986, section 4.2). */
const ORIGIN = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i;
const OBJECTS_PATH = '/api/v1/pods';

/**
 * @returns reads the heads of one connection, in their order: a head whose target begins with a prefix comes back with the target
 *   behind it and the prefix beside it; any other as it was.
 */
export function prefixReader(): (head: RequestHead) => RequestHead {
  const proven: string[] = [];
  return (head) => {
    const { target, method } = head;
    if (target === null || method === 'CONNECT' || (OWN.test(target) && !LEADS_ON.test(target))) return head;
    const origin = ORIGIN.exec(target)?.[0].length ?? 0;
    const end = target.search(/[?#]/);
    const path = target.slice(origin, end < 0 ? undefined : end);
    const length = proven.find(
      (one) => path.startsWith(one) && BEGINNINGS[FULL_TRUST].test(path.slice(one.length)),
    )?.length;
    const begins = Math.max(
      length ?? 0,
      requestIn(`${speaksKubernetes(head) ? FULL_TRUST : NO_TRUST}${path}`)?.at ?? 0,
    );
    if (begins === 0 || begins > MAX_PREFIX) return head;
    const prefix = path.slice(0, begins);
    if (!proven.includes(prefix) && proven.length < MAX_PROVEN) proven.push(prefix);
    return { ...head, target: target.slice(0, origin) + target.slice(origin + begins), prefix };
  };
}

/** @param prefix of a head. @returns where it leads. */
export const prefixOf = memo((prefix): PathPrefix => {
  const found = requestIn(`${FULL_TRUST}${prefix}${OBJECTS_PATH}`);
  const { name, namespace } = found?.last?.groups ?? {};
  const words = found?.row?.words;
  return { words: words || undefined, name: namespace === undefined ? name : qualifiedName(namespace, name) };
}, MAX_PATHS);

/** Is it the path of a request that an API server itself hands on? */
export function isHandedOn(prefix: string): boolean {
  return OWN.test(prefix);
}

interface InnerRequest {
  /** Characters before the request. */
  readonly at: number;
  /** What leads to it, of known form. */
  readonly row?: PrefixRow;
  readonly last?: RegExpExecArray;
}

const requestIn = memo((key) => find(key.slice(1, MAX_PREFIX + MAX_REQUEST), Number(key[0]), 0), MAX_PATHS);

/** @returns the request of the innermost API server in a path; null: there is none. */
function find(path: string, trust: number, level: number): InnerRequest | null {
  const isOwn = OWN.test(path);
  if (level < MAX_LEVELS) {
    for (const row of isOwn ? NESTED : ROWS) {
      const last = row.path.exec(path);
      if (last === null) continue;
      // Behind a Service there may be any program, whose paths hold anything: the client must speak of Kubernetes.
      if (isOwn && !row.isProof && trust === NO_TRUST) continue;
      const length = last[0].length;
      const behind = row.isProof ? FULL_TRUST : isOwn ? Math.min(trust, SOME_TRUST) : trust;
      const found = find(path.slice(length), behind, level + 1);
      if (found !== null) return { row, last, ...found, at: length + found.at };
    }
  }
  if (BEGINNINGS[trust].test(path)) return { at: 0 };
  if (isOwn || level >= MAX_LEVELS) return null;
  const at = path.search(BEGINS);
  const begins = at < 0 && trust === FULL_TRUST ? path.search(TRUSTED_BEGINS) : at;
  if (begins <= 0) return null;
  const found = find(path.slice(begins), trust, level + 1);
  return found === null ? null : { ...found, at: begins + found.at };
}

function speaksKubernetes({ fields }: RequestHead): boolean {
  return (
    CLIENT_GO.test(fieldValue(fields, 'user-agent') ?? '') || KUBERNETES_MEDIA.test(fieldValue(fields, 'accept') ?? '')
  );
}

function row(words: string, path: string, isProof = true): PrefixRow {
  return { words, path: new RegExp(`^${path}(?=/|$)`), isProof };
}

/** Port and scheme are of the Service: `https:vcluster:443`. */
function proxied(resource: string): string {
  const colon = '(?::|%3[Aa])';
  const namespace = '(?<namespace>[a-z0-9-]{1,63})';
  return `/api/v1/namespaces/${namespace}/${resource}/(?:https?${colon})?${NAME}(?:${colon}[a-z0-9-]{0,63})?/proxy`;
}
