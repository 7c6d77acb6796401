// Paths: which segments may be shown. An API that is known names its objects in them; of any other server, and behind a proxy, a
// segment stays if it is a word that people write.

import { CORE_RESOURCES, UNDOTTED_GROUPS } from '../core/api-resources.js';
import type { Api } from './parameters.js';
import { ELLIPSIS } from './shown.js';
import { isPlainWord } from './words/plain-word.js';

/** @param path without scheme, host and query, as on the wire. @returns it with `…` in place of what may be anything. */
export function redactPath(api: Api, path: string): string {
  const known = KNOWN[api];
  // Names of objects, in a path that the table knows to its end.
  if (known === undefined) return unknownSegments(path);
  const length = known.exec(path)?.[0].length ?? 0;
  return length === path.length ? path : path.slice(0, length) + unknownSegments(path.slice(length));
}

/** Of a path that no table knows: words stay. */
export function unknownSegments(path: string): string {
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
const OBJECTS = objects(
  `api/v1(?=(?:/watch)?/(?:${CORE_RESOURCES.join('|')})(?:[/?]|$))`,
  `apis/(?:${UNDOTTED_GROUPS.join('|')}|[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){1,10})/v\\d{1,3}(?:(?:alpha|beta)\\d{1,3})?`,
);

/** Where the objects of some groups are, up to a proxy's own path. */
function objects(...roots: readonly string[]): string {
  // Names of objects are path segments (apimachinery, api/validation/path); what is escaped but for a colon is none.
  const name = '(?:[\\w.:-]|%3[Aa])+';
  return `^/(?:${roots.join('|')})(?:/watch)?(?:/namespaces/${name})?(?:/${name}){0,2}(?:/(?!proxy/)${name}){0,2}(?:/proxy)?/?(?=$|/)`;
}

const KNOWN: Readonly<Partial<Record<Api, RegExp>>> = {
  kubernetes: new RegExp(`${OBJECTS}|^/(?:openapi/v3/)?apis/[a-z0-9.-]{1,253}(?:/v\\d[a-z0-9]{0,12})?(?=$|/)`),
  // pkg/kubelet/server/server.go: namespace, Pod, uid, container; `logs` are files of the node.
  kubelet: /^\/(?:containerLogs|exec|attach|portForward|run|checkpoint)(?:\/[\w.-]+){2,4}(?=$|\/)/,
  // What a runtime streams under is redacted as text: whoever knows it gets in.
  cri: /^.*$/s,
  etcd: /^\/[\w.]+\/\w+$|^\/(?:version|health|livez|readyz|metrics|members|raft|v3\/[a-z/]+)(?:\/[a-z]+)*$/,
  // An upload is known to whoever has its address.
  // Repositories are in lower case, references of their manifests need not be (distribution-spec, spec.md).
  registry:
    /^\/v2(?:\/(?:manifests|blobs|referrers)\/(?!uploads\/)[\w.:+-]+|\/(?!uploads\/)[a-z0-9._:-]+)*(?:\/uploads)?\/?(?=$|\/|(?<=\/))/,
  docker: /^(?:\/v\d[\d.]*)?\/[a-z_]+(?:\/(?:[\w.:@+-]|%2[Ff]|%3[Aa])+){0,6}(?=$|\/)/,
};
