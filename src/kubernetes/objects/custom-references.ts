// Reads the references of custom resources: fields named `fooRef` (API conventions, "Object references"), as Flux's sourceRef,
// cert-manager's issuerRef and karpenter's nodeClassRef; and the Secrets that cert-manager's resources name.

import { splitApiVersion } from '../api/kinds.js';
import { decodeBody } from './decode-body.js';
import { encodingOf } from './encoding.js';
import { record, textOf } from './value-cursor.js';

export interface LooseReference {
  readonly kind: string;
  /** Empty: not given. */
  readonly apiGroup: string;
  /** Empty: not given, so that of the referring object, or none. */
  readonly namespace: string;
  readonly name: string;
}

/** What a custom resource says of other objects. */
export interface CustomReferences {
  readonly references: readonly LooseReference[];
  /** Texts that may be names of objects of any kind, `db` of `secret: db`. */
  readonly names: readonly string[];
}

/**
 * @param bytes of an object, after content decoding, borrowed. @param contentType as for `carriedObject`. @param group of its kind.
 * @returns null where it has no `spec`, as a change of a status, or is too long to be searched.
 */
export function looseReferences(bytes: Uint8Array, contentType: string, group: string): CustomReferences | null {
  // Programs write JSON; YAML of that length may take too long.
  if (bytes.length > MAX_BYTES || encodingOf(bytes, contentType) === 'yaml') return null;
  const spec = record(decodeBody(bytes, contentType))['spec'];
  if (typeof spec !== 'object' || spec === null) return null;
  const references: LooseReference[] = [];
  const names = new Set<string>();
  collect(spec, 0, references, names);
  if (group === CERT_MANAGER) references.push(...secretsOf(record(spec)));
  return { references, names: [...names] };
}

function collect(value: unknown, depth: number, found: LooseReference[], names: Set<string>): void {
  if (typeof value === 'string' && NAME.test(value) && names.size < MAX_NAMES) names.add(value);
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const element of value.slice(0, MAX_REFERENCES)) collect(element, depth + 1, found, names);
    return;
  }
  for (const [name, field] of Object.entries(record(value))) {
    const reference = name.endsWith('Ref') && found.length < MAX_REFERENCES ? referenceOf(record(field)) : null;
    if (reference !== null) found.push(reference);
    collect(field, depth + 1, found, names);
  }
}

/** Secrets of a Certificate's key and of an issuer's signing key; that of a ClusterIssuer is in cert-manager's namespace. */
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

/** A name of an object (RFC 1123), of more than one letter. */
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])$/;
export const SECRET = 'Secret';
const CERT_MANAGER = 'cert-manager.io';
/**
 * Limit in bytes: a custom resource that is searched for references: decoding a body whole costs a millisecond for that; most have a
 * few KiB.
 */
const MAX_BYTES = 65_536;
/**
 * Limit: depth in its `spec` at which references are searched: `spec.chart.spec.sourceRef` is the deepest of those in use; templates of
 * Pods are deeper, and refer to none.
 */
const MAX_DEPTH = 4;
/** Limit: texts of one custom resource that may be names: those of a small one. */
const MAX_NAMES = 32;
/** Limit: references of one custom resource, and items of a list in it. */
const MAX_REFERENCES = 16;
/** Limit: characters of a name in a reference (k8s.io/apimachinery, validation: DNS subdomains). */
const MAX_NAME = 253;
