// Decides which words stay when names are replaced: words of Kubernetes, of protocols and of programs that every cluster has.

import { CORE_RESOURCES, UNDOTTED_GROUPS } from '../core/api-resources.js';
import { LAST_PORT } from '../core/connection-name.js';
import { textSections } from '../core/text-table.js';
import { KNOWN_PROGRAMS } from '../kubernetes/attributed/programs/known-programs.js';
import { listOf } from '../redaction/lists.js';
import { TEMPLATE_ROWS } from '../redaction/templates/rows.js';
import { isKind, isWord } from '../redaction/words/dictionary.js';
import { isFieldPath, isKubernetesName, NUMBER, VERSION } from '../redaction/words/word-shapes.js';
import KEPT from './kept-words.txt?raw';

const SECTIONS = new Map(
  textSections(KEPT).map(({ heading, lines }) => [heading, new Set(lines.flatMap((line) => line.split(' ')))]),
);
const section = (name: string): ReadonlySet<string> => SECTIONS.get(name) as ReadonlySet<string>;

/** Objects and programs that every cluster has, and names of others begin with: `coredns-5d78c9869d-abcde`, `kube-apiserver-node-1`. */
export const WELL_KNOWN: ReadonlySet<string> = new Set([...section('objects'), ...KNOWN_PROGRAMS]);
const OF_THE_API: ReadonlySet<string> = new Set([
  ...section('api'),
  ...CORE_RESOURCES,
  ...UNDOTTED_GROUPS,
  ...listOf('schemes'),
]);
const USUAL: ReadonlySet<string> = new Set([...section('usual'), ...section('own'), ...listOf('words with digits')]);
const LABELS = listOf('labels');
const SELECTED = listOf('selected fields');
const REGISTRIES = listOf('registries');
const TOOLS = new Set('k8s io sh helm fluxcd toolkit argoproj karpenter sigs cert-manager'.split(' '));

/** Parts of a host's name that say nothing of whose it is. */
export const DOMAINS = section('domains');
/** Words of the texts that Kubernetes writes, in lower case: between its names, not in place of one. They stay even if an object has that name. */
export const BETWEEN_NAMES: ReadonlySet<string> = new Set(
  TEMPLATE_ROWS.flatMap(({ template }) => template.replace(/\{[^}]*\}|\\./g, ' ').split(/[^A-Za-z]+/)).filter(
    (word) => /^[a-z]{2,}$/.test(word) || word === 'a',
  ),
);

/** Whether a word stays even in place of a name, and if an object has it. */
export function isKept(word: string): boolean {
  return (
    WELL_KNOWN.has(word) ||
    OF_THE_API.has(word) ||
    REGISTRIES.has(word) ||
    isKind(word) ||
    isKubernetesName(word) ||
    (GROUP.test(word) && word.split('.').every((part) => TOOLS.has(part) || isWord(part)))
  );
}

/** Whether a word stays in place of a name, if no object has it. */
export function isUsual(word: string): boolean {
  return USUAL.has(word) || USUAL.has(word.toLowerCase());
}

/** Whether a word of a sentence stays, if no object has it. */
export function isProse(word: string): boolean {
  return isUsual(word) || isWord(word) || word.split(CAMEL).every(isWord) || isFieldPath(word);
}

/** Whether the key of a label, or a field that is selected by, is one that many clusters have. */
export function isKeptKey(key: string): boolean {
  return LABELS.has(key) || SELECTED.has(key) || isKept(key);
}

/** Whether a word of the name of a header field is one that many programs have. */
export function isHeaderWord(word: string): boolean {
  return word.length === 1 || section('headers').has(word.toLowerCase()) || isProse(word) || isKept(word);
}

/** Whether a key behind a prefix of Kubernetes stays, or a check of an API server: `node.kubernetes.io/not-ready`. */
export function isKeptBehind(before: string, word: string): boolean {
  return PREFIX.test(before) && word.split(/[-.]/).every((part) => isWord(part) || isKept(part));
}

/** Whether `system:` begins a name of Kubernetes' own. @param rest behind the colon. */
export function isSystemName(rest: string): boolean {
  const known = section('system');
  return rest.split(':').every((part) => part === '' || known.has(part) || KNOWN_PROGRAMS.has(part));
}

/** Numbers, with a unit or without, versions, times: none is a name. */
export function isMeasure(word: string): boolean {
  return TIMES.test(word) || (!DIGITS.test(word) && (NUMBER.test(word) || VERSION.test(word)));
}

/** Whether the text beside a number says that it is a count, a port, or a range of ports or bytes. */
export function isCounted(number: string, before: string, after: string): boolean {
  if (!COUNT.test(number)) return SPAN.test(number) && BEFORE_SPAN.test(before);
  return BEFORE_COUNT.test(before) || AFTER_COUNT.test(after) || (Number(number) <= LAST_PORT && PORT.test(before));
}

/** Ends of fields, parameters and words behind which a number counts something; behind `client random` stand the first digits of one. */
const COUNTING_WORDS = String.raw`(?:_at|timestamp|version|revision|length|size|bytes|limits?|requests|capacity|allocatable|seconds|lines|-(?:age|after)|\b(?:used|hard|rev|ports?|records?|at most|code|random))`;
export const COUNTING = new RegExp(`${COUNTING_WORDS}$`, 'i');
/** A count of at most ten digits, or a time in ns since the epoch. Accounts have more digits. */
export const COUNT = /^[1-9]\d{0,9}$|^1\d{18}$/;
const BEFORE_COUNT = new RegExp(`${COUNTING_WORDS}(?:=|%3D|:? )(?:\\d+(?:-\\d+/| \\())?$`, 'i');
const AFTER_COUNT = /^(?:\/\d+)?(?: of \d+)? (?:bytes?|ms)\b/;
/** `30000-32767`, `0-1023`. */
const SPAN = /^(?:0|[1-9]\d{0,9})-[1-9]\d{0,9}$/;
const BEFORE_SPAN = /\b(?:ports is |range |bytes[ =])$/;
const PORT = /[\w\])]:$/;
const PREFIX = /(?:(?:kubernetes|k8s)\.io|poststarthook|poststarthook\/[a-z-]+)\/$/;
const CAMEL = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|'/;
/** Numbers without a unit: those of accounts, customers and telephones have more digits than parts of versions. */
const DIGITS = /^[\d.]+$/;
/** `2026-01-01T00`, `443`, `1.25.3`, `v1.34.4`, `2026.1`, `1h5m3.2s`, `7900m`, `8145264Ki`. */
const TIMES =
  /^(?:\d{4}-\d\d-\d\dT\d\dZ?|\d{1,3}|v?(?:20)?\d{1,3}(?:\.\d{1,3}){1,3}(?:-\d{1,2})?|(?:\d{1,6}(?:\.\d{1,9})?(?:ns|us|ms|s|m|h|d)){1,4}|\d{1,12}(?:[kKMGTPE]i?B?|B)|\d\dZ)$/;
/** Groups of Kubernetes, and of the tools whose kinds the tables know. */
const GROUP = /^(?:[a-z0-9-]+\.)*(?:(?:k8s|cert-manager|fluxcd|argoproj)\.io|(?:karpenter|helm)\.sh)$/;
