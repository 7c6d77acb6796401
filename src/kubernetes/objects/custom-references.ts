// What an object of somebody's own kind says of others of such kinds, by the convention for names of fields (API conventions,
// "Object references": `fooRef`): Flux's sourceRef, cert-manager's issuerRef, karpenter's nodeClassRef; and of Secrets, where a
// row says in which fields. Knows the convention, and those fields.

import { splitApiVersion } from '../api/kinds.js';
import { encodingOf } from './encoding.js';
import { objectFields } from './object-fields.js';
import { record, textOf } from './value-cursor.js';

export interface LooseReference {
  readonly kind: string;
  /** Empty: not said. */
  readonly apiGroup: string;
  /** Empty: not said; that of the object that says it, or none. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * @param bytes of an object, after content decoding, borrowed. @param contentType as for `carriedObject`. @param group of its kind.
 * @returns null where it has no `spec`, as a change of a status, or is too long to look through.
 */
export function looseReferences(
  bytes: Uint8Array,
  contentType: string,
  group: string,
): readonly LooseReference[] | null {
  // Programs write JSON; what the library takes for YAML of that length has no bound worth waiting for.
  if (bytes.length > MAX_BYTES || encodingOf(bytes, contentType) === 'yaml') return null;
  const spec = record(objectFields(bytes, contentType))['spec'];
  if (typeof spec !== 'object' || spec === null) return null;
  const found: LooseReference[] = [];
  collect(spec, 0, found);
  if (group === CERT_MANAGER) found.push(...secretsOf(record(spec)));
  return found;
}

function collect(value: unknown, depth: number, found: LooseReference[]): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const one of value.slice(0, MAX_REFERENCES)) collect(one, depth + 1, found);
    return;
  }
  for (const [name, one] of Object.entries(record(value))) {
    if (found.length >= MAX_REFERENCES) return;
    if (typeof one !== 'object' || one === null) continue;
    const reference = name.endsWith('Ref') ? referenceOf(record(one)) : null;
    if (reference === null) collect(one, depth + 1, found);
    else found.push(reference);
  }
}

/** Where a Certificate's key is kept, and the one that an issuer signs with; an issuer without a namespace has it where cert-manager runs. */
function secretsOf(spec: Readonly<Record<string, unknown>>): readonly LooseReference[] {
  return [textOf(spec['secretName']), textOf(record(spec['ca'])['secretName'])]
    .filter((name) => name !== '' && name.length <= MAX_NAME)
    .map((name) => ({ kind: SECRET, apiGroup: '', namespace: '', name }));
}

function referenceOf(fields: Readonly<Record<string, unknown>>): LooseReference | null {
  const [kind, name, namespace] = ['kind', 'name', 'namespace'].map((field) => textOf(fields[field]));
  const apiGroup = textOf(fields['group']) || splitApiVersion(textOf(fields['apiVersion'])).apiGroup;
  if (kind === '' || name === '' || [kind, name, namespace, apiGroup].some((text) => text.length > MAX_NAME))
    return null;
  return { kind, apiGroup, namespace, name };
}

export const SECRET = 'Secret';
const CERT_MANAGER = 'cert-manager.io';
/** Decoding a body whole costs a millisecond for that; custom resources have a few KiB. */
const MAX_BYTES = 65_536;
/** `spec.chart.spec.sourceRef` is the deepest of those in use; templates of Pods are deeper, and refer to none. */
const MAX_DEPTH = 4;
const MAX_REFERENCES = 16;
/** Characters of a name (k8s.io/apimachinery, validation: DNS subdomains). */
const MAX_NAME = 253;
