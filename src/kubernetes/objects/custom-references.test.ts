import { expect, it } from 'vitest';
import { looseReferences } from './custom-references.js';

const said = (value: unknown, group = 'example.com') =>
  looseReferences(new TextEncoder().encode(JSON.stringify(value)), 'application/json', group);
const read = (value: unknown, group?: string) => said(value, group)?.references ?? null;
const none = { apiGroup: '', namespace: '' };

it('reads the references of a spec, also deeper in it and in lists', () => {
  const spec = {
    sourceRef: { kind: 'GitRepository', name: 'shop' },
    chart: { spec: { sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: 'flux-system' } } },
    issuerRef: { group: 'cert-manager.io', kind: 'Issuer', name: 'ca' },
    parents: [{ targetRef: { apiVersion: 'example.com/v1', kind: 'Thing', name: 'a' } }],
  };
  expect(read({ spec })).toEqual([
    { ...none, kind: 'GitRepository', name: 'shop' },
    { ...none, kind: 'HelmRepository', name: 'charts', namespace: 'flux-system' },
    { ...none, apiGroup: 'cert-manager.io', kind: 'Issuer', name: 'ca' },
    { ...none, apiGroup: 'example.com', kind: 'Thing', name: 'a' },
  ]);
});

it('a change of a status has no references; other fields are none', () => {
  expect(read({ status: { ready: true } })).toBeNull();
  expect(read({ spec: { secretRef: { name: 'only-a-name' }, ref: 1, otherRef: null, fooRef: 'text' } })).toEqual([]);
  expect(read({ spec: { longRef: { kind: 'A', name: 'n'.repeat(254) } } })).toEqual([]);
});

it('is bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`a${i}Ref`, { kind: 'A', name: 'n' }]));
  expect(read({ spec: many })).toHaveLength(16);
  expect(read({ spec: { a: { b: { c: { d: { e: { fRef: { kind: 'A', name: 'n' } } } } } } } })).toEqual([]);
  expect(read({ spec: {}, data: 'x'.repeat(70_000) })).toBeNull();
});

it('Secrets of Certificates and issuers', () => {
  const secret = (name: string) => [{ ...none, kind: 'Secret', name }];
  expect(read({ spec: { secretName: 'web-tls' } }, 'cert-manager.io')).toEqual(secret('web-tls'));
  expect(read({ spec: { ca: { secretName: 'ca' } } }, 'cert-manager.io')).toEqual(secret('ca'));
  expect(read({ spec: { secretName: 'web-tls' } })).toEqual([]);
});

it('tells texts that may be names, of a small resource all of them', () => {
  const spec = {
    secret: 'db',
    image: 'nginx:1.27',
    size: 3,
    members: ['cart', { name: 'pay.shop' }],
    a: 'X',
    b: 'Upper',
  };
  expect(said({ spec })?.names).toEqual(['db', 'cart', 'pay.shop']);
  expect(said({ spec: { names: Array.from({ length: 40 }, (_, i) => `name-${i}`) } })?.names).toHaveLength(16);
});
