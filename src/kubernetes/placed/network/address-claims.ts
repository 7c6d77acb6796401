// Reads which addresses Pods, Services, EndpointSlices and Nodes have (k8s.io/api core/v1, discovery/v1).

import { pick } from '../../objects/encoding.js';
import {
  bool,
  FieldSet,
  type Fields,
  type FieldValues,
  message,
  messages,
  seconds,
  string,
  strings,
} from '../../objects/fields.js';

export interface NamedWorkload {
  readonly namespace: string;
  readonly name: string;
  /** Empty where it is not given. */
  readonly uid: string;
}

export type AddressClaim =
  | {
      readonly kind: 'Pod';
      readonly object: NamedWorkload;
      readonly addresses: readonly string[];
      /** Of its host; a Pod of the host's network has no others. */
      readonly hosts: readonly string[];
      /** Seconds since the epoch; 0: not given. */
      readonly created: number;
      /** All containers have ended: the addresses are free again. */
      readonly ended: boolean;
    }
  | {
      readonly kind: 'Service';
      readonly object: NamedWorkload;
      readonly addresses: readonly string[];
      readonly created: number;
    }
  | { readonly kind: 'EndpointSlice'; readonly object: NamedWorkload; readonly endpoints: readonly ClaimedEndpoint[] }
  | { readonly kind: 'Node'; readonly object: NamedWorkload; readonly addresses: readonly string[] };

/** Addresses of a Pod, in an EndpointSlice. */
export interface ClaimedEndpoint {
  readonly addresses: readonly string[];
  readonly pod: NamedWorkload;
}

export function mayClaimAddresses(apiVersion: string, kind: string): boolean {
  return rowOf(apiVersion, kind) !== undefined;
}

/**
 * @param bytes a whole object, or a list of them, after content decoding; borrowed.
 * @param contentType as for `carriedObject`.
 */
export function claimsOf(
  bytes: Uint8Array,
  contentType: string,
  apiVersion: string,
  kind: string,
): readonly AddressClaim[] {
  const row = rowOf(apiVersion, kind);
  if (row === undefined) return [];
  return kind.endsWith('List') ? row.readList(bytes, contentType) : row.readObject(bytes, contentType);
}

interface AddressClaimRow {
  readonly apiVersions: readonly string[];
  readObject(bytes: Uint8Array, contentType: string): readonly AddressClaim[];
  readList(bytes: Uint8Array, contentType: string): readonly AddressClaim[];
}

function row<F extends Fields>(
  fields: F,
  read: (object: FieldValues<F>) => AddressClaim,
  ...apiVersions: string[]
): AddressClaimRow {
  const object = new FieldSet(fields);
  const list = new FieldSet({ items: messages(2, fields) });
  return {
    apiVersions,
    readObject(bytes, contentType) {
      const values = pick(bytes, contentType, object);
      return values === null ? [] : [read(values)];
    },
    readList: (bytes, contentType) => (pick(bytes, contentType, list)?.items ?? []).map(read),
  };
}

const METADATA = {
  metadata: message(1, { name: string(1), namespace: string(3), uid: string(5), creationTimestamp: seconds(8) }),
};
const IP = { ip: string(1) };
const POD = {
  ...METADATA,
  spec: message(2, { hostNetwork: bool(11) }),
  status: message(3, {
    phase: string(1),
    hostIP: string(5),
    podIP: string(6),
    podIPs: messages(12, IP),
    hostIPs: messages(16, IP),
  }),
};
const SERVICE = {
  ...METADATA,
  spec: message(2, { clusterIP: string(3), clusterIPs: strings(18) }),
  status: message(3, { loadBalancer: message(1, { ingress: messages(1, IP) }) }),
};
const TARGET = { kind: string(1), namespace: string(2), name: string(3), uid: string(4) };
const ENDPOINT_SLICE = {
  ...METADATA,
  endpoints: messages(2, { addresses: strings(1), targetRef: message(4, TARGET) }),
};
const NODE = {
  ...METADATA,
  status: message(3, { addresses: messages(5, { address: string(2) }) }),
};

const ROWS: ReadonlyMap<string, AddressClaimRow> = new Map([
  ['Pod', row(POD, podOf, 'v1')],
  ['Service', row(SERVICE, serviceOf, 'v1')],
  ['EndpointSlice', row(ENDPOINT_SLICE, sliceOf, 'discovery.k8s.io/v1', 'discovery.k8s.io/v1beta1')],
  ['Node', row(NODE, nodeOf, 'v1')],
]);

/** @param kind of an object, or of a list of them. */
function rowOf(apiVersion: string, kind: string): AddressClaimRow | undefined {
  const row = ROWS.get(kind.endsWith('List') ? kind.slice(0, -'List'.length) : kind);
  return row?.apiVersions.includes(apiVersion) === true ? row : undefined;
}

function podOf({ metadata, spec, status = {} }: FieldValues<typeof POD>): AddressClaim {
  const hosts = addressesOf(status.hostIP, status.hostIPs);
  const own = addressesOf(status.podIP, status.podIPs);
  const isOnHost = spec?.hostNetwork === true;
  return {
    kind: 'Pod',
    object: namedOf(metadata),
    addresses: isOnHost ? [] : own.filter((address) => !hosts.includes(address)),
    hosts: isOnHost ? [...new Set([...hosts, ...own])] : hosts,
    created: metadata?.creationTimestamp ?? 0,
    ended: ENDED.has(status.phase ?? ''),
  };
}

function serviceOf({ metadata, spec, status }: FieldValues<typeof SERVICE>): AddressClaim {
  const { clusterIP = '', clusterIPs = [] } = spec ?? {};
  const all = [clusterIP, ...clusterIPs, ...addressesOf('', status?.loadBalancer?.ingress)];
  return {
    kind: 'Service',
    object: namedOf(metadata),
    // A headless Service has `None`.
    addresses: [...new Set(all)].filter((address) => ADDRESS.test(address)),
    created: metadata?.creationTimestamp ?? 0,
  };
}

function sliceOf({ metadata, endpoints = [] }: FieldValues<typeof ENDPOINT_SLICE>): AddressClaim {
  const claimed = endpoints.flatMap(({ addresses, targetRef }): ClaimedEndpoint[] =>
    targetRef?.kind !== 'Pod' || addresses === undefined ? [] : [{ addresses, pod: namedOf(targetRef) }],
  );
  return { kind: 'EndpointSlice', object: namedOf(metadata), endpoints: claimed };
}

function nodeOf({ metadata, status }: FieldValues<typeof NODE>): AddressClaim {
  const addresses = (status?.addresses ?? []).map(({ address = '' }) => address);
  return { kind: 'Node', object: namedOf(metadata), addresses };
}

function addressesOf(single = '', several: readonly FieldValues<typeof IP>[] = []): readonly string[] {
  return [...new Set([single, ...several.map(({ ip = '' }) => ip)])].filter((address) => address !== '');
}

function namedOf({ namespace = '', name = '', uid = '' }: Partial<NamedWorkload> = {}): NamedWorkload {
  return { namespace, name, uid };
}

/** Phases after which the kubelet has taken the Pod's network down (core/v1 PodPhase). */
const ENDED = new Set(['Succeeded', 'Failed']);
const ADDRESS = /^[0-9a-fA-F.:]+$/;
