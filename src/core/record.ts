// Tells records from other values of decoded JSON, YAML or CBOR.

/** Is it a value with named members: no list, and not null? */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
