// Parses the fields that the user names to be shown: `databases.spec.engine`, `certificates.spec.secretName`.

import { pluralOf } from '../../core/api-resources.js';
import { appendTo } from '../../core/collections/multimap.js';

/** The object that a field is in. */
export interface FieldOwner {
  readonly kind?: string;
  readonly resource?: string;
}

export interface FieldChoice {
  /** No field is named, so paths need not be tracked. */
  readonly isEmpty: boolean;
  /** @param path names of members from the object down, without indices of lists. */
  shows(owner: FieldOwner, path: readonly string[]): boolean;
}

/** The empty choice. */
export const NO_FIELDS: FieldChoice = { isEmpty: true, shows: () => false };

export interface FieldError {
  readonly text: string;
  /** The problem, as a sentence without its end. */
  readonly problem: string;
}

/**
 * @param texts one field each: a resource or kind, then names of members; `*` is any one member, `[]` and `[0]` are skipped,
 *   `['example.com/a']` is a name with dots.
 * @returns the parsed fields, and the errors of the others.
 */
export function parseFieldChoice(texts: readonly string[]): { choice: FieldChoice; errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const byResource = new Map<string, (readonly string[])[]>();
  for (const text of texts) {
    const names = parseField(text);
    if (typeof names === 'string') {
      errors.push({ text, problem: names });
      continue;
    }
    // A field named by its kind is found by its resource too.
    for (const owner of new Set([names[0].toLowerCase(), pluralOf(names[0])])) {
      appendTo(byResource, owner, names.slice(1));
    }
  }
  return { choice: byResource.size === 0 ? NO_FIELDS : new NamedFields(byResource), errors };
}

/** The lines of a file that name fields; `#` begins a comment at the line's start or after a blank. */
export function fieldLines(file: string): readonly string[] {
  return file
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

class NamedFields implements FieldChoice {
  readonly isEmpty = false;
  readonly #byResource: ReadonlyMap<string, readonly (readonly string[])[]>;

  constructor(byResource: ReadonlyMap<string, readonly (readonly string[])[]>) {
    this.#byResource = byResource;
  }

  shows({ kind, resource }: FieldOwner, path: readonly string[]): boolean {
    const owners = new Set<string>();
    if (resource !== undefined) owners.add(resource.toLowerCase());
    if (kind !== undefined) owners.add(kind.toLowerCase()).add(pluralOf(kind));
    for (const owner of owners)
      if (this.#byResource.get(owner)?.some((named) => isSamePath(named, path)) === true) return true;
    return false;
  }
}

function isSamePath(named: readonly string[], path: readonly string[]): boolean {
  return named.length === path.length && named.every((name, i) => name === '*' || name === path[i]);
}

/** @returns the names, or the problem. */
function parseField(text: string): readonly string[] | string {
  if (text.length > LONGEST_FIELD) return `it is longer than ${LONGEST_FIELD} characters`;
  const names: string[] = [];
  let rest = text.startsWith('.') ? text : `.${text}`;
  while (rest !== '') {
    const part = PART.exec(rest);
    if (part === null) return `it cannot be read at '${rest}'`;
    const name = part[1] ?? part[2] ?? part[3];
    if (name !== undefined) names.push(name);
    rest = rest.slice(part[0].length);
  }
  if (names.length < 2) return 'it has to name a resource or kind and a field in it';
  return names[0] === '*' ? 'its resource or kind cannot be *' : names;
}

/** `.name`, `['name']`, `["name"]`; `[]`, `[*]` and `[3]`, which are skipped. */
const PART = /^(?:\.([^.[\]'"\s]+)|\['([^']+)'\]|\["([^"]+)"\]|\[(?:\d*|\*)\])/;
/** Characters, more than any path of a real object has. */
const LONGEST_FIELD = 1024;
