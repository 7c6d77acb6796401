// Redacts request targets and URLs: a query value is shown if the API's table lists its name and shape, a path segment if it is a name of
// that API or a plain word.

import { API_VERSION, CORE_RESOURCES, UNDOTTED_GROUPS } from '../core/api-resources.js';
import { LAST_PORT } from '../core/connection-name.js';
import { shownSelector } from './body/label-values.js';
import { redactCommandText } from './commands.js';
import { isKeyShown } from './keys.js';
import { type Api, type Showing, showingOf } from './parameters.js';
import { ELLIPSIS, isRedacted, REDACTED, type Shown, shown } from './shown.js';
import { redactAuthority, redactText, shownAuthority } from './text.js';
import { isPlainWord } from './words/plain-word.js';

/**
 * @param target as on the wire: origin-form, absolute-form, `*` or an authority; or a URL in a header field.
 * @param api of the request; `http` if unknown.
 * @param showsCommands whether commands stay whole.
 */
export function redactTarget(target: string, api: Api, showsCommands = false): Shown {
  // Texts are redacted first, as a credential can hide where the user-info ends.
  let out = redactText(target);
  // And again afterwards: the start of a stream's URL is recognised only without a user-info that holds spaces.
  if (out.includes('@')) out = redactText(redactAuthority(out.replace(USER_INFO, `$1${REDACTED}@`)));
  const fragment = out.indexOf('#');
  const rest = fragment < 0 ? '' : `#${REDACTED}`;
  if (fragment >= 0) out = out.slice(0, fragment);
  const query = out.indexOf('?');
  const before = query < 0 ? out : out.slice(0, query);
  const [origin, scheme, authority] = ORIGIN.exec(before) ?? ['', '', ''];
  const path = before.slice(origin.length);
  const shownPath = path.startsWith('/')
    ? redactPath(api, path)
    : AUTHORITY.test(path)
      ? shownHost(path)
      : unknownSegments(path);
  const shownOrigin = scheme + (authority === '' ? '' : shownHost(shownAuthority(authority)));
  if (query < 0) return shown(shownOrigin + shownPath + rest);
  const parameters = redactQuery(out.slice(query + 1), path, api, showsCommands);
  // With a hidden value, the name before it may look like a credential: `Bearer token=…`.
  return shown(redactText(`${shownOrigin}${shownPath}?${parameters.join('&')}${rest}`));
}

function redactQuery(query: string, path: string, api: Api, showsCommands: boolean): readonly string[] {
  const out: string[] = [];
  const command: string[] = [];
  let commandAt = -1;
  for (const parameter of query.split('&')) {
    const equals = parameter.indexOf('=');
    const name = decoded(equals < 0 ? parameter : parameter.slice(0, equals));
    const value = equals < 0 ? '' : decoded(parameter.slice(equals + 1));
    const showing = value === '' ? 'value' : showingOf(api, path, name, value);
    if (showing === 'selector') {
      const text = shownSelector(value) ?? REDACTED;
      out.push(text === value ? parameter : `${parameter.slice(0, equals)}=${encoded(text)}`);
    } else if (showing === 'command' && !showsCommands) {
      if (commandAt < 0) commandAt = out.push(parameter.slice(0, equals + 1)) - 1;
      command.push(value);
    } else out.push(redactParameter(parameter, equals, value, showing));
  }
  if (commandAt >= 0) out[commandAt] += encoded(redactCommandText(command));
  return out;
}

function redactParameter(
  parameter: string,
  equals: number,
  value: string,
  showing: Exclude<Showing, 'selector'>,
): string {
  // A query may consist of one value without a name.
  if (value === '') {
    if (equals < 0) return isName(parameter) ? parameter : REDACTED;
    return isName(parameter.slice(0, equals)) ? parameter : `${REDACTED}=`;
  }
  const name = parameter.slice(0, equals);
  const written = parameter.slice(equals + 1);
  if (showing === 'length') return LENGTH.test(value) ? parameter : `${name}=(${written.length} characters)`;
  if (showing === 'nothing') {
    // Names of environment variables stay (docker and kubelet: `env=NAME=value`).
    const assigned = decoded(name) === 'env' ? VARIABLE.exec(value)?.[0] : undefined;
    const variable = assigned !== undefined && isKeyShown(assigned.slice(0, -1)) ? assigned : undefined;
    return `${isName(name) ? name : REDACTED}=${variable === undefined ? '' : encoded(variable)}${REDACTED}`;
  }
  // The decoded value is checked, so that escapes cannot hide a credential.
  const text = redactText(value);
  // A lone surrogate, which only saved messages may have, cannot be encoded.
  return text === value ? parameter : `${name}=${encoded(text)}`;
}

function isName(name: string): boolean {
  if (name.length > NAME_LENGTH || !NAME.test(name)) return false;
  // A key may stand in place of a name.
  return decoded(name).split(BRACKETS).every(isPlainWord);
}

/** Decodes a name or value as the server does: `%74oken` is `token`. Broken escapes stay, and hide nothing beside them. */
function decoded(text: string): string {
  return text.replaceAll('+', ' ').replace(ESCAPES, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  });
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(LONE_SURROGATE, '\ufffd'));
}

/** `https://user:password@host/…` (RFC 3986 section 3.2.1); people forget to escape `/`, `?` and `#` in a password. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/).*@/is;
/** Scheme and authority of an absolute-form target (RFC 9112, section 3.2.2). */
const ORIGIN = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)/i;
/** The authority in CONNECT, and `*` in OPTIONS; any other target without a slash is relative to some path. */
const AUTHORITY = /^(?:REDACTED@)?(?:\[[0-9a-f:.]{2,45}\]|[A-Za-z0-9.…-]{1,253}):\d{1,5}$|^\*?$/;
const LENGTH = /^\(\d+ characters\)$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_.-]{0,100}=/;
const NAME = /^[A-Za-z0-9_.~[\]%+:-]*$/;
/** Characters; `ignoreStoreReadErrorWithClusterBreakingPotential` has 47. */
const NAME_LENGTH = 64;
const BRACKETS = /[[\]]/;
const ESCAPES = /(?:%[0-9a-f]{2})+/gi;
const ESCAPE = /%([0-9a-f]{2})/gi;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * @param host with its port or without.
 * @returns it with `…` for each label that is neither a plain word nor known; addresses stay. What has no port behind its colon is no host.
 */
export function shownHost(host: string, known: (label: string) => boolean = () => false): string {
  const [, name, rest] = /^(.*?)((?::\d{0,5})?)$/.exec(host) ?? ['', host, ''];
  if (Number(rest.slice(1)) > LAST_PORT) return ELLIPSIS;
  if (ADDRESS.test(name) || known(name)) return host;
  return (
    name
      .split('.')
      .map((label) => (LABELS.has(label) || isPlainWord(label) || known(label) ? label : ELLIPSIS))
      .join('.') + rest
  );
}

/** @param key of etcd: a path of the API server's registry holds names of objects, any other is a path of an unknown API. */
export function redactStoreKey(key: string): string {
  return isRedacted(key) ? key : pathBehind(STORED, key);
}

/** @param path without scheme, host and query, as on the wire. @returns the path with `…` in place of arbitrary segments. */
function redactPath(api: Api, path: string): string {
  const known = KNOWN[api];
  // A path that the API's pattern matches to its end holds names of objects.
  return known === undefined ? unknownSegments(path) : pathBehind(known, path);
}

function pathBehind(known: RegExp, path: string): string {
  const length = known.exec(path)?.[0].length ?? 0;
  return length === path.length ? path : path.slice(0, length) + unknownSegments(path.slice(length));
}

/** Redacts a path of an unknown API: plain words stay. */
export function unknownSegments(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment === ELLIPSIS || isShown(segment) ? segment : ELLIPSIS))
    .join('/');
}

function isShown(segment: string): boolean {
  // Escaped segments are never shown.
  return isPlainWord(segment) || DIGEST.test(segment);
}

/** Labels that redaction or a pattern of hosts put there. */
const LABELS: ReadonlySet<string> = new Set([ELLIPSIS, REDACTED, '*']);
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\]|REDACTED@.*)?$/;
/** A digest names a blob, but gives no access to it. */
const DIGEST = /^sha(?:256|512):[a-f0-9]{64,128}$/;
const GROUP = `(?:${UNDOTTED_GROUPS.join('|')}|[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){1,10})`;
/** Resources, their subresources and objects; the path of a proxied request begins after `proxy`. */
const OBJECTS = objects(
  `api/v1(?=(?:/watch)?/(?:${CORE_RESOURCES.join('|')})(?:[/?]|$))`,
  `apis/${GROUP}/${API_VERSION}`,
);

/** Paths of the objects of some groups; what follows an object are subresources in plain words, and paths of programs that it leads to. */
function objects(...roots: readonly string[]): string {
  // Names of objects are path segments (apimachinery, api/validation/path), unescaped except for a colon.
  const name = '(?:[\\w.:-]|%3[Aa])+';
  return `^/(?:${roots.join('|')})(?:/watch)?(?:/namespaces/${name})?(?:/${name}){0,2}/?(?=$|/)`;
}

/** Keys below the API server's `--etcd-prefix` (registry/generic/registry/store.go); OpenShift's is kubernetes.io. */
const STORED =
  /^\/(?:registry|kubernetes\.io)(?:\/[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10}){0,2}\/(?:services\/(?:specs|endpoints)|[a-z-]{1,63})(?:\/[\w.:@*~$()+-]+){0,2}\/?(?=$|\/)/;
const KNOWN: Readonly<Partial<Record<Api, RegExp>>> = {
  kubernetes: new RegExp(`${OBJECTS}|^/(?:openapi/v3/)?apis/${GROUP}(?:/${API_VERSION})?(?=$|/)`),
  // pkg/kubelet/server/server.go: namespace, Pod, uid, container; `logs` are files of the node.
  kubelet:
    /^\/(?:containerLogs|exec|attach|portForward|run|checkpoint)(?:\/[\w.-]+){2}(?:\/[0-9a-f-]{36})?(?:(?<!^\/portForward.*)\/[\w.-]+)?(?=$|\/)/,
  // A runtime's stream URLs give access.
  cri: /^\/runtime\.v1(?:alpha2)?\.(?:Runtime|Image)Service(?=\/)/,
  etcd: /^\/[a-z0-9]{1,20}pb\.[A-Z][A-Za-z]{1,20}(?=\/)/,
  // The address of an upload gives access to it.
  // Repositories are in lower case; references of their manifests need not be (distribution-spec, spec.md).
  registry:
    /^\/v2(?:\/(?:_catalog|[a-z0-9._-]+(?:\/[a-z0-9._-]+){0,8}?\/(?:tags\/list|(?:manifests|referrers)\/[\w.:+-]+|blobs\/(?!uploads\/)[\w+.-]+:[0-9a-fA-F]+|blobs\/uploads)))?\/?(?=$|\/|(?<=\/))/,
  // Names of images have slashes; what follows any other object is a word of the API.
  docker:
    /^(?:\/v\d[\d.]*)?\/(?:(?:images|distribution)(?:\/(?:[a-z0-9_.:@-]|%2[Ff]|%3[Aa])+){1,6}|plugins\/[a-z0-9_.-]+\/[a-z0-9_.-]+:[\w.-]+|[a-z_]+(?:\/(?:[\w.:@+-]|%2[Ff]|%3[Aa])+)?)(?=$|\/)/,
};
