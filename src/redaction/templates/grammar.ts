// Defines the grammars of template holes: a name, an image, a count. A text whose hole holds anything else does not match the template.

import { dictionary } from '../../core/collections/dictionary.js';
import { textSections } from '../../core/text-table.js';
import { isKind } from '../words/dictionary.js';
import { isPlainWord } from '../words/plain-word.js';
import HOLES from './holes.txt?raw';

/** One row: a text that a program of Kubernetes writes, with holes, and the file that writes it. */
export interface TemplateRow {
  readonly template: string;
  readonly source: string;
}

/** How the content of a hole is shown. */
export type HoleType =
  /** Shown unchanged if it has the grammar; at the end of a template up to white space or the end of the text. */
  | {
      readonly shows: 'content';
      readonly fits: (content: string) => boolean;
      readonly hasSpaces?: true;
      readonly areKeys?: true;
    }
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

const [PARTS, PATTERNS] = textSections(HOLES).map(({ lines }) => new Map(lines.map(cut)));

/** Name and pattern of a line. */
function cut(line: string): [string, string] {
  const blank = line.indexOf(' ');
  return [line.slice(0, blank), line.slice(blank + 1)];
}

/** @param limit characters of a content. */
function whole(name: string, limit = MAX_HOLE_LENGTH): (content: string) => boolean {
  const pattern = new RegExp(`^(?:${withParts(PATTERNS.get(name) as string)})$`);
  return (content) => content.length <= limit && pattern.test(content);
}

function withParts(pattern: string): string {
  return pattern.replace(/\{([A-Z]\w*)\}/g, (_, name: string) => withParts(PARTS.get(name) as string));
}

/** A list of such contents. */
function listOf(name: string, separator: string | RegExp): (content: string) => boolean {
  const fits = whole(name);
  return (content) => content.split(separator).every(fits);
}

const isImage = whole('image');
const isProgram = whole('program');
const isGrouped = whole('grouped');
const areNames = listOf('name', /, ?| /);
const ONE_BLANK = /, | /;

/** Types of holes by their word in a template. `{a|b}` is one of these words. */
export const HOLE_TYPES: Readonly<Record<string, HoleType>> = dictionary({
  ...Object.fromEntries([...PATTERNS.keys()].map((name) => [name, { shows: 'content', fits: whole(name) }] as const)),
  names: { shows: 'content', fits: areNames, hasSpaces: true },
  // `[a b]`, as Go prints names of containers, volumes, Pods.
  list: { shows: 'content', fits: (content) => content === '' || areNames(content), hasSpaces: true },
  addresses: { shows: 'content', fits: listOf('address', ONE_BLANK), hasSpaces: true },
  checks: { shows: 'content', fits: listOf('check', ', '), hasSpaces: true },
  gates: { shows: 'content', fits: listOf('label', ' ') },
  // An image with a registry or a repository, as in front of a text a name alone may be any word.
  imagepath: { shows: 'content', fits: (content) => content.includes('/') && isImage(content) },
  kind: { shows: 'content', fits: (content) => isKind(content) || isGrouped(content) },
  // Each part is a key, as in a body.
  path: { shows: 'content', fits: whole('path'), areKeys: true },
  program: { shows: 'content', fits: (content) => isProgram(content) && content.split('/').every(isPlainWord) },
  resize: { shows: 'content', fits: whole('resize', MAX_LIST_LENGTH - 1), hasSpaces: true },
  podsecuritytext: { shows: 'text' },
  text: { shows: 'text' },
  probe: { shows: 'words' },
  url: { shows: 'words' },
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
