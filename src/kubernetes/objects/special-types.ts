// Converts the types of the Kubernetes API that are messages in protobuf and something else in JSON, as their MarshalJSON
// does (k8s.io/apimachinery, k8s.io/apiextensions-apiserver).

import { text } from '../../core/bytes/bytes.js';
import type { ProtoObject, ProtoValue } from '../../protobuf/decode.js';
import { hasMagic } from './envelope.js';

/** What the conversion of whole objects lends to these. */
export interface ValueConversion {
  message(name: string, value: ProtoObject): unknown;
  /** An object in its own envelope; null where its kind is not known. */
  embedded(bytes: Uint8Array): unknown;
  /** Something inside could not be read. */
  broken(): void;
}

type ToJsonOf = (value: ProtoObject, conversion: ValueConversion) => unknown;

const META = 'k8s.io.apimachinery.pkg.apis.meta.v1.';
const EXTENSIONS = 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.';
const SCHEMA = `${EXTENSIONS}JSONSchemaProps`;

export const SPECIAL_TYPES: ReadonlyMap<string, ToJsonOf> = new Map<string, ToJsonOf>([
  [`${META}Time`, (value) => timestamp(value, 0)],
  [`${META}MicroTime`, (value) => timestamp(value, 6)],
  [`${META}Duration`, (value) => goDuration(value['duration'] ?? 0)],
  [`${META}FieldsV1`, (value, conversion) => rawJson(value['Raw'], conversion)],
  [`${META}Verbs`, items],
  ['k8s.io.apimachinery.pkg.runtime.RawExtension', (value, conversion) => rawJson(value['raw'], conversion)],
  ['k8s.io.apimachinery.pkg.api.resource.Quantity', (value) => value['string'] || '0'],
  ['k8s.io.apimachinery.pkg.util.intstr.IntOrString', intOrString],
  ['k8s.io.api.authentication.v1.ExtraValue', items],
  ['k8s.io.api.authorization.v1.ExtraValue', items],
  ['k8s.io.api.certificates.v1.ExtraValue', items],
  ['k8s.io.api.certificates.v1beta1.ExtraValue', items],
  [`${EXTENSIONS}JSON`, (value, conversion) => rawJson(value['raw'], conversion)],
  [`${SCHEMA}OrArray`, (value, conversion) => list(value['jSONSchemas'], conversion) ?? schema(value, conversion)],
  [`${SCHEMA}OrBool`, (value, conversion) => schema(value, conversion) ?? value['allows'] === true],
  [`${SCHEMA}OrStringArray`, (value, conversion) => strings(value['property']) ?? schema(value, conversion)],
]);

/** RFC 3339 in UTC. The zero value is Go's zero time, written as null. @param digits of the second: 0 or 6. */
function timestamp(value: ProtoObject, digits: 0 | 6): string | null {
  const seconds = value['seconds'] ?? 0;
  const nanos = value['nanos'] ?? 0;
  if (typeof seconds !== 'number' || typeof nanos !== 'number' || (seconds === 0 && nanos === 0)) return null;
  const whole = wholeSeconds(seconds);
  if (whole === null) return null;
  if (digits === 0) return `${whole}Z`;
  const micros = Math.floor(nanos / 1000);
  return micros >= 0 && micros < 1e6 ? `${whole}.${String(micros).padStart(6, '0')}Z` : null;
}

/** `2026-11-22T18:00:00`; null where Go refuses to write it: beyond years of four digits. @param seconds since 1970. */
export function wholeSeconds(seconds: number): string | null {
  if (!(seconds >= FIRST_SECOND && seconds <= LAST_SECOND)) return null;
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** Go's time.Duration.String(). @param value nanoseconds; decimal digits beyond 2^53. */
export function goDuration(value: ProtoValue): string {
  if (typeof value !== 'number' && typeof value !== 'string') return '0s';
  const all = BigInt(value);
  if (all === 0n) return '0s';
  const sign = all < 0n ? '-' : '';
  const ns = all < 0n ? -all : all;
  if (ns < 1_000n) return `${sign}${ns}ns`;
  if (ns < 1_000_000n) return `${sign}${decimal(ns, 3)}µs`;
  if (ns < 1_000_000_000n) return `${sign}${decimal(ns, 6)}ms`;
  const minutes = ns / 60_000_000_000n;
  const seconds = `${decimal(ns % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

/** A number with its last digits after the point, trailing zeros left out. */
function decimal(value: bigint, digits: number): string {
  const padded = value.toString().padStart(digits + 1, '0');
  const fraction = padded.slice(-digits).replace(/0+$/, '');
  const whole = padded.slice(0, -digits);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Bytes that are JSON themselves, or an object in its own envelope; nothing is null. */
function rawJson(raw: ProtoValue | undefined, conversion: ValueConversion): unknown {
  if (!(raw instanceof Uint8Array) || raw.length === 0) return null;
  if (hasMagic(raw)) return conversion.embedded(raw);
  try {
    return JSON.parse(text(raw)) as unknown;
  } catch {
    conversion.broken();
    return null;
  }
}

function intOrString(value: ProtoObject): ProtoValue {
  return value['type'] === 1 ? (value['strVal'] ?? '') : (value['intVal'] ?? 0);
}

function items(value: ProtoObject): ProtoValue {
  return value['items'] ?? [];
}

function schema(value: ProtoObject, conversion: ValueConversion): unknown {
  const inner = value['schema'];
  return inner === undefined ? null : conversion.message(SCHEMA, inner as ProtoObject);
}

function list(schemas: ProtoValue | undefined, conversion: ValueConversion): unknown[] | null {
  if (!Array.isArray(schemas) || schemas.length === 0) return null;
  return schemas.map((one) => conversion.message(SCHEMA, one as ProtoObject));
}

function strings(value: ProtoValue | undefined): ProtoValue[] | null {
  return Array.isArray(value) && value.length > 0 ? value : null;
}

/** Years 0 and 9999. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;
