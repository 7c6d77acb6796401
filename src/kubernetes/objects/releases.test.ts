import { describe, expect, it } from 'vitest';
import { encodeCbor, encodeObject } from '../../../test/kit/encode.js';
import { kubernetesTable } from '../../protobuf/tables.js';
import { keepsRelease, releaseOf } from './applied-by.js';

const NAME = 'sh.helm.release.v1.shop.v12';
const LABELS = { modifiedAt: '1763904774', name: 'shop', owner: 'helm', status: 'pending-upgrade', version: '12' };
const record = (labels: object = LABELS) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: NAME, labels },
  data: { release: 'SDRz' },
  type: 'helm.sh/release.v1',
});
const json = (labels?: object): Buffer => Buffer.from(JSON.stringify(record(labels)));

describe('a record of Helm’s', () => {
  it.each([
    ['JSON', json(), 'application/json'],
    [
      'protobuf',
      encodeObject(kubernetesTable(), 'v1', 'Secret', 'k8s.io.api.core.v1.Secret', {
        metadata: { name: NAME, labels: LABELS },
      }),
      'application/vnd.kubernetes.protobuf',
    ],
    ['CBOR', encodeCbor(record()), 'application/cbor'],
    ['YAML', Buffer.from(`metadata:\n  labels: {owner: helm, status: pending-upgrade}\n`), 'application/yaml'],
  ])('in %s', (_, bytes, contentType) => {
    expect(releaseOf(bytes, contentType, NAME)).toEqual({ name: 'shop', revision: 12, status: 'pending-upgrade' });
  });

  it('of a release with dots in its name', () => {
    expect(releaseOf(json(), 'application/json', 'sh.helm.release.v1.a.v1.b.v3')).toMatchObject({
      name: 'a.v1.b',
      revision: 3,
    });
  });

  it.each([
    ['another name', json(), 'shop.v12'],
    ['a name without revision', json(), 'sh.helm.release.v1.shop'],
    ['a revision that is no number', json(), 'sh.helm.release.v1.shop.vx'],
    ['another owner', json({ ...LABELS, owner: 'me' }), NAME],
    ['a status that Helm does not know', json({ ...LABELS, status: 'password=x' }), NAME],
    ['a status that is no text', json({ ...LABELS, status: 7 }), NAME],
    ['no labels', json({}), NAME],
    ['a text in their place', Buffer.from('{"metadata":{"labels":"owner"}}'), NAME],
    ['a body that is cut', json().subarray(0, 40), NAME],
  ])('is none: %s', (_, bytes, name) => {
    expect(releaseOf(bytes, 'application/json', name)).toBeUndefined();
  });

  it('is a Secret or a ConfigMap', () => {
    const kept = ['secrets', 'configmaps', 'pods', undefined].map((resource) => keepsRelease(resource, NAME));
    expect(kept).toEqual([true, true, false, false]);
    expect(keepsRelease('secrets', 'shop.v12')).toBe(false);
  });
});
