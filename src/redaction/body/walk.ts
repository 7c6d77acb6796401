// Copies a body: for the place of each string in it, a row decides whether the string is shown or replaced.

import { dictionary } from '../../core/collections/dictionary.js';
import { isRecord } from '../../core/record.js';
import { isSafeFailureText } from '../failures.js';
import { isKeyShown, shownPointer } from '../keys.js';
import { shownStoreKey } from '../names.js';
import { isIndex, isMarker, pointerTokens } from '../objects.js';
import { isRedacted, REDACTED, redactedKey, type Shown, type ShownValue, shown } from '../shown.js';
import { isPlainWord } from '../words/plain-word.js';
import { CUSTOM_OTHER, customObject, customRow } from './custom-fields.js';
import type { FieldChoice, FieldOwner } from './field-choice.js';
import { CUSTOM_ROOT, type FieldPlace, INSIDE } from './field-places.js';
import { placeOfKind } from './kinds.js';
import { isLabelShown, shownSelector } from './label-values.js';
import { isListed, step } from './member-places.js';
import { isShownNumber, mayBePort, shownPlain } from './plain-values.js';
import { type FieldRow, fits, hasGrammar } from './rows.js';

/** Redaction rules for texts inside a body. */
export interface BodyRules {
  /** Free text: known messages of Kubernetes (templates), and words of the dictionary of shown words. */
  text(text: string): Shown;
  /** Text of a workload: words of that dictionary alone. */
  words(text: string): Shown;
  /** A URL or request target. */
  target(target: string): Shown;
  /** `["sh", "(2 arguments)"]`; without a program `["(3 arguments)"]`. */
  command(words: readonly string[], hasProgram: boolean): readonly Shown[];
  /** Whether the capture has an object, an image or a node of this name. */
  known(name: string): boolean;
  /** Replaces a text that no row shows. */
  hidden(text: string): Shown;
  /** Fields that the user wants shown (option --show-field). */
  readonly fields: FieldChoice;
}

/** Receives each shown string with its row and path. */
export type ShowingObserver = (row: FieldRow, path: readonly string[], text: string) => void;

type JsonRecord = Readonly<Record<string, unknown>>;

/** One walk over one body. It tracks the path from the innermost object, for the fields that the user wants shown. */
export class BodyWalk {
  readonly #rules: BodyRules;
  readonly #observer: ShowingObserver | undefined;
  readonly #path: string[] = [];
  /** Index at which the path of the innermost object begins. */
  #base = 0;
  #owner: FieldOwner;
  /** Whether the texts of the innermost Status repeat nothing of the request. */
  #isFailureShown = true;

  /** Headings of the columns of the last Table; later events of a watch have none. */
  #columns: readonly string[] = [];

  constructor(rules: BodyRules, owner: FieldOwner, observer?: ShowingObserver) {
    this.#rules = rules;
    this.#owner = owner;
    this.#observer = observer;
  }

  /** @param parent the object that has the value as a member. */
  value(value: unknown, place: FieldPlace, parent: JsonRecord | undefined, depth: number): ShownValue {
    if (value === null || value === undefined) return null;
    if (typeof value === 'object') {
      if (depth > DEPTH_LIMIT) return shown(REDACTED);
      if (Array.isArray(value)) return this.#list(value, place, parent, depth);
      return this.#object(value as JsonRecord, place, depth);
    }
    if (typeof value === 'string') return this.#string(value, place, parent);
    if (typeof value === 'boolean') return isHidden(place) ? this.#shownIfWanted(value) : value;
    if (typeof value !== 'number' || !Number.isFinite(value)) return null;
    return isHidden(place) || !this.#isNumberShown(value, place) ? this.#shownIfWanted(value) : value;
  }

  /** One operation of a JSON patch (RFC 6902): its path determines the place of its value. */
  operation(operation: JsonRecord, root: FieldPlace, depth: number): ShownValue {
    const entries = Object.entries(operation).map(([name, member]): [string, ShownValue] => {
      if (name !== 'value') return [name, this.#patchMember(name, member, root, depth)];
      let place = root;
      const tokens = pointerTokens(String(operation['path']));
      for (const token of tokens) place = step(place, token);
      place = wordPlace(place, tokens[tokens.length - 1]);
      const names = tokens.filter((token) => !isIndex(token));
      this.#path.push(...names);
      const value = this.value(member, place, undefined, depth + 1);
      this.#path.length -= names.length;
      return [name, value];
    });
    return Object.fromEntries(entries);
  }

  #patchMember(name: string, member: unknown, root: FieldPlace, depth: number): ShownValue {
    if (typeof member !== 'string') return this.value(member, INSIDE, undefined, depth + 1);
    if (name !== 'path' && name !== 'from')
      return this.#text(member, name === 'op' ? PATCH_ROWS[0] : CUSTOM_OTHER, undefined, undefined);
    if (isRedacted(member)) return shown(member);
    this.#observer?.(PATCH_ROWS[1], this.#path, member);
    let place = root;
    return shown(
      shownPointer(member, (token) => {
        const isShown = (isIndex(token) && token.length < LONGEST_INDEX) || this.#isKeyShown(token, place);
        place = step(place, token);
        return isShown;
      }),
    );
  }

  #list(list: readonly unknown[], place: FieldPlace, parent: JsonRecord | undefined, depth: number): ShownValue {
    // Docker: if a container has an `Entrypoint`, its `Cmd` has no program but arguments.
    if (place.at === 'leaf' && place.row.field === 'Cmd' && hasEntrypoint(parent))
      return this.#list(list, ARGUMENT, undefined, depth);
    const isCommand = place.at === 'leaf' && (place.row.showing === 'command' || place.row.showing === 'arguments');
    if (isCommand && list.every((one) => typeof one === 'string')) return this.#command(list, place.row);
    const inner = isCommand ? ARGUMENT : place;
    const isCells = place.at === 'leaf' && place.row.showing === 'cell';
    return list.map((one, i) =>
      isCells && !isShownCell(one, this.#columns[i]) ? shown(REDACTED) : this.value(one, inner, parent, depth + 1),
    );
  }

  #object(value: JsonRecord, place: FieldPlace, depth: number): ShownValue {
    if (isMarker(value)) return shownMarker(value);
    if (place.at === 'leaf') return this.#inLeaf(value, place, depth);
    if (place.at === 'object') return this.#embedded(value, place.otherwise, depth);
    if (place.at === 'custom') {
      const inner = place.area === 'root' ? undefined : ownKind(value);
      // An object with its own kind has that kind's type: a template, an applied object.
      if (inner !== undefined && ('metadata' in value || 'spec' in value)) return this.#embedded(value, place, depth);
      return this.#members(value, customObject(place, value), depth);
    }
    return place.at === 'message' && place.type.name === STATUS
      ? this.#status(value, place, depth)
      : this.#members(value, place, depth);
  }

  /** A Status inside an answer, such as that of a webhook, says nothing of the request that it may repeat. */
  #status(value: JsonRecord, place: FieldPlace, depth: number): ShownValue {
    const { kind, reason = '', message = '' } = value;
    const failure = { reason: String(reason), message: String(message) };
    const outer = this.#isFailureShown;
    this.#isFailureShown = kind === 'Status' && isSafeFailureText(failure, this.#owner.resource);
    const out = this.#members(value, place, depth);
    this.#isFailureShown = outer;
    return out;
  }

  #members(value: JsonRecord, place: FieldPlace, depth: number): ShownValue {
    if (Array.isArray(value['columnDefinitions']))
      this.#columns = value['columnDefinitions'].map((one) => String(one?.name));
    const isList = this.#path.length === this.#base && this.#owner.kind?.endsWith('List') === true;
    const entries = Object.entries(value).map(([name, member], i): [string, ShownValue] => {
      const inner = step(place, name, member);
      if (isList && name === 'items' && Array.isArray(member)) return [name, this.#items(member, inner, depth)];
      this.#path.push(name);
      const copy = this.value(member, inner, value, depth + 1);
      const isShown = this.#isKeyShown(name, place) || this.#isWanted();
      this.#path.length -= 1;
      return [isShown ? name : redactedKey(i + 1), copy];
    });
    // fromEntries creates own properties for any name: `__proto__` is a valid key of a map on the wire.
    return Object.fromEntries(entries);
  }

  /** A member that a table lists, a name in the capture, or an identifier. */
  #isKeyShown(name: string, place: FieldPlace): boolean {
    return isListed(place, name) || isKeyShown(name) || this.#rules.known(name);
  }

  /** Items of a list are separate objects, which need not hold their kind. */
  #items(items: readonly unknown[], place: FieldPlace, depth: number): ShownValue {
    const list = this.#owner;
    this.#owner = { ...list, kind: list.kind?.slice(0, -'List'.length) };
    // An item is two levels deeper than the list's object: the member `items`, and its element.
    const out = items.map((item) => this.value(item, place, undefined, depth + 2));
    this.#owner = list;
    return out;
  }

  /** An object inside another, with its own kind. */
  #embedded(value: JsonRecord, otherwise: FieldPlace, depth: number): ShownValue {
    const kind = ownKind(value);
    if (kind === undefined) return this.#object(value, otherwise.at === 'object' ? INSIDE : otherwise, depth);
    const [owner, base] = [this.#owner, this.#base];
    this.#owner = { kind: kind.kind };
    this.#base = this.#path.length;
    const place = placeOfKind(kind.apiVersion, kind.kind) ?? CUSTOM_ROOT;
    const out = kind.kind === 'Status' ? this.#status(value, place, depth) : this.#members(value, place, depth);
    [this.#owner, this.#base] = [owner, base];
    return out;
  }

  /** An object where a row is: a map of labels or annotations, whose values the row is for. Of any other only the structure is shown. */
  #inLeaf(value: JsonRecord, place: FieldPlace & { at: 'leaf' }, depth: number): ShownValue {
    const { showing } = place.row;
    if (showing === 'managed-fields') return shownManagedFields(value, depth);
    const isMap = place.key === undefined && (showing === 'labels' || showing === 'annotations');
    return this.#members(value, isMap || showing === 'none' ? place : UNEXPECTED, depth);
  }

  #string(text: string, place: FieldPlace, parent: JsonRecord | undefined): ShownValue {
    if (place.at === 'leaf') return this.#text(text, place.row, place.key, parent);
    return this.#text(text, place.at === 'custom' ? customRow(text) : CUSTOM_OTHER, undefined, parent);
  }

  #text(text: string, row: FieldRow, key: string | undefined, parent: JsonRecord | undefined): Shown {
    if (text === '' || isRedacted(text)) return shown(text);
    const allowed = this.#byRow(text, row, key, parent);
    if (allowed !== undefined) {
      this.#observer?.(row, this.#path, text);
      return allowed;
    }
    return this.#isWanted() ? shown(text) : this.#rules.hidden(text);
  }

  /** @returns undefined if the row shows nothing of the text. */
  #byRow(text: string, row: FieldRow, key: string | undefined, parent: JsonRecord | undefined): Shown | undefined {
    const { showing } = row;
    if (hasGrammar(showing)) return fits(showing, text) ? shownPlain(showing, text, this.#rules) : undefined;
    switch (showing) {
      case 'key':
        return isKeyShown(text) || this.#rules.known(text) ? shown(text) : undefined;
      case 'store-key':
        return shownStoreKey(text);
      case 'failure':
        return this.#isFailureShown ? this.#rules.text(text) : undefined;
      case 'text':
        return this.#rules.text(text);
      case 'words':
        return this.#rules.words(text);
      case 'cell':
        return CELL.test(text) || isNameInTableRow(text, parent) ? shown(text) : this.#rules.text(text);
      case 'target':
        return this.#rules.target(text);
      case 'command':
      case 'arguments':
        if (showing === 'command' && COUNTED_COMMAND.test(text)) return shown(text);
        return shown(this.#rules.command(text.split(/\s+/), showing === 'command').join(' '));
      case 'assignment':
        return shownAssignment(text);
      case 'label':
        return isLabelShown(key ?? keyOf(parent), text) || this.#rules.known(text) ? shown(text) : undefined;
      case 'selector':
        return shownSelector(text);
      default:
        return undefined;
    }
  }

  #command(words: readonly string[], row: FieldRow): ShownValue {
    if (words.length === 0) return [];
    if (this.#isWanted()) return words.map(shown);
    this.#observer?.(row, this.#path, words[0]);
    return this.#rules.command(words, row.showing === 'command');
  }

  /** Passwords of digits are numbers in YAML: Helm's `rootPassword: 83749201`. */
  #isNumberShown(value: number, { at }: FieldPlace): boolean {
    const field = this.#path[this.#path.length - 1] ?? '';
    return mayBePort(value, field) && ((at !== 'custom' && at !== 'members') || isShownNumber(value, field));
  }

  /** A number or boolean where the row hides strings. */
  #shownIfWanted(value: number | boolean): ShownValue {
    return this.#isWanted() ? value : shown(REDACTED);
  }

  /** What a Secret or ConfigMap holds, and values of variables: only --show-secrets shows them. */
  #isSecret(): boolean {
    if (this.#path[this.#path.length - 1] === 'value' && VARIABLES.has(this.#path[this.#path.length - 2])) return true;
    const { kind, resource } = this.#owner;
    const isOwner = kind === undefined ? resource !== undefined && SECRETS.has(resource) : SECRETS.has(kind);
    return isOwner && CONTENTS.has(this.#path[this.#base]);
  }

  #isWanted(): boolean {
    const { fields } = this.#rules;
    return !fields.isEmpty && !this.#isSecret() && fields.shows(this.#owner, this.#path.slice(this.#base));
  }
}

/** The marker that stands for bytes: their number, and their media type if it is plain. */
export function shownMarker(marker: JsonRecord): ShownValue {
  const [bytes, type] = [marker['$bytes'], marker['$contentType']];
  const isShown =
    typeof type === 'string' && type !== '' && fits('media-type', type) && type.split(/[/;=]/).every(isPlainWord);
  return isShown ? { $bytes: bytes as number, $contentType: shown(type) } : { $bytes: bytes as number };
}

/** The kind that an object holds; undefined if it is incomplete. */
export function ownKind(value: JsonRecord): { readonly apiVersion: string; readonly kind: string } | undefined {
  const { apiVersion, kind } = value;
  const isComplete = typeof apiVersion === 'string' && apiVersion !== '' && typeof kind === 'string' && kind !== '';
  return isComplete ? { apiVersion, kind } : undefined;
}

function hasEntrypoint(parent: JsonRecord | undefined): boolean {
  const entry = parent?.['Entrypoint'];
  return Array.isArray(entry) ? entry.length > 0 : typeof entry === 'string' && entry !== '';
}

function isHidden(place: FieldPlace): boolean {
  return place.at === 'leaf' && place.row.showing === 'none';
}

/** The key beside the value of a taint, a toleration or a requirement of a selector. */
function keyOf(parent: JsonRecord | undefined): string | undefined {
  const key = parent?.['key'];
  return typeof key === 'string' ? key : undefined;
}

/** The place of one word of a command, named by a pointer: only the first is the program. */
function wordPlace(place: FieldPlace, token: string | undefined): FieldPlace {
  if (place.at !== 'leaf' || place.row.showing !== 'command' || token === undefined) return place;
  return isIndex(token) && token !== '0' ? ARGUMENT : place;
}

/** Numbers in cells are shown as those of custom resources, whose fields columns print. @param column its heading. */
function isShownCell(cell: unknown, column = ''): boolean {
  const number = typeof cell === 'string' ? /^\d+(?=$|\/)/.exec(cell)?.[0] : cell;
  return number === undefined || typeof number === 'object' || isShownNumber(Number(number), column);
}

/** Whether a cell of a Table is the name or namespace of the object that its row holds as well. */
function isNameInTableRow(text: string, tableRow: JsonRecord | undefined): boolean {
  const object = tableRow?.['object'];
  const metadata = isRecord(object) && isRecord(object['metadata']) ? object['metadata'] : {};
  return (metadata['name'] === text || metadata['namespace'] === text) && fits('name', text);
}

/** `NAME=value`, docker's form of variables. */
function shownAssignment(text: string): Shown | undefined {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  // Without a value, the text is shown only if it can be the name of a variable.
  if (equals < 0) return VARIABLE.test(name) && isPlainWord(name) ? shown(text) : undefined;
  // Base64 ends in `=` too.
  if (!isKeyShown(name)) return undefined;
  return shown(equals === text.length - 1 ? text : `${name}=${REDACTED}`);
}

/** Operations of JSON patches; a pointer consists of names. */
export const PATCH_ROWS: readonly [FieldRow, FieldRow] = [
  { field: 'patch.op', showing: 'word', reason: 'the name of an operation' },
  { field: 'patch.path', showing: 'pointer', reason: 'names of fields and keys of maps' },
];
/** A word of a command that is not its program. */
export const ARGUMENT_ROW: FieldRow = { field: 'command[*]', showing: 'arguments', reason: 'are counted' };
const ARGUMENT: FieldPlace = { at: 'leaf', row: ARGUMENT_ROW };
/** For values in an object where a string belongs. */
const UNEXPECTED: FieldPlace = {
  at: 'leaf',
  row: { field: '(unexpected)', showing: 'none', reason: 'an object stands where a string belongs' },
};
/** Counts, ages and kubectl's placeholders: `1/1`, `5m12s`, `3 (5m ago)`, `<none>`, `80/TCP`. */
const CELL =
  /^(?:\d{1,9}(?:\/(?:\d{1,9}|TCP|UDP|SCTP))?(?: \((?:\d{1,5}[ydhms]){1,3} ago\))?|(?:\d{1,5}[ydhms]){1,3}|<[a-z]{1,12}>|True|False)$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,100}$/;
const STATUS = 'k8s.io.apimachinery.pkg.apis.meta.v1.Status';
const SECRETS: ReadonlySet<string> = new Set(['Secret', 'ConfigMap', 'secrets', 'configmaps']);
const VARIABLES: ReadonlySet<string> = new Set(['env', 'envs']);
const CONTENTS: ReadonlySet<string> = new Set(['data', 'stringData', 'binaryData']);
/** Digits of the index of a list. */
const LONGEST_INDEX = 6;
/** A redacted command, joined. */
const COUNTED_COMMAND = /^\S+ \(\d+ arguments?\)$/;
/** Limit: nesting of a body, as for replacing secrets. */
const DEPTH_LIMIT = 100;

/**
 * FieldsV1 of managed fields. `f:name` is the name of a field or the key of a map; `k:{"containerPort":80}` and `v:"example.com/finalizer"` hold
 * values (sigs.k8s.io/structured-merge-diff, fieldpath/serialize-pe.go). Equal ones are numbered, so that none is lost.
 */
function shownManagedFields(fields: JsonRecord, depth: number): ShownValue {
  const counts = new Map<string, number>();
  const entries = Object.entries(fields).map(([name, inner]): [string, ShownValue] => [
    nameOf(name, counts),
    isRecord(inner) && depth < DEPTH_LIMIT ? shownManagedFields(inner, depth + 1) : {},
  ]);
  return Object.fromEntries(entries);
}

function nameOf(name: string, counts: Map<string, number>): string {
  if (name === '.' || (name.startsWith('f:') && isKeyShown(name.slice(2)))) return name;
  const kind = HIDDEN_NAMES[name.slice(0, 2)] ?? '…';
  const count = (counts.get(kind) ?? 0) + 1;
  counts.set(kind, count);
  return count === 1 ? kind : `${kind} ${count}`;
}

/** By what a name begins with: of a field or key of a map, of an item by its keys, by its value, by its index. */
const HIDDEN_NAMES: Readonly<Record<string, string>> = dictionary({
  'f:': 'f:…',
  'k:': 'k:{…}',
  'v:': 'v:…',
  'i:': 'i:…',
});
