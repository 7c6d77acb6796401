// Reads which other objects an object refers to, besides its owners; a further kind is a further row.
// Source: k8s.io/api (core/v1, storage/v1, autoscaling/v1 and v2).

import { pick } from './encoding.js';
import { FieldSet, type Fields, type FieldValues, message, messages, string } from './fields.js';

export interface Reference {
  /** As in the object, or as its field implies. */
  readonly kind: string;
  readonly apiVersion: string;
  /** Empty: none. */
  readonly namespace: string;
  readonly name: string;
  /** Empty where the object does not name it. */
  readonly uid: string;
}

/**
 * Whether objects of a kind are to be read for references to others.
 * @param first the object was written, created or delivered as new. Kinds whose references never change are read only then.
 */
export function refers(kind: string, first: boolean): boolean {
  const row = ROWS.get(kind);
  return row !== undefined && (first || !row.isReadOnce);
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
  const references = ROWS.get(kind)?.read(bytes, contentType, namespace) ?? [];
  return references.filter(({ name }) => name !== '' && name.length <= MAX_REFERENCE).slice(0, MAX_REFERENCES);
}

interface ReferenceRow {
  /** The references never change: read where the object is new. */
  readonly isReadOnce: boolean;
  read(bytes: Uint8Array, contentType: string, namespace: string): readonly Reference[];
}

/** @param spec the fields to read of the object's `spec`, which has number 2 in all of these kinds. */
function row<F extends Fields>(
  spec: F,
  read: (spec: FieldValues<F>, namespace: string) => readonly Reference[],
  isReadOnce = false,
): ReferenceRow {
  const fields = new FieldSet({ spec: message(2, spec) });
  return {
    isReadOnce,
    read: (bytes, contentType, namespace) => read(pick(bytes, contentType, fields)?.spec ?? {}, namespace),
  };
}

function reference([kind, apiVersion]: readonly [string, string], namespace: string, name = '', uid = ''): Reference {
  return { kind, apiVersion, namespace, name, uid };
}

const VOLUME_CLAIM = ['PersistentVolumeClaim', 'v1'] as const;
const VOLUME = ['PersistentVolume', 'v1'] as const;
const NODE = ['Node', 'v1'] as const;
const STORAGE_CLASS = ['StorageClass', 'storage.k8s.io/v1'] as const;
const RESOURCE_CLAIM = ['ResourceClaim', 'resource.k8s.io/v1'] as const;

const CLAIM = { claimName: string(1) };

const ROWS: ReadonlyMap<string, ReferenceRow> = new Map([
  [
    'Pod',
    row(
      {
        // In protobuf a volume's source is a message of its own, in JSON its fields are the volume's.
        volumes: messages(1, {
          persistentVolumeClaim: message(0, CLAIM),
          volumeSource: message(2, { persistentVolumeClaim: message(10, CLAIM) }),
        }),
        // Those that are made from a template have the Pod as their owner.
        resourceClaims: messages(39, { resourceClaimName: string(3) }),
      },
      ({ volumes = [], resourceClaims = [] }, namespace) => [
        ...volumes.map(({ volumeSource, persistentVolumeClaim }) =>
          reference(VOLUME_CLAIM, namespace, (volumeSource?.persistentVolumeClaim ?? persistentVolumeClaim)?.claimName),
        ),
        ...resourceClaims.map((claim) => reference(RESOURCE_CLAIM, namespace, claim.resourceClaimName)),
      ],
      true,
    ),
  ],
  [
    'PersistentVolume',
    row({ claimRef: message(4, { namespace: string(2), name: string(3), uid: string(4) }) }, ({ claimRef = {} }) => [
      reference(VOLUME_CLAIM, claimRef.namespace ?? '', claimRef.name, claimRef.uid),
    ]),
  ],
  [
    'PersistentVolumeClaim',
    row({ volumeName: string(3), storageClassName: string(5) }, ({ volumeName, storageClassName }) => [
      reference(VOLUME, '', volumeName),
      reference(STORAGE_CLASS, '', storageClassName),
    ]),
  ],
  [
    'VolumeAttachment',
    row({ source: message(2, { persistentVolumeName: string(1) }), nodeName: string(3) }, ({ source, nodeName }) => [
      reference(VOLUME, '', source?.persistentVolumeName),
      reference(NODE, '', nodeName),
    ]),
  ],
  [
    'HorizontalPodAutoscaler',
    row(
      { scaleTargetRef: message(1, { kind: string(1), name: string(2), apiVersion: string(3) }) },
      ({ scaleTargetRef: { kind = '', apiVersion = '', name } = {} }, namespace) => [
        reference([kind, apiVersion], namespace, name),
      ],
    ),
  ],
]);

/**
 * Limit: other objects that one object names, such as the claims of a Pod; cloud providers attach 16 to 256 volumes to a whole
 * node (pkg/volume/util: DefaultMaxEBSVolumes), so that one Pod has far fewer.
 */
const MAX_REFERENCES = 64;
/**
 * Limit: characters of the name of another object, a longer one is none: DNS subdomains, as names of volumes, claims and classes are
 * (k8s.io/apimachinery, validation).
 */
const MAX_REFERENCE = 253;
