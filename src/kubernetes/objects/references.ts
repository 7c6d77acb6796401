// What an object says of others that it belongs with, besides its owners, as a table: a kind that says more is a row more.
// Knows fields of k8s.io/api (core/v1, storage/v1, autoscaling/v1 and v2); what follows from them is relations.ts's.

import { type Picked, pick, textIn, type Wanted } from './pick.js';

export interface Reference {
  /** As in the object, or as its field implies. */
  readonly kind: string;
  readonly apiVersion: string;
  /** Empty where it is in none. */
  readonly namespace: string;
  readonly name: string;
  /** Empty where it is not said. */
  readonly uid: string;
}

/**
 * Does a kind say anything of others?
 * @param first in an object that is written, made or told as new; else in every version of it, too.
 */
export function refers(kind: string, first: boolean): boolean {
  const row = ROWS.get(kind);
  return row !== undefined && (first || row.toldOften !== true);
}

/**
 * @param bytes a whole object after content decoding, borrowed. @param contentType as for `carriedObject`.
 * @param namespace that the object is in; empty: none.
 */
export function referencesOf(
  bytes: Uint8Array,
  contentType: string,
  kind: string,
  namespace: string,
): readonly Reference[] {
  const row = ROWS.get(kind);
  const spec = row === undefined ? undefined : pick(bytes, contentType, { spec: [2, { one: row.spec }] })?.['spec'];
  if (row === undefined || typeof spec !== 'object' || Array.isArray(spec)) return [];
  const said = row.read(spec as Picked, namespace).filter(({ name }) => name !== '' && name.length <= MAX_REFERENCE);
  return said.slice(0, MAX_REFERENCES);
}

interface ReferenceRow {
  /** Wanted of its `spec`, field 2 of every one of these. */
  readonly spec: Wanted;
  /** And does not change: read where it is new. */
  readonly toldOften?: true;
  read(spec: Picked, namespace: string): readonly Reference[];
}

const CLAIM: Wanted = { claimName: [1, 'text'] };
const VOLUME_CLAIM = { kind: 'PersistentVolumeClaim', apiVersion: 'v1' };
const VOLUME = { kind: 'PersistentVolume', apiVersion: 'v1' };
const NODE = { kind: 'Node', apiVersion: 'v1' };
const STORAGE_CLASS = { kind: 'StorageClass', apiVersion: 'storage.k8s.io/v1' };
const RESOURCE_CLAIM = { kind: 'ResourceClaim', apiVersion: 'resource.k8s.io/v1' };

const ROWS: ReadonlyMap<string, ReferenceRow> = new Map(
  Object.entries<ReferenceRow>({
    Pod: {
      toldOften: true,
      // In protobuf a volume's source is a message of its own, in JSON its fields are the volume's.
      spec: {
        volumes: [
          1,
          {
            many: {
              persistentVolumeClaim: [0, { one: CLAIM }],
              volumeSource: [2, { one: { persistentVolumeClaim: [10, { one: CLAIM }] } }],
            },
          },
        ],
        // Those that are made from a template have the Pod as their owner.
        resourceClaims: [39, { many: { resourceClaimName: [3, 'text'] } }],
      },
      read: ({ volumes = [], resourceClaims = [] }, namespace) => [
        ...(volumes as readonly Picked[]).map((volume) => {
          const claim = one('volumeSource' in volume ? one(volume, 'volumeSource') : volume, 'persistentVolumeClaim');
          return { ...VOLUME_CLAIM, namespace, name: textIn(claim, 'claimName'), uid: '' };
        }),
        ...(resourceClaims as readonly Picked[]).map((claim) => {
          return { ...RESOURCE_CLAIM, namespace, name: textIn(claim, 'resourceClaimName'), uid: '' };
        }),
      ],
    },
    PersistentVolume: {
      spec: { claimRef: [4, { one: { namespace: [2, 'text'], name: [3, 'text'], uid: [4, 'text'] } }] },
      read: (spec) => {
        const claim = one(spec, 'claimRef');
        const [namespace, name, uid] = ['namespace', 'name', 'uid'].map((field) => textIn(claim, field));
        return [{ ...VOLUME_CLAIM, namespace, name, uid }];
      },
    },
    PersistentVolumeClaim: {
      spec: { volumeName: [3, 'text'], storageClassName: [5, 'text'] },
      read: (spec) => [
        { ...VOLUME, namespace: '', name: textIn(spec, 'volumeName'), uid: '' },
        { ...STORAGE_CLASS, namespace: '', name: textIn(spec, 'storageClassName'), uid: '' },
      ],
    },
    VolumeAttachment: {
      spec: { source: [2, { one: { persistentVolumeName: [1, 'text'] } }], nodeName: [3, 'text'] },
      read: (spec) => [
        { ...VOLUME, namespace: '', name: textIn(one(spec, 'source'), 'persistentVolumeName'), uid: '' },
        { ...NODE, namespace: '', name: textIn(spec, 'nodeName'), uid: '' },
      ],
    },
    HorizontalPodAutoscaler: {
      spec: { scaleTargetRef: [1, { one: { kind: [1, 'text'], name: [2, 'text'], apiVersion: [3, 'text'] } }] },
      read: (spec, namespace) => {
        const target = one(spec, 'scaleTargetRef');
        const [kind, apiVersion, name] = ['kind', 'apiVersion', 'name'].map((field) => textIn(target, field));
        return [{ kind, apiVersion, namespace, name, uid: '' }];
      },
    },
  }),
);

function one(picked: Picked, name: string): Picked {
  return (picked[name] ?? {}) as Picked;
}

/** A node attaches fewer volumes than that (pkg/volume/util: DefaultMaxEBSVolumes and its like have 16 to 256). */
const MAX_REFERENCES = 64;
/** Characters of a name: of DNS subdomains, as those of volumes, claims and classes are (k8s.io/apimachinery, validation). */
const MAX_REFERENCE = 253;
