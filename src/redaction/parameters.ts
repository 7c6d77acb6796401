// Lists the query parameters whose values may be shown: those of known APIs that hold no secret, if the value has the shape that the API
// defines. Of every other parameter only the name is shown, as a list of secret ones could never be complete.

import { isPlainWord } from './words/plain-word.js';

/** The API of a request, by its server role. */
export type Api = 'kubernetes' | 'kubelet' | 'etcd' | 'cri' | 'registry' | 'docker' | 'http' | 'grpc';

/** How the value of a parameter is shown. `length`: only its length. `command`: as a command, with others of the same name. `selector`: like labels. */
export type Showing = 'value' | 'length' | 'command' | 'selector' | 'nothing';

/**
 * @param api of the request.
 * @param path of the request, without scheme, host and query.
 * @param name of the parameter and `value`, decoded.
 */
export function showingOf(api: Api, path: string, name: string, value: string): Showing {
  const shape = shapeOf(api, path, name);
  if (shape === undefined) return 'nothing';
  if (shape === 'length' || shape === 'command' || shape === 'selector') return shape;
  if (shape === 'word' && !isPlainWord(value)) return 'nothing';
  return SHAPES[shape].test(value) ? 'value' : 'nothing';
}

/** The shape of a parameter; undefined if no row lists it. */
export function shapeOf(api: Api, path: string, name: string): ParameterShape | undefined {
  if (PROXIED.test(path)) return undefined;
  for (const rows of PARAMETERS[api])
    if (rows.path === undefined || rows.path.test(path)) {
      const shape = rows.names.get(name);
      if (shape !== undefined) return shape;
    }
  return undefined;
}

/** The required form of a parameter's value. */
type ParameterShape = keyof typeof SHAPES | 'length' | 'command' | 'selector';

interface ParameterRows {
  /** undefined for all paths. */
  readonly path?: RegExp;
  readonly names: ReadonlyMap<string, ParameterShape>;
}

/** Names of repositories and what is done with them (distribution, docs/spec/auth/scope.md). */
export const SCOPE = /^(?:(?:repository|registry)(?:\(plugin\))?:[a-z0-9._/:*-]{1,255}:[a-z*,]{1,30}(?: |$)){1,8}$/;
const SHAPES = {
  flag: /^(?:true|false|[tf01]|)$/i,
  number: /^-?\d{0,20}$/,
  numbers: /^[\d,]{0,200}$/,
  duration: /^\d{0,20}(?:\.\d{1,9})?(?:[a-zµ]{1,2}(?:\d{1,9}[a-z]{1,2})*)?$/,
  time: /^(?:\d{1,20}(?:\.\d{1,9})?|\d{4}-\d\d-\d\dT[\d:.]{1,20}(?:Z|[+-]\d\d:\d\d))$/,
  word: /^[A-Za-z][A-Za-z-]{0,40}$/,
  /** A reference of an image, without user and password. */
  image: /^[A-Za-z0-9][A-Za-z0-9_./:-]{0,252}(?:@sha256:[0-9a-f]{64})?$/,
  name: /^[A-Za-z0-9_][A-Za-z0-9_./:@ -]{0,252}$/,
  /** Ranges of hashes (ListOptions.shardSelector). */
  shards:
    /^shardRange\(object\.metadata\.(?:uid|namespace), '0x[0-9a-f]{1,17}', '0x[0-9a-f]{1,17}'\)(?: \|\| shardRange\(object\.metadata\.(?:uid|namespace), '0x[0-9a-f]{1,17}', '0x[0-9a-f]{1,17}'\)){0,63}$/,
  /** `repository:library/nginx:pull,push`. */
  scope: SCOPE,
  digest: /^[a-z0-9+._-]{1,20}:[a-f0-9]{32,128}$/,
  hash: /^[0-9A-F]{1,128}$/,
  media: /^[a-z]{1,20}\/[A-Za-z0-9.+-]{1,100}(?:;[a-z]{1,20}=[A-Za-z0-9._-]{1,60})*$/,
};

/** Requests that an API server forwards to programs that it does not know. */
const PROXIED = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?(?:nodes|pods|services)\/[^/]+\/proxy(?:\/|$)|^\/api\/v1\/proxy\//;

const rows = shapeRows<ParameterShape>;

// k8s.io/apimachinery/pkg/apis/meta/v1/types.go: ListOptions, GetOptions, CreateOptions, PatchOptions, UpdateOptions, DeleteOptions,
// TableOptions.
const META = rows(`
  selector: labelSelector fieldSelector
  shards: shardSelector
  flag: watch allowWatchBookmarks sendInitialEvents pretty force orphanDependents export exact
  flag: ignoreStoreReadErrorWithClusterBreakingPotential
  number: resourceVersion limit timeoutSeconds gracePeriodSeconds
  word: resourceVersionMatch dryRun fieldValidation propagationPolicy includeObject
  name: fieldManager
  length: continue
  duration: timeout
`);
/** k8s.io/apiserver/pkg/server/healthz, routes/openapi.go, kube-openapi/pkg/handler3. */
const OF_THE_SERVER = rows(`
  flag: verbose
  name: exclude
  hash: hash
  duration: timeout
`);
/** k8s.io/api/core/v1/types.go: PodLogOptions. */
const LOG = rows(`
  name: container
  flag: follow previous timestamps insecureSkipTLSVerifyBackend pretty
  number: sinceSeconds tailLines limitBytes
  time: sinceTime
  word: stream
  duration: timeout
`);
/** In the same file: PodExecOptions, PodAttachOptions, PodPortForwardOptions; and the names in the kubelet and the runtime. */
const STREAM = rows(`
  name: container
  flag: stdin stdout stderr tty input output error
  command: command cmd
  numbers: ports port
`);

const KUBERNETES_STREAM = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/(?:exec|attach|portforward)$/;
const KUBELET_STREAM = /^\/(?:exec|attach|portForward|run|cri\/(?:exec|attach|portforward))\//;

export const PARAMETERS: Readonly<Record<Api, readonly ParameterRows[]>> = {
  kubernetes: [
    { path: KUBERNETES_STREAM, names: STREAM },
    { path: /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/log$/, names: LOG },
    { path: /^\/apis?(?:\/|$)/, names: META },
    { path: /^\/(?:openapi|version|healthz|livez|readyz|metrics|debug)(?:\/|$)/, names: OF_THE_SERVER },
  ],
  // pkg/kubelet/server/server.go
  kubelet: [
    { path: KUBELET_STREAM, names: STREAM },
    { path: /^\/containerLogs\//, names: LOG },
    {
      path: /^\/(?:stats|checkpoint|healthz|metrics)(?:\/|$)/,
      names: rows('duration: timeout\n flag: only_cpu_and_memory verbose'),
    },
  ],
  etcd: [{ path: /^\/(?:health|livez|readyz)$/, names: rows('flag: serializable verbose\n name: exclude') }],
  cri: [{ names: STREAM }],
  // opencontainers/distribution-spec, spec.md; `ns` is containerd's, for mirrors. Its tokens: distribution, docs/spec/auth/token.md.
  registry: [
    {
      path: /^\/v2(?:\/|$)/,
      names: rows('number: n\n name: last ns from\n digest: digest mount\n media: artifactType'),
    },
    {
      path: /^\/(?:token|service\/token|oauth2\/token)$/,
      names: rows('scope: scope\n name: service\n flag: offline_token'),
    },
  ],
  // docs.docker.com/reference/api/engine: all but credentials, environment and texts of users.
  docker: [
    {
      names: rows(`
        flag: all size follow stdout stderr timestamps stream stdin logs one-shot v link force noprune digests shared-size
        flag: rm forcerm nocache pull q no-prune verbose dangling
        number: limit h w t
        time: since until
        image: fromImage repo
        name: name platform tag tail
        word: condition signal type
        name: version
      `),
    },
  ],
  // Admission webhooks and conversion (k8s.io/apiserver, util/webhook): how long the API server waits.
  http: [{ names: rows('duration: timeout') }],
  grpc: [],
};

/** @param text lines of a shape and its names: `number: limit timeoutSeconds`; comments begin with `//`. @returns the shape of each name. */
export function shapeRows<Shape extends string>(text: string): ReadonlyMap<string, Shape> {
  return new Map(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('//'))
      .flatMap((line) => {
        const [shape, ...names] = line.split(/:? +/);
        return names.map((name): [string, Shape] => [name, shape as Shape]);
      }),
  );
}
