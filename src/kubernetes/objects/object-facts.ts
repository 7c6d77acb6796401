// Reads single facts of single kinds: the node of a Pod, the holder of a Lease, the Pods behind a Service.

import { flattenString } from '../../core/bytes/bytes.js';
import { pick, pickOfKind } from './encoding.js';
import { FieldSet, int, message, messages, string } from './fields.js';
import { boundedName } from './object-info.js';

/** Node of a Pod (`spec.nodeName`) or Binding (`target.name`); undefined where it has none. */
export function nodeNameOf(bytes: Uint8Array, contentType: string): string | undefined {
  return (
    pickOfKind('Pod', bytes, contentType, POD)?.spec?.nodeName ||
    pickOfKind('Binding', bytes, contentType, BINDING)?.target?.name ||
    undefined
  );
}

/** Who leads, as a Lease has it (k8s.io/api, coordination/v1: LeaseSpec). */
export interface LeaseInfo {
  /** Empty: nobody. */
  readonly holder: string;
  /** For how long, since it was renewed; 0: it does not say. */
  readonly seconds: number;
  /** How often it has changed hands. */
  readonly transitions: number;
}

/** undefined: it is no Lease, or cannot be read. */
export function leaseOf(bytes: Uint8Array, contentType: string): LeaseInfo | undefined {
  const spec = pickOfKind('Lease', bytes, contentType, LEASE)?.spec;
  if (spec === undefined) return undefined;
  const { holderIdentity = '', leaseDurationSeconds = 0, leaseTransitions = 0 } = spec;
  return { holder: boundedName(holderIdentity), seconds: leaseDurationSeconds, transitions: leaseTransitions };
}

/** `spec.holderIdentity` of a Lease. */
export function leaseHolderOf(bytes: Uint8Array, contentType: string): string | undefined {
  return pickOfKind('Lease', bytes, contentType, LEASE)?.spec?.holderIdentity || undefined;
}

/**
 * @param bytes of an EndpointSlice or Endpoints object, borrowed. @param contentType as for `carriedObject`.
 * @returns uids of the Pods that it names; empty where it names none.
 */
export function podsBehind(bytes: Uint8Array, contentType: string): readonly string[] {
  const endpoints = pickOfKind('EndpointSlice', bytes, contentType, ENDPOINT_SLICE)?.endpoints;
  const subsets = pickOfKind('Endpoints', bytes, contentType, ENDPOINTS)?.subsets ?? [];
  const addresses =
    endpoints ?? subsets.flatMap(({ addresses = [], notReadyAddresses = [] }) => [...addresses, ...notReadyAddresses]);
  const targets = addresses.slice(0, MAX_ENDPOINTS).map(({ targetRef }) => targetRef);
  return [...new Set(targets.flatMap((target) => (target?.kind === 'Pod' && target.uid ? [target.uid] : [])))];
}

/** uids of the objects of a list. @param bytes after content decoding, borrowed; may be cut. */
export function listedUids(bytes: Uint8Array, contentType: string): readonly string[] {
  const items = pick(bytes, contentType, ITEMS)?.items ?? [];
  return items.map(({ metadata }) => flattenString(metadata?.uid ?? '')).filter((uid) => uid !== '');
}

const KIND = { kind: string(0) };
const POD = new FieldSet({ ...KIND, spec: message(2, { nodeName: string(10) }) });
const BINDING = new FieldSet({ ...KIND, target: message(2, { name: string(3) }) });
const LEASE = new FieldSet({
  ...KIND,
  spec: message(2, { holderIdentity: string(1), leaseDurationSeconds: int(2), leaseTransitions: int(5) }),
});

const TARGET = { kind: string(1), uid: string(4) };
const ADDRESS = { targetRef: message(2, TARGET) };
const ENDPOINT_SLICE = new FieldSet({ ...KIND, endpoints: messages(2, { targetRef: message(4, TARGET) }) });
const ENDPOINTS = new FieldSet({
  ...KIND,
  subsets: messages(2, { addresses: messages(1, ADDRESS), notReadyAddresses: messages(2, ADDRESS) }),
});
/** Limit: endpoints that are read of one object: the API server takes no more in a slice (discovery/validation). */
const MAX_ENDPOINTS = 1000;

const ITEMS = new FieldSet({ items: messages(2, { metadata: message(1, { uid: string(5) }) }) });
