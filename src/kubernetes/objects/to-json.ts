// Converts a built-in object from protobuf to the JSON that the API server would write for it.
//
// Protobuf writes every field that is no pointer, JSON omits most zero values: which ones, only the Go types define. The
// table has that as `zeroValues` (see lab/tables/json-rules.go):
//
//   scalar, list, map   no code: omitted when zero   p: pointer, written when it is on the wire
//                       a: always written            n: null when it is not on the wire
//   message             no code: pointer             n: null when it is not on the wire
//                       a: struct, always written    z: struct, omitted when zero

import { base64Text } from '../../core/bytes/bytes.js';
import { decode, type ProtoObject, type ProtoValue, setOwn, UNKNOWN_FIELDS } from '../../protobuf/decode.js';
import type { FieldType, MessageType, Table } from '../../protobuf/table.js';
import { kubernetesTable } from '../../protobuf/tables.js';
import { openEnvelope } from './envelope.js';
import { SPECIAL_TYPES, type ValueConversion } from './special-types.js';

export type JsonObject = { [name: string]: unknown };

export type ToJson =
  /** `complete` false: cut, malformed or beyond a limit; the object has what could be read. */
  | { readonly object: JsonObject; readonly complete: boolean }
  /** `GROUP/VERSION/Kind` (core: `/v1/Kind`) of which there is no table; empty where there is no envelope. */
  | { readonly unknownKind: string };

/**
 * @param bytes an object in its `k8s\0` envelope, borrowed.
 * @returns a plain object; 64-bit integers beyond 2^53 are decimal strings.
 */
export function toJson(bytes: Uint8Array): ToJson {
  return envelopeToJson(bytes, 1);
}

function envelopeToJson(bytes: Uint8Array, depth: number): ToJson {
  const envelope = openEnvelope(bytes);
  if (envelope === null) return { unknownKind: '' };
  const { apiVersion, kind, start, end, complete } = envelope;
  const gvk = apiVersion.includes('/') ? `${apiVersion}/${kind}` : `/${apiVersion}/${kind}`;
  const table = kubernetesTable();
  const name = ownValue(table.section<Record<string, string>>('gvk'), gvk);
  const type = name === undefined ? undefined : table.message(name);
  if (type === undefined) return { unknownKind: gvk };
  const decoded = decode(table, type.name, bytes.subarray(start, end));
  const run: JsonConversion = { table, complete: complete && decoded.complete, depth };
  const object: JsonObject = {};
  // Objects that carry their own kind (PartialObjectMetadata in a Table) are as good as their envelope.
  object['kind'] = kind;
  object['apiVersion'] = apiVersion;
  writeFields(run, planOf(table, type), decoded.value, object);
  return { object, complete: run.complete };
}

interface JsonConversion {
  readonly table: Table;
  complete: boolean;
  /** Envelopes inside envelopes. */
  readonly depth: number;
}

function writeFields(run: JsonConversion, plan: FieldPlan, value: ProtoObject, into: JsonObject): void {
  if (Object.hasOwn(value, UNKNOWN_FIELDS)) into[UNKNOWN_FIELDS] = value[UNKNOWN_FIELDS];
  for (const field of plan) {
    const present = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (field.inlined !== null) writeFields(run, field.inlined(), (present as ProtoObject) ?? {}, into);
    else {
      const json = fieldToJson(run, field, present);
      if (json !== undefined) into[field.jsonName] = json;
    }
  }
}

/** undefined: JSON has no such member. */
function fieldToJson(run: JsonConversion, field: PlannedField, value: ProtoValue | undefined): unknown {
  if (field.label === 'repeated') {
    const list = (value as ProtoValue[] | undefined) ?? [];
    if (list.length === 0) return absent(field, field.isItems ? [] : null);
    return list.map((item) => singleToJson(run, field, item));
  }
  if (field.label === 'map') {
    const entries = Object.entries((value as ProtoObject | undefined) ?? {});
    if (entries.length === 0) return absent(field, null);
    const map = {};
    for (const [key, item] of entries) setOwn(map, key, singleToJson(run, field, item));
    return map;
  }
  if (field.kind === 'message') {
    if (value !== undefined) {
      const json = singleToJson(run, field, value);
      return field.zero === 'z' && isZero(json) ? undefined : json;
    }
    if (field.zero === 'a') return singleToJson(run, field, {});
    return absent(field, null);
  }
  if (value === undefined) return absent(field, field.zero === 'a' ? zeroOf(field) : null);
  return field.zero === '' && isZero(value) ? undefined : singleToJson(run, field, value);
}

function absent(field: PlannedField, zero: unknown): unknown {
  return field.zero === 'a' || field.zero === 'n' ? zero : undefined;
}

function singleToJson(run: JsonConversion, field: PlannedField, value: ProtoValue): unknown {
  if (value instanceof Uint8Array) return base64Text(value);
  if (field.kind !== 'message') return typeof value === 'number' && !Number.isFinite(value) ? null : value;
  if (field.special !== undefined) return field.special(value as ProtoObject, conversionOf(run));
  const object: JsonObject = {};
  writeFields(run, field.inner(), value as ProtoObject, object);
  return object;
}

/** What the special types need. */
function conversionOf(run: JsonConversion): ValueConversion {
  return {
    message: (name, value) => {
      const type = run.table.message(name);
      const object: JsonObject = {};
      if (type !== undefined) writeFields(run, planOf(run.table, type), value, object);
      return object;
    },
    embedded: (bytes) => {
      if (run.depth >= EMBEDDED_LIMIT) {
        run.complete = false;
        return null;
      }
      const inner = envelopeToJson(bytes, run.depth + 1);
      if ('unknownKind' in inner) return null;
      if (!inner.complete) run.complete = false;
      return inner.object;
    },
    broken: () => {
      run.complete = false;
    },
  };
}

/** A message type with what its JSON depends on, computed once a type. */
type FieldPlan = readonly PlannedField[];

interface PlannedField {
  readonly name: string;
  readonly jsonName: string;
  readonly kind: FieldType['kind'];
  readonly type: string;
  readonly label: FieldType['label'];
  readonly zero: '' | 'a' | 'n' | 'p' | 'z';
  /** The items of a list kind: the API server writes `[]` where others would be null. */
  readonly isItems: boolean;
  readonly special: ((value: ProtoObject, conversion: ValueConversion) => unknown) | undefined;
  /** Plan of its message; a function, as types may hold themselves (JSONSchemaProps). */
  readonly inner: () => FieldPlan;
  /** The plan of a field whose members JSON writes among its parent's; null for all others. */
  readonly inlined: (() => FieldPlan) | null;
}

const PLANS = new Map<string, FieldPlan>();

function planOf(table: Table, type: MessageType): FieldPlan {
  const known = PLANS.get(type.name);
  if (known !== undefined) return known;
  const names = table.section<Record<string, Record<string, string>>>('jsonNames')[type.name] ?? {};
  const zeros = table.section<Record<string, Record<string, PlannedField['zero']>>>('zeroValues')[type.name] ?? {};
  const plan = type.fields.map((field): PlannedField => {
    const inner = (): FieldPlan => {
      const message = table.message(field.type);
      return message === undefined ? [] : planOf(table, message);
    };
    return {
      name: field.name,
      jsonName: names[field.name] ?? field.name,
      kind: field.kind,
      type: field.type,
      label: field.label,
      zero: zeros[field.name] ?? '',
      isItems: field.name === 'items' && type.name.endsWith('List'),
      special: SPECIAL_TYPES.get(field.type),
      inner,
      inlined: names[field.name] === '' ? inner : null,
    };
  });
  PLANS.set(type.name, plan);
  return plan;
}

function zeroOf(field: PlannedField): unknown {
  if (field.type === 'string') return '';
  return field.type === 'bool' ? false : 0;
}

function isZero(value: unknown): boolean {
  return (
    value === '' ||
    value === 0 ||
    value === false ||
    value === null ||
    (value instanceof Uint8Array && value.length === 0)
  );
}

function ownValue<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Limit: objects in objects: a watch event or list holds an object, an admission review in it holds two more. */
const EMBEDDED_LIMIT = 8;
