// Parses method and path of a request into verb, resource, namespace and name, as the API server does for its audit log. A
// create has no name here, as only its body has one.
// Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go (v0.34), which this follows step by step.

import { BoundedMap, CACHE } from '../../core/collections/bounded.js';
import { exactMatch, isTrue, parsesAsInt64, pathOf, QueryParameters } from './request-target.js';

export interface RequestInfo {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, `proxy`; empty for OPTIONS on a
   * resource; the method in lower case where the path names no resource. */
  readonly verb: string;
  /** Empty for the core group. This and the fields below are undefined where the request has none. */
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The verb is `watch`: the answer is a stream of events. */
  readonly watch: boolean;
  /** Decoded path of a request that is about no resource (`/healthz`, `/apis`), else null. */
  readonly nonResource: string | null;
  /** Parsed at its first use. */
  readonly query: QueryParameters;
}

/**
 * @param method as on the wire. @param target as on the wire: origin-form, absolute-form, `*` or CONNECT's authority.
 * @returns null only for paths that the server refuses at once: a special verb with nothing after it.
 */
export function requestInfo(method: string, target: string): RequestInfo | null {
  // Called several times for each request, and clients repeat their targets: one in ten is new in a busy capture.
  const cached = KNOWN.get(target);
  if (cached !== undefined && cached.method === method) return cached.info;
  const info = read(method, target);
  KNOWN.set(target, { method, info });
  return info;
}

function read(method: string, target: string): RequestInfo | null {
  const mark = target.indexOf('?');
  const path = pathOf(method, mark < 0 ? target : target.slice(0, mark));
  const query = new QueryParameters(mark < 0 ? '' : target.slice(mark + 1));
  const parts = splitPath(path);
  const isGroupless = parts[0] === 'api';
  const versionAt = isGroupless ? 1 : 2;
  if ((!isGroupless && parts[0] !== 'apis') || parts.length < versionAt + 2)
    return withoutResource(method, path, query);

  let rest = parts.slice(versionAt + 1);
  let verb = VERBS.get(method) ?? '';
  const special = SPECIAL_VERBS.has(rest[0]);
  if (special) {
    if (rest.length < 2) return null;
    verb = rest[0];
    rest = rest.slice(1);
  }

  //   namespaces / NAME                      the Namespace itself, which fills namespace and name
  //   namespaces / NAME / status             its subresource
  //   namespaces / NAME / pods / …           something inside it
  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1];
    if (rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2])) rest = rest.slice(2);
  }

  const subresource = rest.length >= 3 && verb !== 'proxy' ? rest[2] : '';
  let name = rest[1] ?? '';
  if (name === '' && verb === 'get') {
    verb = isTrue(query.get('watch')) ? 'watch' : 'list';
    name = nameBySelector(query);
  } else if (name === '' && verb === 'delete') verb = 'deletecollection';

  return {
    verb,
    apiGroup: isGroupless ? '' : parts[1],
    apiVersion: parts[versionAt],
    resource: rest[0],
    subresource: subresource || undefined,
    namespace: namespace || undefined,
    name: name || undefined,
    watch: verb === 'watch',
    nonResource: null,
    query,
  };
}

function withoutResource(method: string, path: string, query: QueryParameters): RequestInfo {
  return {
    verb: method.toLowerCase(),
    apiGroup: undefined,
    apiVersion: undefined,
    resource: undefined,
    subresource: undefined,
    namespace: undefined,
    name: undefined,
    watch: false,
    nonResource: path,
    query,
  };
}

/** `fieldSelector=metadata.name=x` names the one object of a list or watch; not where any option fails to parse. */
function nameBySelector(query: QueryParameters): string {
  const selector = query.get('fieldSelector');
  if (selector === undefined || selector === '') return '';
  for (const option of ['limit', 'timeoutSeconds']) {
    const value = query.get(option);
    if (value !== undefined && !parsesAsInt64(value)) return '';
  }
  const name = exactMatch(selector, 'metadata.name') ?? '';
  // Names that could not stand in a path (apimachinery/pkg/api/validation/path).
  return name === '.' || name === '..' || name.includes('/') || name.includes('%') ? '' : name;
}

function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === SLASH) start += 1;
  while (end > start && path.charCodeAt(end - 1) === SLASH) end -= 1;
  return start === end ? [] : path.slice(start, end).split('/');
}

const SLASH = 0x2f;

const VERBS: ReadonlyMap<string, string> = new Map([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** The old prefixes `/api/v1/watch/…` and `/api/v1/proxy/…`. */
const SPECIAL_VERBS: ReadonlySet<string> = new Set(['watch', 'proxy']);

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Limit: request targets whose request info is cached, some 0.5 KiB each. */
const MAX_KNOWN = 4096;
const KNOWN = new BoundedMap<string, { readonly method: string; readonly info: RequestInfo | null }>(MAX_KNOWN, CACHE);
