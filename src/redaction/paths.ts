// Paths: which segments may be shown. An API that is known names its objects in them; of any other server, and behind a proxy, a
// segment stays if it is a word that people write.

import { isPlainWord } from './generated.js';
import type { Api } from './parameters.js';
import { ELLIPSIS } from './shown.js';

/** @param path without scheme, host and query, as on the wire. @returns it with `…` in place of what may be anything. */
export function redactPath(api: Api, path: string): string {
  const known = KNOWN[api];
  // Names of objects, in a path that the table knows to its end.
  if (known === undefined) return unknownSegments(path);
  const length = known.exec(path)?.[0].length ?? 0;
  return length === path.length ? path : path.slice(0, length) + unknownSegments(path.slice(length));
}

function unknownSegments(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment === ELLIPSIS || isShown(segment) ? segment : ELLIPSIS))
    .join('/');
}

function isShown(segment: string): boolean {
  // What is escaped is nothing that a path needs.
  return isPlainWord(segment) || DIGEST.test(segment);
}

/** What names a blob, and opens none. */
const DIGEST = /^sha(?:256|512):[a-f0-9]{64,128}$/;
/** Resources, their subresources and objects; what a proxy is asked for begins behind `proxy`. */
const OBJECTS =
  /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/watch)?(?:\/namespaces\/[^/]+)?(?:\/[^/]+){0,2}(?:\/(?!proxy\/)[^/]+){0,2}(?:\/proxy)?\/?/;

const KNOWN: Readonly<Partial<Record<Api, RegExp>>> = {
  kubernetes: new RegExp(`${OBJECTS.source}|^/(?:api|apis|openapi)(?:/[^/]+){0,4}`),
  // pkg/kubelet/server/server.go: namespace, Pod, uid, container; `logs` are files of the node.
  kubelet: /^\/(?:containerLogs|exec|attach|portForward|run|checkpoint)(?:\/[^/]+){2,4}/,
  // What a runtime streams under is redacted as text: whoever knows it gets in.
  cri: /^.*$/s,
  etcd: /^\/[\w.]+\/\w+$|^\/(?:version|health|livez|readyz|metrics|members|raft|v3\/[a-z/]+)(?:\/[a-z]+)*$/,
  // An upload is known to whoever has its address.
  registry: /^\/v2(?:\/(?!uploads\/)[^/]+)*(?:\/uploads)?\/?/,
  docker: /^(?:\/v\d[\d.]*)?\/[a-z_]+(?:\/[^/]+){0,6}/,
};
