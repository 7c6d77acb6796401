import { expect, it } from 'vitest';
import { CustomResourceRefs } from './custom-resource-refs.js';

const TYPE = 'application/json';
const FLUX = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', namespace: 'flux', name: 'shop' };
const SOURCE = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', namespace: 'flux', name: 'repo' };
const KEY = 'kustomizations.kustomize.toolkit.fluxcd.io flux shop';
const bytes = (spec: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify({ spec }));
const sourceRef = { kind: 'GitRepository', name: 'repo' };

it('a reference without a group is to the kind of that name that was told, whenever that was', () => {
  const relations = new CustomResourceRefs();
  relations.learn(FLUX, bytes({ sourceRef }), TYPE);
  expect(relations.of('kustomize-controller', KEY)).toEqual([]);
  relations.learn(SOURCE, bytes({}), TYPE);
  expect(relations.of('kustomize-controller', KEY)).toEqual([
    'gitrepositories.source.toolkit.fluxcd.io flux repo',
    'gitrepositories.source.toolkit.fluxcd.io  repo',
  ]);
});

it('a status that is written says nothing of references, a spec without any does', () => {
  const relations = new CustomResourceRefs();
  relations.learn(SOURCE, bytes({}), TYPE);
  relations.learn(FLUX, bytes({ sourceRef }), TYPE);
  relations.learn(FLUX, new TextEncoder().encode('{"status":{}}'), TYPE);
  expect(relations.of('anybody', KEY)).toHaveLength(2);
  relations.learn(FLUX, bytes({}), TYPE);
  expect(relations.of('anybody', KEY)).toEqual([]);
});

it('built-in kinds refer to nothing here, and are not referred to', () => {
  const relations = new CustomResourceRefs();
  relations.learn(
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'flux', name: 'web' },
    bytes({ sourceRef }),
    TYPE,
  );
  relations.learn(FLUX, bytes({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } }), TYPE);
  expect(relations.of('anybody', 'deployments.apps flux web')).toEqual([]);
  expect(relations.of('anybody', KEY)).toEqual([]);
});

it('what is made for another one belongs with that, and what that refers to, for who made it alone', () => {
  const relations = new CustomResourceRefs();
  relations.learn(SOURCE, bytes({}), TYPE);
  relations.learn(FLUX, bytes({ sourceRef }), TYPE);
  const appliedFor = {
    resource: 'kustomizations',
    apiGroup: 'kustomize.toolkit.fluxcd.io',
    namespace: 'flux',
    name: 'shop',
  };
  relations.isFor('deployments.apps default web', 'kustomize-controller', appliedFor);
  expect(relations.of('kustomize-controller', 'deployments.apps default web')[0]).toBe(KEY);
  expect(relations.of('kustomize-controller', 'deployments.apps default web')).toHaveLength(3);
  expect(relations.of('deployment-controller', 'deployments.apps default web')).toEqual([]);
});

it('where the namespace is not said, it is that of the one that was told', () => {
  const relations = new CustomResourceRefs();
  const appliedFor = { resource: 'applications', apiGroup: 'argoproj.io', namespace: '', name: 'shop' };
  expect(relations.placed(appliedFor)).toEqual(appliedFor);
  relations.learn(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argo', name: 'shop' },
    bytes({}),
    TYPE,
  );
  expect(relations.placed(appliedFor).namespace).toBe('argo');
  expect(relations.placed({ ...appliedFor, namespace: 'other' }).namespace).toBe('other');
});

it('a Certificate belongs with its Secret, an issuer of all namespaces with one where cert-manager runs', () => {
  const relations = new CustomResourceRefs();
  const apiVersion = 'cert-manager.io/v1';
  relations.learn({ apiVersion, kind: 'Certificate', namespace: 'a', name: 'b' }, bytes({ secretName: 'c' }), TYPE);
  relations.learn({ apiVersion, kind: 'ClusterIssuer', name: 'd' }, bytes({ ca: { secretName: 'e' } }), TYPE);
  expect(relations.of('anybody', 'certificates.cert-manager.io a b')).toEqual(['secrets. a c']);
  expect(relations.of('anybody', 'clusterissuers.cert-manager.io  d')).toEqual(['secrets. cert-manager e']);
});
