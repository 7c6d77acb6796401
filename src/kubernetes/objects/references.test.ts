import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../../test/kit/fixtures.js';
import { type Reference, referencesOf, refers } from './references.js';

interface Spec {
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly source?: { readonly persistentVolumeName?: string };
  readonly nodeName?: string;
  readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName?: string } }[];
  readonly resourceClaims?: readonly { readonly resourceClaimName?: string }[];
  readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
  readonly scaleTargetRef?: { readonly kind?: string; readonly apiVersion?: string; readonly name?: string };
}
interface CapturedObject {
  readonly kind: string;
  readonly metadata?: { readonly namespace?: string };
  readonly spec?: Spec;
}

/** Objects made by k8s.io/api, up to a half of their fields zero, in both encodings: fixtures/objects/README.md. */
const ORACLE = ['objects/zero-values.jsonl', 'objects/zero-values-1.37.jsonl']
  .flatMap((name) => fixtureLines<{ pb: string; json: CapturedObject }>(name))
  .filter(({ json }) => refers(json.kind, true));

/** As the JSON that Go wrote says it. */
function said({ kind, metadata, spec = {} }: CapturedObject): Reference[] {
  const namespace = metadata?.namespace ?? '';
  const { claimRef, scaleTargetRef: target } = spec;
  const all: Reference[] = [];
  if (kind === 'PersistentVolume' && claimRef !== undefined) {
    const { name = '', uid = '' } = claimRef;
    all.push({ kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace: claimRef.namespace ?? '', name, uid });
  }
  if (kind === 'PersistentVolumeClaim')
    all.push({ kind: 'PersistentVolume', apiVersion: 'v1', namespace: '', name: spec.volumeName ?? '', uid: '' });
  if (kind === 'PersistentVolumeClaim')
    all.push({
      kind: 'StorageClass',
      apiVersion: 'storage.k8s.io/v1',
      namespace: '',
      name: spec.storageClassName ?? '',
      uid: '',
    });
  if (kind === 'VolumeAttachment')
    all.push({
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      namespace: '',
      name: spec.source?.persistentVolumeName ?? '',
      uid: '',
    });
  if (kind === 'Pod')
    all.push(
      ...(spec.volumes ?? []).map(({ persistentVolumeClaim: claim }) => ({
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        namespace,
        name: claim?.claimName ?? '',
        uid: '',
      })),
      ...(spec.resourceClaims ?? []).map(({ resourceClaimName: name = '' }) => ({
        kind: 'ResourceClaim',
        apiVersion: 'resource.k8s.io/v1',
        namespace,
        name,
        uid: '',
      })),
    );
  if (kind === 'VolumeAttachment')
    all.push({ kind: 'Node', apiVersion: 'v1', namespace: '', name: spec.nodeName ?? '', uid: '' });
  if (target !== undefined)
    all.push({
      kind: target.kind ?? '',
      apiVersion: target.apiVersion ?? '',
      namespace,
      name: target.name ?? '',
      uid: '',
    });
  return all.filter(({ name }) => name !== '');
}

describe('of made-up objects', () => {
  it('has some of each kind', () => {
    const kinds = new Set(ORACLE.filter(({ json }) => said(json).length > 0).map(({ json }) => json.kind));
    const all = ['HorizontalPodAutoscaler', 'PersistentVolume', 'PersistentVolumeClaim', 'Pod', 'VolumeAttachment'];
    expect([...kinds].sort()).toEqual(all);
  });

  it.each(ORACLE.map((row, i) => [`${row.json.kind} ${i}`, row] as const))('%s', (_, { pb, json }) => {
    const namespace = json.metadata?.namespace ?? '';
    const text = Buffer.from(JSON.stringify(json));
    expect(referencesOf(text, 'application/json', json.kind, namespace)).toEqual(said(json));
    const bytes = Buffer.from(pb, 'base64');
    expect(referencesOf(bytes, 'application/vnd.kubernetes.protobuf', json.kind, namespace)).toEqual(said(json));
  });
});

/** In protobuf: test/truth/causes.test.ts, where a claim lets a Pod be scheduled. */
it('a Pod names its claims', () => {
  const volumes = [
    { name: 'a', persistentVolumeClaim: { claimName: 'data-db-0' } },
    { name: 'b', emptyDir: {} },
  ];
  expect(referencesOf(Buffer.from(JSON.stringify({ spec: { volumes } })), 'application/json', 'Pod', 'shop')).toEqual([
    { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace: 'shop', name: 'data-db-0', uid: '' },
  ]);
});

it('reads kinds with many versions only where the object is new', () => {
  expect([refers('Pod', true), refers('Pod', false), refers('PersistentVolume', false), refers('Node', true)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

it('takes no more of them than a Pod can have', () => {
  const volumes = Array.from({ length: 10_000 }, (_, i) => ({ persistentVolumeClaim: { claimName: `c${i}` } }));
  const said = referencesOf(Buffer.from(JSON.stringify({ spec: { volumes } })), 'application/json', 'Pod', 'shop');
  expect(said.map(({ name }) => name)).toEqual(Array.from({ length: 64 }, (_, i) => `c${i}`));
});

it('finds none in what is no object', () => {
  const read = (text: string): readonly Reference[] => referencesOf(Buffer.from(text), 'application/json', 'Pod', 'a');
  for (const text of ['', '{', '[]', '{"spec":[]}', '{"spec":{"volumes":{}}}', '{"spec":{"volumes":[1,null,"x"]}}'])
    expect(read(text)).toEqual([]);
});
