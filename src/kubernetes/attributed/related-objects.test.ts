import { describe, expect, it } from 'vitest';
import { objectKey } from '../api/object-ref.js';
import { requestInfo } from '../api/request-info.js';
import type { ObjectInfo } from '../objects/object-info.js';
import { RelatedObjects, type Telling } from './related-objects.js';

const ALL = (): boolean => true;
const relate = (
  relations: RelatedObjects,
  component: string,
  method: string,
  target: string,
  name?: string,
  isKnown: (key: string) => boolean = ALL,
) => {
  const info = requestInfo(method, target)!;
  const { resource = '', apiGroup = '', namespace } = info;
  const named = info.name ?? name ?? '';
  return relations.of(component, info, { key: objectKey(resource, apiGroup, namespace, named), name: named }, isKnown);
};

function learn(relations: RelatedObjects, info: ObjectInfo, spec: object, by: Telling = 'again'): void {
  relations.observe(info, Buffer.from(JSON.stringify({ spec })), 'application/json', by);
}

const CLAIM_REF = { namespace: 'shop', name: 'data' };

describe('what belongs together', () => {
  it('a volume and its claim, by both bodies', () => {
    const relations = new RelatedObjects();
    const claimRef = { namespace: 'shop', name: 'data-db-0', uid: 'u1' };
    learn(relations, { apiVersion: 'v1', kind: 'PersistentVolume', name: 'pv1' }, { claimRef });
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data-db-0' };
    learn(relations, claim, { volumeName: 'pv1' });
    expect(relate(relations, 'persistent-volume-binder', 'DELETE', '/api/v1/persistentvolumes/pv1')).toEqual({
      uids: ['u1'],
      keys: ['persistentvolumeclaims. shop data-db-0'],
    });
    const target = '/api/v1/namespaces/shop/persistentvolumeclaims/data-db-0/status';
    expect(relate(relations, 'persistent-volume-binder', 'PUT', target)?.keys).toEqual(['persistentvolumes.  pv1']);
  });

  it('a volume and the claim that it was made for, by its name', () => {
    const uid = '09415477-1eeb-4bce-80bf-777044f6cf25';
    const of = (name: string) =>
      relate(new RelatedObjects(), 'my-provisioner', 'GET', `/api/v1/persistentvolumes/${name}`)?.uids;
    expect([of(`pvc-${uid}`), of(`vol-${uid}`), of('pvc-1')]).toEqual([[uid], undefined, undefined]);
  });

  it('what is scaled and its autoscaler, for the autoscaler alone', () => {
    const relations = new RelatedObjects();
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const hpa = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace: 'shop', name: 'scaler' };
    learn(relations, hpa, { scaleTargetRef: target });
    learn(relations, hpa, { scaleTargetRef: target });
    const scale = '/apis/apps/v1/namespaces/shop/deployments/web/scale';
    const keys = ['horizontalpodautoscalers.autoscaling shop scaler'];
    expect(relate(relations, 'horizontal-pod-autoscaler', 'PUT', scale)).toEqual({ uids: [], keys });
    expect(relate(relations, 'horizontal-pod-autoscaler', 'GET', scale)).toBeUndefined();
    expect(relate(relations, 'my-scaler', 'PUT', scale)).toBeUndefined();
  });

  describe('what a Pod names, for those who act for its sake', () => {
    const relations = new RelatedObjects();
    const pod = (name: string): ObjectInfo => ({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name });
    const spec = {
      volumes: [{ persistentVolumeClaim: { claimName: 'data' } }],
      resourceClaims: [{ resourceClaimName: 'gpu' }, { resourceClaimTemplateName: 'own' }],
    };
    learn(relations, pod('db'), spec, 'client');
    learn(relations, pod('web'), spec, 'first');
    learn(relations, pod('old'), spec, 'again');
    learn(relations, { apiVersion: 'v1', kind: 'PersistentVolume', name: 'pv1' }, { claimRef: CLAIM_REF });
    const attachment = { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', name: 'csi-1' };
    learn(relations, attachment, { attacher: 'csi', nodeName: 'n1', source: { persistentVolumeName: 'pv1' } });
    const keysOf = (component: string, method: string, target: string, name?: string) =>
      relate(relations, component, method, target, name)?.keys;
    const pods = ['pods. shop db', 'pods. shop web'];
    const claim = '/api/v1/namespaces/shop/persistentvolumeclaims/data';
    const device = '/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims/gpu';
    const attachments = '/apis/storage.k8s.io/v1/volumeattachments';

    it.each([
      ['kube-scheduler', 'PUT', claim],
      ['kube-scheduler', 'PUT', `${device}/status`],
      ['pvc-protection-controller', 'PUT', claim],
      ['resource-claim-controller', 'PUT', `${device}/status`],
    ])('%s %s %s', (component, method, target) => expect(keysOf(component, method, target)).toEqual(pods));

    it('by way of the volume: what attaches it', () => {
      const found = ['persistentvolumes.  pv1', ...pods];
      expect(keysOf('attachdetach-controller', 'POST', attachments, 'csi-1')).toEqual(found);
      expect(keysOf('attachdetach-controller', 'DELETE', `${attachments}/csi-1`)).toEqual(found);
    });

    it('not for others, nor for those who only look', () => {
      expect(keysOf('persistent-volume-binder', 'PUT', claim)).toBeUndefined();
      expect(keysOf('kube-scheduler', 'GET', claim)).toBeUndefined();
    });

    it('a volume and its attachment, for who holds on to it', () => {
      const keys = keysOf('csi-attacher', 'PATCH', '/api/v1/persistentvolumes/pv1');
      expect(keys).toEqual(['persistentvolumeclaims. shop data', 'volumeattachments.storage.k8s.io  csi-1']);
    });

    it('the last ones, where they are many', () => {
      for (let i = 0; i < 10; i++) learn(relations, pod(`p${i}`), spec, 'client');
      expect(keysOf('kube-scheduler', 'PUT', claim)).toEqual([6, 7, 8, 9].map((i) => `pods. shop p${i}`));
    });
  });

  it('a claim and its class', () => {
    const relations = new RelatedObjects();
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };
    learn(relations, claim, { storageClassName: 'fast' });
    const target = '/api/v1/namespaces/shop/persistentvolumeclaims/data';
    expect(relate(relations, 'kube-scheduler', 'PUT', target)?.keys).toEqual(['storageclasses.storage.k8s.io  fast']);
  });

  it('a Namespace and what is made and removed in it for its sake', () => {
    const of = (component: string, method: string, target: string) =>
      relate(new RelatedObjects(), component, method, target, 'x')?.keys;
    const key = ['namespaces.  team'];
    expect(of('namespace-controller', 'DELETE', '/api/v1/namespaces/team/pods')).toEqual(key);
    expect(of('namespace-controller', 'DELETE', '/apis/discovery.k8s.io/v1/namespaces/team/endpointslices')).toEqual(
      key,
    );
    expect(of('root-ca-cert-publisher', 'POST', '/api/v1/namespaces/team/configmaps')).toEqual(key);
    expect(of('replicaset-controller', 'POST', '/api/v1/namespaces/team/pods')).toBeUndefined();
    expect(of('namespace-controller', 'PUT', '/api/v1/namespaces/team/finalize')).toBeUndefined();
  });

  describe('a claim and its StatefulSet, by name', () => {
    const of = (name: string, ...known: string[]): readonly string[] | undefined =>
      relate(
        new RelatedObjects(),
        'statefulset-controller',
        'POST',
        '/api/v1/namespaces/shop/persistentvolumeclaims',
        name,
        (key) => known.includes(key.split(' ')[2]),
      )?.keys;

    it.each([
      ['data-db-0', ['db'], ['db']],
      ['my-data-my-db-12', ['my-db'], ['my-db']],
      // It may be of either.
      ['data-my-db-0', ['my-db', 'db'], []],
      ['data-db-0', [], []],
      ['data-db', ['db'], []],
      ['db-0', ['db'], []],
      ['', ['db'], []],
    ])('%s, where there are %j', (name, known, sets) =>
      expect(of(name, ...known)).toEqual(sets.map((set) => `statefulsets.apps shop ${set}`)),
    );

    it('not one of too many words', () => {
      expect(of(`data-${'a-'.repeat(40)}db-0`, 'db')).toEqual([]);
    });
  });
});
