// What objects tell of addresses: Pods by their status, Services by their spec, the Pods behind endpoints, the addresses of
// hosts. Knows these four kinds (k8s.io/api core/v1, discovery/v1); who has an address when is addresses.ts's.

import { type Picked, pick, textIn, type Wanted } from '../objects/pick.js';

export interface NamedWorkload {
  readonly namespace: string;
  readonly name: string;
  /** Empty where it is not said. */
  readonly uid: string;
}

export type AddressClaim =
  | {
      readonly kind: 'Pod';
      readonly object: NamedWorkload;
      readonly addresses: readonly string[];
      /** Its host's own; a Pod of the host's network has no other. */
      readonly hosts: readonly string[];
      /** Seconds since the epoch; 0: not said. */
      readonly created: number;
      /** All of its containers have ended: its addresses are free again. */
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

/** Addresses of which an EndpointSlice says that they are a Pod's. */
export interface ClaimedEndpoint {
  readonly addresses: readonly string[];
  readonly pod: NamedWorkload;
}

/** Is there anything to be learnt from such an object? */
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
  const isList = kind.endsWith('List');
  const picked = pick(bytes, contentType, isList ? { items: [2, { many: row.wanted }] } : row.wanted);
  if (picked === null) return [];
  return (isList ? listIn(picked, 'items') : [picked]).map(row.read);
}

interface AddressClaimRow {
  readonly apiVersions: readonly string[];
  readonly wanted: Wanted;
  read(object: Picked): AddressClaim;
}

const METADATA: Wanted = {
  name: [1, 'text'],
  namespace: [3, 'text'],
  uid: [5, 'text'],
  creationTimestamp: [8, 'time'],
};
const IP: Wanted = { ip: [1, 'text'] };

/** By kind, of objects and of lists of them. */
const ROWS: ReadonlyMap<string, AddressClaimRow> = new Map(
  Object.entries<AddressClaimRow>({
    Pod: {
      apiVersions: ['v1'],
      wanted: {
        metadata: [1, { one: METADATA }],
        spec: [2, { one: { hostNetwork: [11, 'flag'] } }],
        status: [
          3,
          {
            one: {
              phase: [1, 'text'],
              hostIP: [5, 'text'],
              podIP: [6, 'text'],
              podIPs: [12, { many: IP }],
              hostIPs: [16, { many: IP }],
            },
          },
        ],
      },
      read: podOf,
    },
    Service: {
      apiVersions: ['v1'],
      wanted: {
        metadata: [1, { one: METADATA }],
        spec: [2, { one: { clusterIP: [3, 'text'], clusterIPs: [18, 'texts'] } }],
        status: [3, { one: { loadBalancer: [1, { one: { ingress: [1, { many: IP }] } }] } }],
      },
      read: serviceOf,
    },
    EndpointSlice: {
      apiVersions: ['discovery.k8s.io/v1', 'discovery.k8s.io/v1beta1'],
      wanted: {
        metadata: [1, { one: METADATA }],
        endpoints: [
          2,
          {
            many: {
              addresses: [1, 'texts'],
              targetRef: [
                4,
                { one: { kind: [1, 'text'], namespace: [2, 'text'], name: [3, 'text'], uid: [4, 'text'] } },
              ],
            },
          },
        ],
      },
      read: sliceOf,
    },
    Node: {
      apiVersions: ['v1'],
      wanted: {
        metadata: [1, { one: METADATA }],
        status: [3, { one: { addresses: [5, { many: { type: [1, 'text'], address: [2, 'text'] } }] } }],
      },
      read: (node) => ({
        kind: 'Node',
        object: namedOf(one(node, 'metadata')),
        addresses: listIn(one(node, 'status'), 'addresses').map((row) => textIn(row, 'address')),
      }),
    },
  }).flatMap(([kind, row]) => [kind, `${kind}List`].map((name): [string, AddressClaimRow] => [name, row])),
);

function rowOf(apiVersion: string, kind: string): AddressClaimRow | undefined {
  const row = ROWS.get(kind);
  return row?.apiVersions.includes(apiVersion) === true ? row : undefined;
}

function podOf(pod: Picked): AddressClaim {
  const status = one(pod, 'status');
  const hosts = addresses(textIn(status, 'hostIP'), listIn(status, 'hostIPs'));
  const own = addresses(textIn(status, 'podIP'), listIn(status, 'podIPs'));
  const onHost = one(pod, 'spec')?.['hostNetwork'] === true;
  return {
    kind: 'Pod',
    object: namedOf(one(pod, 'metadata')),
    addresses: onHost ? [] : own.filter((address) => !hosts.includes(address)),
    hosts: onHost ? [...new Set([...hosts, ...own])] : hosts,
    created: createdOf(pod),
    ended: ENDED.has(textIn(status, 'phase')),
  };
}

function serviceOf(service: Picked): AddressClaim {
  const spec = one(service, 'spec');
  const cluster = spec?.['clusterIPs'];
  const ingress = listIn(one(one(service, 'status'), 'loadBalancer'), 'ingress');
  const all = [textIn(spec, 'clusterIP'), ...(Array.isArray(cluster) ? (cluster as readonly string[]) : [])];
  return {
    kind: 'Service',
    object: namedOf(one(service, 'metadata')),
    // A headless Service has `None`.
    addresses: [...new Set([...all, ...addresses('', ingress)])].filter((address) => ADDRESS.test(address)),
    created: createdOf(service),
  };
}

function sliceOf(slice: Picked): AddressClaim {
  const endpoints = listIn(slice, 'endpoints').flatMap((endpoint): ClaimedEndpoint[] => {
    const target = one(endpoint, 'targetRef');
    const of = endpoint['addresses'];
    if (textIn(target, 'kind') !== 'Pod' || !Array.isArray(of)) return [];
    return [{ addresses: of as readonly string[], pod: namedOf(target) }];
  });
  return { kind: 'EndpointSlice', object: namedOf(one(slice, 'metadata')), endpoints };
}

function addresses(single: string, several: readonly Picked[]): readonly string[] {
  return [...new Set([single, ...several.map((row) => textIn(row, 'ip'))])].filter((address) => address !== '');
}

function namedOf(picked: Picked | undefined): NamedWorkload {
  return { namespace: textIn(picked, 'namespace'), name: textIn(picked, 'name'), uid: textIn(picked, 'uid') };
}

function createdOf(object: Picked): number {
  const created = one(object, 'metadata')?.['creationTimestamp'];
  return typeof created === 'number' ? created : 0;
}

function one(picked: Picked | undefined, name: string): Picked | undefined {
  const value = picked?.[name];
  return typeof value === 'object' && !Array.isArray(value) ? (value as Picked) : undefined;
}

function listIn(picked: Picked | undefined, name: string): readonly Picked[] {
  const value = picked?.[name];
  return Array.isArray(value) ? (value as readonly Picked[]) : [];
}

/** Phases after which the kubelet has taken the Pod's network down (core/v1 PodPhase). */
const ENDED = new Set(['Succeeded', 'Failed']);
const ADDRESS = /^[0-9a-fA-F.:]+$/;
