// Identity of an object in YAML, read line by line: time is linear in the text, which no YAML library promises. Knows
// block style as people and programs write it; anchors, tags, flow mappings and folded texts are passed over.
//
//   metadata:                 a key without a value: deeper lines are inside
//     ownerReferences:
//     - kind: ReplicaSet      an item, in the column of its key or deeper; its first key stands two columns further
//       uid: u-0              path: metadata.ownerReferences.-.uid

import { text } from '../../core/bytes/bytes.js';
import {
  type BodyObject,
  type CarriedDraft,
  carriedDraft,
  completeKind,
  INITIAL_EVENTS_END,
  isEvent,
  k8sEventDraft,
  type Mutable,
  type ObjectKind,
  OWNERS_LIMIT,
  type OwnerInfo,
  statusDraft,
} from './object-info.js';

/** @returns null where the text is no mapping that names its kind. Of several documents the first one counts. */
export function yamlObject(bytes: Uint8Array, otherwise: ObjectKind | null = null): BodyObject | null {
  const found = new YamlValue();
  const open = new YamlPath();
  // Lines deeper than a key that has its value already continue that value.
  let skipDeeperThan = Number.POSITIVE_INFINITY;
  for (let start = 0; start < bytes.length; ) {
    let end = bytes.indexOf(LINE_FEED, start);
    if (end < 0) end = bytes.length;
    let indent = 0;
    while (bytes[start + indent] === SPACE) indent += 1;
    const line = indent > skipDeeperThan ? '' : text(bytes, start + indent, end).trimEnd();
    start = end + 1;
    if (line === '' || line[0] === '#') continue;
    if (indent === 0 && (line.startsWith('---') || line.startsWith('...'))) {
      if (found.begun) break;
      continue;
    }
    found.begun = true;
    skipDeeperThan = readLine(line, indent, open, found);
  }
  return found.object(otherwise);
}

/** @returns the column beyond which lines are of no interest. */
function readLine(line: string, indent: number, open: YamlPath, found: YamlValue): number {
  let column = indent;
  let rest = line;
  while (rest === '-' || rest.startsWith('- ')) {
    open.item(column);
    found.value(open.toString(), '');
    const inner = rest.slice(1).trimStart();
    column += rest.length - inner.length;
    rest = inner;
    if (open.depth > DEPTH_LIMIT) return column;
  }
  const colon = endOfKey(rest);
  if (colon < 0) return Number.POSITIVE_INFINITY;
  open.key(column, scalarOf(rest.slice(0, colon)));
  const value = rest.slice(colon + 1).trim();
  if (value === '' || value[0] === '#') return open.depth > DEPTH_LIMIT ? column : Number.POSITIVE_INFINITY;
  if (open.depth <= DEPTH_LIMIT) found.value(open.toString(), scalarOf(value));
  return column;
}

/** The keys that are open, each with its column; an item of a list is the key `-`. */
class YamlPath {
  readonly #columns: number[] = [];
  readonly #keys: string[] = [];

  get depth(): number {
    return this.#keys.length;
  }

  key(column: number, key: string): void {
    this.#close(column - 1);
    this.#push(column, key);
  }

  item(column: number): void {
    this.#close(column);
    if (this.#columns.at(-1) === column && this.#keys.at(-1) === '-') this.#pop();
    this.#push(column, '-');
  }

  toString(): string {
    return this.#keys.join('.');
  }

  /** Closes what stands further to the right. */
  #close(column: number): void {
    while (this.#columns.length > 0 && this.#columns[this.#columns.length - 1] > column) this.#pop();
  }

  #push(column: number, key: string): void {
    this.#columns.push(column);
    this.#keys.push(key);
  }

  #pop(): void {
    this.#columns.pop();
    this.#keys.pop();
  }
}

/** What has been found so far; which of it counts is known when the kind is. */
class YamlValue {
  begun = false;
  readonly #carried: CarriedDraft = carriedDraft('', '');
  readonly #status = statusDraft();
  readonly #event = k8sEventDraft();
  readonly #owners: Mutable<OwnerInfo>[] = [];
  #items = 0;
  #rows = 0;
  #source = '';

  value(path: string, value: string): void {
    const { info } = this.#carried;
    const owner = this.#owners.at(-1);
    switch (path) {
      case 'apiVersion':
      case 'kind':
        info[path] = value;
        break;
      case 'metadata.name':
      case 'metadata.generateName':
      case 'metadata.namespace':
      case 'metadata.uid':
      case 'metadata.resourceVersion':
      case 'metadata.deletionTimestamp':
        info[path.slice('metadata.'.length) as 'name'] = value || undefined;
        break;
      case 'metadata.generation':
        info.generation = numberOf(value) || undefined;
        break;
      case 'metadata.deletionGracePeriodSeconds':
        info.deletionGracePeriodSeconds = numberOf(value);
        break;
      case `metadata.annotations.${INITIAL_EVENTS_END}`:
        this.#carried.initialEventsEnd = value === 'true';
        break;
      case 'metadata.ownerReferences.-':
        if (this.#owners.length < OWNERS_LIMIT) this.#owners.push({ kind: '', name: '', uid: '' });
        break;
      case 'metadata.ownerReferences.-.kind':
      case 'metadata.ownerReferences.-.name':
      case 'metadata.ownerReferences.-.uid':
        if (owner !== undefined) owner[path.slice(path.lastIndexOf('.') + 1) as 'kind'] = value;
        break;
      case 'items.-':
      case 'groups.-':
      case 'resources.-':
        this.#items += 1;
        break;
      case 'rows.-':
        this.#rows += 1;
        break;
      default:
        this.#said(path, value);
    }
  }

  /** Members of Status and Event. */
  #said(path: string, value: string): void {
    switch (path) {
      case 'status':
        this.#status.status = value;
        break;
      case 'code':
        this.#status.code = numberOf(value);
        break;
      case 'details.kind':
        this.#status.detailsKind = value;
        break;
      case 'details.name':
        this.#status.detailsName = value;
        break;
      case 'reason':
        this.#status.reason = value;
        this.#event.reason = value;
        break;
      case 'message':
      case 'note':
        this.#status.message = value;
        this.#event.message = value;
        break;
      case 'type':
        this.#event.type = value;
        break;
      case 'reportingComponent':
      case 'reportingController':
        this.#event.component = value;
        break;
      case 'source.component':
      case 'deprecatedSource.component':
        this.#source = value;
        break;
      default:
        if (path.startsWith('involvedObject.') || path.startsWith('regarding.')) {
          const member = path.slice(path.indexOf('.') + 1);
          if (member === 'kind' || member === 'namespace' || member === 'name' || member === 'uid')
            this.#event[member] = value;
        }
    }
  }

  object(otherwise: ObjectKind | null): BodyObject | null {
    const { info } = this.#carried;
    if (!completeKind(info, otherwise)) return null;
    if (this.#owners.length > 0) info.owners = this.#owners;
    if (info.kind.endsWith('List')) info.items = this.#items;
    if (info.kind === 'Table') info.rows = this.#rows;
    if (info.kind === 'Status') this.#carried.status = this.#status;
    if (isEvent(info.apiVersion, info.kind)) {
      this.#event.component ||= this.#source;
      this.#carried.k8sEvent = this.#event;
    }
    return this.#carried;
  }
}

/** Where the colon behind a key stands; -1 where the line has no key. */
function endOfKey(line: string): number {
  const quote = line[0];
  if (quote === '"' || quote === "'") {
    const close = line.indexOf(quote, 1);
    return close > 0 && line[close + 1] === ':' ? close + 1 : -1;
  }
  const colon = line.indexOf(': ');
  if (colon >= 0) return colon;
  return line.endsWith(':') ? line.length - 1 : -1;
}

/** Text of a scalar; empty for null and for what is no scalar on one line. */
function scalarOf(value: string): string {
  switch (value[0]) {
    case '"': {
      const close = value.lastIndexOf('"');
      try {
        return JSON.parse(value.slice(0, close + 1)) as string;
      } catch {
        return '';
      }
    }
    case "'": {
      const close = value.lastIndexOf("'");
      return close > 0 ? value.slice(1, close).replaceAll("''", "'") : '';
    }
    case '{':
    case '[':
    case '&':
    case '*':
    case '!':
    case '|':
    case '>':
      return '';
    default: {
      const comment = value.indexOf(' #');
      const plain = comment < 0 ? value : value.slice(0, comment).trimEnd();
      return plain === 'null' || plain === '~' ? '' : plain;
    }
  }
}

function numberOf(value: string): number {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : 0;
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;

/** Nothing that is looked for is deeper than `metadata.ownerReferences.-.kind`. */
const DEPTH_LIMIT = 4;
