import { expect, it } from 'vitest';
import { appliedForOf } from './applied-by.js';

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const JSON_TYPE = 'application/apply-patch+yaml';
const labelled = (labels: Record<string, string>): Uint8Array =>
  bytes({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels } });

it.each([
  ['kustomizations', 'kustomize.toolkit.fluxcd.io'],
  ['helmreleases', 'helm.toolkit.fluxcd.io'],
])('%s, by its labels', (resource, apiGroup) => {
  const labels = { app: 'x', [`${apiGroup}/name`]: 'shop', [`${apiGroup}/namespace`]: 'flux-system' };
  expect(appliedForOf(labelled(labels), JSON_TYPE, 'default')).toEqual({
    resource,
    apiGroup,
    namespace: 'flux-system',
    name: 'shop',
  });
});

it.each<[string, Uint8Array]>([
  ['no labels', bytes({ metadata: { name: 'a' } })],
  ['other labels', labelled({ app: 'x' })],
  ['one of both', labelled({ 'kustomize.toolkit.fluxcd.io/name': 'shop' })],
  ['a word in the data', bytes({ data: { a: 'kustomize.toolkit.fluxcd.io/name' } })],
  [
    'names that are none',
    labelled({ 'kustomize.toolkit.fluxcd.io/name': 'a b', 'kustomize.toolkit.fluxcd.io/namespace': '"' }),
  ],
  ['bytes that are cut', labelled({ 'kustomize.toolkit.fluxcd.io/name': 'shop', z: 'y' }).subarray(0, 90)],
])('%s: for no object', (_, body) => {
  expect(appliedForOf(body, JSON_TYPE, 'default')).toBeUndefined();
});

it.each([
  ['shop:apps/Deployment:default/web', '', 'shop'],
  ['team-a_shop:/ConfigMap:default/settings', 'team-a', 'shop'],
])('applications, by the annotation %s', (id, namespace, name) => {
  const metadata = { name: 'web', annotations: { 'argocd.argoproj.io/tracking-id': id } };
  const applied = { resource: 'applications', apiGroup: 'argoproj.io', namespace, name };
  expect(appliedForOf(bytes({ metadata }), 'application/json', 'default')).toEqual(applied);
});

it.each(['', 'shop', 'shop:x', 'a b:apps/Deployment:default/web', ':apps/Deployment:default/web'])(
  'no object, by the annotation %j',
  (id) => {
    const metadata = { name: 'web', annotations: { 'argocd.argoproj.io/tracking-id': id } };
    expect(appliedForOf(bytes({ metadata }), 'application/json', 'default')).toBeUndefined();
  },
);

it('a Certificate beside its Secret, by an annotation', () => {
  const metadata = { name: 'web-tls', annotations: { 'cert-manager.io/certificate-name': 'web' } };
  expect(appliedForOf(bytes({ apiVersion: 'v1', kind: 'Secret', metadata }), JSON_TYPE, 'shop')).toEqual({
    resource: 'certificates',
    apiGroup: 'cert-manager.io',
    namespace: 'shop',
    name: 'web',
  });
});
