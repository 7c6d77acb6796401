import { expect, it } from 'vitest';
import { type MissingObject, missingFrom, missingIn } from './missing-objects.js';
import { objectReference } from './object-ref.js';
import { requestInfo } from './request-info.js';

const referenceTo = ({ resource, name }: MissingObject): string => objectReference(resource, name);
const namesIn = (text: string): readonly string[] => missingIn(text, 'shop').map(referenceTo);

/** As the sources that missing-objects.ts names have them, and as Kubernetes 1.37 said them in captures. */
it.each<readonly [string, readonly string[]]>([
  ['MountVolume.SetUp failed for volume "s" : configmap "settings" not found', ['configmaps/settings']],
  [
    'MountVolume.SetUp failed for volume "s" : [secret "pa" not found, configmap "pb" not found]',
    ['secrets/pa', 'configmaps/pb'],
  ],
  ['Error: secret "creds" not found', ['secrets/creds']],
  ["Error: couldn't find key there in ConfigMap shop/half", ['configmaps/half']],
  ["Error: couldn't find key a.b in Secret shop/half", ['secrets/half']],
  [
    'Unable to retrieve some image pull secrets (one, two); attempting to pull the image may not succeed.',
    ['secrets/one', 'secrets/two'],
  ],
  [
    'pods "robot-59c76bfbcb-" is forbidden: error looking up service account shop/robot: serviceaccount "robot" not found',
    ['serviceaccounts/robot'],
  ],
  ['pods "p-" is forbidden: no PriorityClass with name high was found', ['priorityclasses/high']],
  ['pods "p-" is forbidden: pod rejected: RuntimeClass "sandboxed" not found', ['runtimeclasses/sandboxed']],
  ['pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1', ['resourcequotas/q']],
  [
    'pods "p" is forbidden: failed quota: mem: must specify limits.memory for: web; requests.memory for: web',
    ['resourcequotas/mem'],
  ],
  ['storageclass.storage.k8s.io "nosuch" not found', ['storageclasses/nosuch']],
  ['0/1 nodes are available: persistentvolumeclaim "data" not found. not found', ['persistentvolumeclaims/data']],
  [
    "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 2 healthy pods and has 2 currently",
    ['poddisruptionbudgets/web'],
  ],
  ['request gpu: device class gpu.example.com does not exist', ['deviceclasses/gpu.example.com']],
  ['deployments.apps "web" not found', ['deployments/web']],
  ['issuers.cert-manager.io "letsencrypt" not found', ['issuers/letsencrypt']],
  // Of what no program waits for, or that is no object at all.
  ['container "web" not found', []],
  ['pods "web" not found', []],
  ['plugin type="nosuch" failed (add): failed to find plugin "nosuch" in path [/usr/lib/cni]', []],
  ['secret "a/b" not found', []],
  ['secret "" not found', []],
  [
    'Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: Post "https://hook.ops.svc:443/?timeout=10s": service "hook" not found',
    [],
  ],
])('%s', (text, expected) => {
  expect(namesIn(text)).toEqual(expected);
});

it('is in the namespace of the object that the text names, or in none', () => {
  const [secret] = missingIn('secret "creds" not found', 'shop');
  expect(secret).toEqual({ resource: 'secrets', apiGroup: '', namespace: 'shop', name: 'creds' });
  const [priority] = missingIn('no PriorityClass with name high was found', 'shop');
  expect(priority).toEqual({
    resource: 'priorityclasses',
    apiGroup: 'scheduling.k8s.io',
    namespace: undefined,
    name: 'high',
  });
});

it('a request lacks what it is not about', () => {
  const missingAt = (method: string, target: string, text: string): readonly string[] =>
    missingFrom(text, requestInfo(method, target)).map(referenceTo);
  const pods = '/api/v1/namespaces/later/pods';
  const secret = '/api/v1/namespaces/later/secrets/creds';
  expect(missingAt('POST', pods, 'namespaces "later" not found')).toEqual(['namespaces/later']);
  expect(missingAt('GET', pods, 'namespaces "later" not found')).toEqual([]);
  expect(missingAt('PATCH', secret, 'secrets "creds" not found')).toEqual([]);
  expect(missingAt('PATCH', secret, 'namespaces "later" not found')).toEqual(['namespaces/later']);
  expect(missingFrom('namespaces "later" not found', null)).toEqual([]);
});

it('a text that goes on and on is read so far, and names no more than so many', () => {
  const many = Array.from({ length: 1000 }, (_, i) => `secret "s${i}" not found`).join(', ');
  expect(namesIn(many)).toHaveLength(16);
  expect(namesIn(`${' '.repeat(2048)}secret "creds" not found`)).toEqual([]);
  for (const text of ['a.'.repeat(50_000), 'a'.repeat(100_000), `secret "${'a'.repeat(100_000)}`])
    expect(namesIn(text)).toEqual([]);
});
