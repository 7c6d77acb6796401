// Defines the grammars of template holes: a name, an image, a count. A text whose hole holds anything else does not match the template.

import { dictionary } from '../../core/collections/dictionary.js';
import { isKind } from '../words/dictionary.js';
import { isPlainWord } from '../words/plain-word.js';

/** One row: a text that a program of Kubernetes writes, with holes, and the file that writes it. */
export interface TemplateRow {
  readonly template: string;
  readonly source: string;
}

/** How the content of a hole is shown. */
export type HoleType =
  /** Shown unchanged if it has the grammar; at the end of a template up to white space or the end of the text. */
  | { readonly shows: 'content'; readonly fits: (content: string) => boolean; readonly hasSpaces?: true }
  /** One or several messages: templates are tried, then the word rule. */
  | { readonly shows: 'text' }
  /** Text of a program or user: the word rule alone. */
  | { readonly shows: 'words' }
  /** Replaced by an ellipsis. */
  | { readonly shows: 'nothing' };

/** Limit: characters of a hole's content in a template: an image reference (docker/reference) has at most 255 + 128 + 72. */
export const MAX_HOLE_LENGTH = 460;
/** Limit: characters of a list of names or of a diff in a template: the API server writes at most 1024 into an Event. */
export const MAX_LIST_LENGTH = 4096;

const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const DNS = `${LABEL}(?:\\.${LABEL}){0,20}`;
const IPV4 = '\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}';
const IPV6 = '[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}';
const PORT = '(?::\\d{1,5})?';
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const DURATION = '(?:\\d{1,9}(?:\\.\\d{1,9})?(?:ns|us|µs|ms|s|m|h|d)){1,4}';
/** apimachinery, api/resource: quantities with their suffixes. */
const QUANTITY = '[-+]?\\d{1,20}(?:\\.\\d{1,9})?(?:[numkMGTPE]|[KMGTPE]i|[eE]\\d{1,3})?';

function whole(source: string): (content: string) => boolean {
  const pattern = new RegExp(`^(?:${source})$`);
  return (content) => content.length <= MAX_HOLE_LENGTH && pattern.test(content);
}

/** Names of roles have colons (`system:node`), names in a namespace a slash, plugins' names both cases. */
const isName = whole(`(?:${DNS}/)?${DNS}`);

const isProgram = whole('(?:\\.{0,2}/)?[\\w.+-]{1,64}(?:/[\\w.+-]{1,64}){0,12}');
const isCheck = whole('[a-z][a-z/-]{1,100}');
const isLabelKey = whole(`(?:${DNS}/)?[a-zA-Z0-9](?:[-\\w.]{0,61}[a-zA-Z0-9])?`);
const isAddress = whole(`\\[?(?:${IPV4}|${IPV6})\\]?${PORT}(?:/\\d{1,3})?|(?:localhost|${DNS}):\\d{1,5}|:\\d{1,5}`);

const isImage = whole(
  `(?:[a-zA-Z0-9.-]{1,250}${PORT}/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+){0,60}(?::[\\w][\\w.-]{0,127})?(?:@[a-z0-9]{3,10}:[0-9a-f]{32,128})?`,
);
const isGrouped = whole(
  `[a-zA-Z][a-zA-Z0-9]{0,62}(?:\\.${DNS})(?:/[a-z]{1,40})?|(?:${DNS}/)?v\\d[a-z0-9]{0,10}, ?Kind=[A-Z][a-zA-Z0-9]{0,62}`,
);

/** Types of holes by their word in a template. `{a|b}` is one of these words. */
export const HOLE_TYPES: Readonly<Record<string, HoleType>> = dictionary({
  // RFC 1123 subdomain, with its namespace or without.
  name: { shows: 'content', fits: isName },
  names: { shows: 'content', fits: (content) => content.split(/, ?| /).every((one) => isName(one)), hasSpaces: true },
  // Users, groups and roles: `system:serviceaccount:default:web`, addresses of OpenID Connect.
  user: { shows: 'content', fits: whole('[a-zA-Z0-9](?:[-a-zA-Z0-9:._@/]{0,250}[-a-zA-Z0-9])?') },
  node: { shows: 'content', fits: whole(DNS) },
  // `name_namespace(uid)` (pkg/kubelet/util/format); containerd's names of sandboxes and containers (internal/cri/server/helpers.go).
  pod: {
    shows: 'content',
    fits: whole(`${DNS}[_/]${LABEL}(?:\\(${UUID}\\))?|(?:${LABEL}_)?${DNS}_${LABEL}_${UUID}_\\d{1,6}`),
  },
  // distribution/reference: domain, path, tag, digest.
  image: { shows: 'content', fits: isImage },
  // The same with a registry or a repository, as in front of a text a name alone may be any word.
  imagepath: { shows: 'content', fits: (content) => content.includes('/') && isImage(content) },
  // An id of a container, a sandbox, a layer.
  id: { shows: 'content', fits: whole('(?:[a-z-]{1,20}://|sha256:)?[0-9a-f]{12,64}') },
  uid: { shows: 'content', fits: whole(`${UUID}|[0-9a-f]{32}`) },
  count: { shows: 'content', fits: whole('[-+]?\\d{1,20}(?:\\.\\d{1,6})?%?') },
  duration: { shows: 'content', fits: whole(DURATION) },
  quantity: { shows: 'content', fits: whole(QUANTITY) },
  // `pods=1,requests.cpu=200m` (apiserver, pkg/quota).
  quantities: { shows: 'content', fits: whole(`(?:[a-zA-Z0-9./-]{1,200}=${QUANTITY},?){1,12}`) },
  address: { shows: 'content', fits: isAddress },
  // Resources with their group, kinds with group and version: `deployments.apps`, `apps/v1, Kind=Deployment`.
  resource: {
    shows: 'content',
    fits: whole(
      `(?:requests\\.|limits\\.|count/)?(?:${DNS}/)?[a-z][a-z0-9-]{0,62}|[a-zA-Z][a-zA-Z0-9]{0,62}(?:\\.${DNS})?(?:/[a-z]{1,40})?|(?:${DNS}/)?v\\d[a-z0-9]{0,10}(?:, ?Kind=[A-Z][a-zA-Z0-9]{0,62}|/[a-z]{1,63})?`,
    ),
  },
  // The same in front of a text, where any word may occur: with a group, or of Kubernetes itself.
  kind: {
    shows: 'content',
    fits: (content) => isKind(content) || isGrouped(content),
  },
  version: { shows: 'content', fits: whole(`(?:${DNS}/)?v\\d{1,4}(?:(?:alpha|beta)\\d{1,4})?`) },
  // `spec.containers[0].image`, `metadata.labels[app]`.
  path: { shows: 'content', fits: whole('\\.?[a-zA-Z][\\w$-]{0,62}(?:\\.[\\w$-]{1,63}|\\[[\\w./*-]{0,80}\\]){0,30}') },
  // Names of volumes, plugins, drivers, devices and taints: upper case too.
  plugin: { shows: 'content', fits: whole('[a-zA-Z0-9](?:[-a-zA-Z0-9._/^]{0,250}[a-zA-Z0-9])?') },
  // Key and value of a label or taint, 63 characters (apimachinery, util/validation).
  label: { shows: 'content', fits: isLabelKey },
  labelvalue: { shows: 'content', fits: whole('(?:[a-zA-Z0-9](?:[-\\w.]{0,61}[a-zA-Z0-9])?)?') },
  file: { shows: 'content', fits: whole('(?:/[\\w.~@:-]{1,80}){1,20}/?') },
  program: { shows: 'content', fits: (content) => isProgram(content) && content.split('/').every(isPlainWord) },
  money: { shows: 'content', fits: whole('\\$\\d{1,6}(?:\\.\\d{1,4})?') },
  // Key of a Secret, a ConfigMap, an environment (apimachinery, util/validation, configMapKeyFmt).
  key: { shows: 'content', fits: whole('[-._a-zA-Z0-9]{1,253}') },
  // `[a b]`, as Go prints names of containers, volumes, Pods.
  list: {
    shows: 'content',
    hasSpaces: true,
    fits: (content) => content === '' || content.split(/, ?| /).every((one) => isName(one)),
  },
  gates: { shows: 'content', fits: (content) => content.split(' ').every((one) => isLabelKey(one)) },
  addresses: {
    shows: 'content',
    fits: (content) => content.split(/, | /).every((one) => isAddress(one)),
    hasSpaces: true,
  },
  group: { shows: 'content', fits: whole(`(?:${DNS}|\\*)?`) },
  // `v1.34`, `1.2.3-rc.1`.
  release: { shows: 'content', fits: whole('v?\\d{1,4}(?:\\.\\d{1,4}){0,2}(?:[-+][a-z]{1,8}\\.?\\d{0,4})?') },
  // A branch and a commit, a commit, a release: `main@sha1:…`.
  revision: {
    shows: 'content',
    fits: whole(
      '(?:[\\w./-]{1,100}@)?(?:sha1:|sha256:)?[0-9a-f]{7,64}(?: \\([0-9a-f]{7,64}\\))?|v?\\d{1,4}(?:\\.\\d{1,4}){1,2}(?:[-+][a-z0-9.]{1,20})?|HEAD|main|master|latest',
    ),
  },
  chart: { shows: 'content', fits: whole('[a-z0-9-]{1,80}@v?\\d{1,4}(?:\\.\\d{1,4}){0,2}(?:[-+][a-zA-Z0-9.]{1,30})?') },
  // `503 Service Unavailable`, `manifests nginx`.
  pathpart: { shows: 'content', fits: whole('\\d{3}(?: [A-Z][a-zA-Z ]{1,40})?|[a-z]{1,20} [a-zA-Z0-9.:-]{1,160}') },
  podsecurity: { shows: 'content', fits: whole('(?:privileged|baseline|restricted):(?:latest|v1\\.\\d{1,3})') },
  podsecuritytext: { shows: 'text' },
  // Health checks of the API server: `poststarthook/rbac/bootstrap-roles`.
  checks: { shows: 'content', fits: (content) => content.split(', ').every((one) => isCheck(one)), hasSpaces: true },
  resize: { shows: 'content', fits: isResize, hasSpaces: true },
  probe: { shows: 'words' },
  url: { shows: 'words' },
  time: {
    shows: 'content',
    fits: whole(
      '\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z| ?[-+]\\d\\d:?\\d\\d)?(?: UTC)?|[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d [-+A-Z0-9]{3,5}',
    ),
  },
  // A reason, an enum's value, a Go identifier.
  word: { shows: 'content', fits: whole('[A-Za-z]{1,64}') },
  bool: { shows: 'content', fits: whole('true|false|True|False|Unknown') },
  text: { shows: 'text' },
  words: { shows: 'words' },
  hidden: { shows: 'nothing' },
});

/** Names of holes: `{name}`, `{up|down}`. Anything else in braces is text of the template. */
export function holeTypeOf(inner: string): HoleType | null {
  const known = HOLE_TYPES[inner];
  if (known !== undefined) return known;
  if (!inner.includes('|')) return null;
  const words = new Set(inner.split('|'));
  return { shows: 'content', fits: (content) => words.has(content) };
}

/** The kubelet's report of a resize (pkg/kubelet/allocation): JSON of names and quantities alone. */
function isResize(content: string): boolean {
  return content.length < 4096 && RESIZE.test(content);
}

const AMOUNTS = `\\{(?:"[a-z][a-zA-Z0-9./-]{1,80}":"${QUANTITY}",?){0,8}\\}`;
const RESOURCES = `\\{(?:"(?:limits|requests)":${AMOUNTS},?){0,2}\\}`;
const RESIZE = new RegExp(
  `^\\{"(?:containers|initContainers)":\\[(?:\\{"name":"${LABEL}","resources":${RESOURCES}\\},?){0,20}\\](?:,"generation":\\d{1,9})?(?:,"error":"Node didn't have enough (?:resource|capacity): [a-z-]{2,20}, requested: \\d{1,15}, (?:used: \\d{1,15}, )?capacity: \\d{1,15}")?\\}$`,
);
