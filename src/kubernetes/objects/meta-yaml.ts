// Identity of an object in YAML, read line by line: time is linear in the text, which no YAML library promises. Knows
// block style as people and programs write it; anchors, tags, flow mappings and multi-line keys are left unread.
//
//   apiVersion: v1            indent 0, key, value
//   metadata:                 opens a mapping: deeper lines are inside
//     ownerReferences:
//     - kind: ReplicaSet      an item: its first key stands two columns further
//       uid: u-0

import { text } from '../../core/bytes.js';
import { setOwn } from '../../protobuf/decode.js';
import { valueObject } from './meta-value.js';
import type { CarriedObject } from './object-info.js';

/** @returns null where the text is no mapping that names its kind. What is not understood is passed over. */
export function yamlObject(bytes: Uint8Array): CarriedObject | null {
  const root: Mapping = {};
  const open: Level[] = [{ indent: -1, value: root, key: '' }];
  let skipBelow = Number.POSITIVE_INFINITY;
  let begun = false;
  for (let start = 0; start < bytes.length; ) {
    let end = bytes.indexOf(LINE_FEED, start);
    if (end < 0) end = bytes.length;
    const line = contentOf(bytes, start, end);
    start = end + 1;
    if (line === null) continue;
    if (line.indent === 0 && (line.text.startsWith('---') || line.text.startsWith('...'))) {
      if (begun) break; // The next document is another object.
      continue;
    }
    if (line.indent > skipBelow) continue;
    begun = true;
    skipBelow = readLine(line, open) ? line.keyIndent : Number.POSITIVE_INFINITY;
  }
  return valueObject(root);
}

type Mapping = { [key: string]: unknown };

interface Line {
  readonly indent: number;
  readonly text: string;
  /** Column of the line's last key: what follows a key's value, deeper than the key, continues it. */
  keyIndent: number;
}

/** A mapping that is open, or a list: `value` is what its key holds so far. */
interface Level {
  readonly indent: number;
  readonly value: Mapping | unknown[];
  readonly key: string;
}

/** @returns true where the value is complete on this line: deeper lines only continue it. */
function readLine(line: Line, open: Level[]): boolean {
  let { indent, text: rest } = line;
  line.keyIndent = indent;
  while (rest.startsWith('- ') || rest === '-') {
    const list = listAt(open, indent);
    if (list === null) return true;
    const item: Mapping = {};
    // Nothing looks into items but owners: the rest is only counted.
    if (list.length < ITEMS_LIMIT || rest !== '') list.push(item);
    const inner = rest.slice(1).trimStart();
    indent += rest.length - inner.length;
    rest = inner;
    line.keyIndent = indent;
    open.push({ indent: indent - 1, value: item, key: '' });
    if (rest === '') return false;
  }
  const pair = PAIR.exec(rest);
  if (pair === null) return false;
  close(open, indent);
  const parent = open[open.length - 1];
  if (Array.isArray(parent.value)) return true;
  const key = scalarOf(pair[1]);
  const value = pair[2].trim();
  if (value !== '' && !value.startsWith('#')) {
    setOwn(parent.value, key, scalarOf(value));
    return true;
  }
  if (open.length >= DEPTH_LIMIT) return true;
  open.push({ indent, value: {}, key });
  setOwn(parent.value, key, open[open.length - 1].value);
  return false;
}

/** The list that an item at this column belongs to: the value of the key above it, which may stand in the same column. */
function listAt(open: Level[], indent: number): unknown[] | null {
  while (open.length > 1 && open[open.length - 1].indent > indent) open.pop();
  // Behind an item's mapping comes the next item.
  while (open.length > 2 && open[open.length - 1].key === '' && !Array.isArray(open[open.length - 1].value)) open.pop();
  const level = open[open.length - 1];
  if (Array.isArray(level.value)) return level.value;
  if (level.key === '' || open.length < 2) return null;
  const list: unknown[] = [];
  const parent = open[open.length - 2].value;
  if (Array.isArray(parent)) return null;
  setOwn(parent, level.key, list);
  open[open.length - 1] = { indent: level.indent, value: list, key: level.key };
  return list;
}
