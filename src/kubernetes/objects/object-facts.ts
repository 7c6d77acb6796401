// Reads single facts of single kinds: the node of a Pod, the holder of a Lease, the Pods behind a Service.

import { flattenString } from '../../core/bytes/bytes.js';
import { pick, pickOfKind } from './encoding.js';
import { FieldSet, message, messages, string, strings } from './fields.js';

/** Node of a Pod (`spec.nodeName`) or Binding (`target.name`); undefined where it has none. */
export function nodeNameOf(bytes: Uint8Array, contentType: string): string | undefined {
  return (
    pickOfKind('Pod', bytes, contentType, POD)?.spec?.nodeName ||
    pickOfKind('Binding', bytes, contentType, BINDING)?.target?.name ||
    undefined
  );
}

/** `spec.holderIdentity` of a Lease. */
export function leaseHolderOf(bytes: Uint8Array, contentType: string): string | undefined {
  return pickOfKind('Lease', bytes, contentType, LEASE)?.spec?.holderIdentity || undefined;
}

/**
 * The only node by whose name a Pod may be placed, as the DaemonSet controller writes it (pkg/controller/daemon/util:
 * ReplaceDaemonSetPodNodeNameNodeAffinity); undefined: its affinity names none, or several.
 */
export function daemonNodeOf(bytes: Uint8Array, contentType: string): string | undefined {
  const { nodeAffinity } = pick(bytes, contentType, AFFINITY)?.spec?.affinity ?? {};
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const names = terms.map(({ matchFields = [] }) => {
    const { operator, values = [] } = matchFields.find(({ key }) => key === 'metadata.name') ?? {};
    return operator === 'In' && values.length === 1 ? values[0] : '';
  });
  return new Set(names).size === 1 && names[0] !== '' ? names[0] : undefined;
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
const LEASE = new FieldSet({ ...KIND, spec: message(2, { holderIdentity: string(1) }) });

const REQUIREMENT = { key: string(1), operator: string(2), values: strings(3) };
const SELECTOR = { nodeSelectorTerms: messages(1, { matchFields: messages(2, REQUIREMENT) }) };
const NODE_AFFINITY = { requiredDuringSchedulingIgnoredDuringExecution: message(1, SELECTOR) };
const AFFINITY = new FieldSet({
  spec: message(2, { affinity: message(18, { nodeAffinity: message(1, NODE_AFFINITY) }) }),
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
