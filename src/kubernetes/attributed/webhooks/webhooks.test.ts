import { describe, expect, it } from 'vitest';
import { Configurations, WEBHOOK_CONFIGURATIONS } from './configurations.js';
import { reviewOf, verdictOf } from './review.js';

const JSON_TYPE = 'application/json';
const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const review = (more: object): Uint8Array =>
  bytes({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', ...more });

describe('webhooks have the names of their configurations', () => {
  const known = new Configurations();
  const webhook = (name: string, clientConfig: object): object => ({ name, clientConfig });
  const item = {
    webhooks: [
      webhook('by-url.example', { url: 'https://192.0.2.10:9443/validate' }),
      webhook('no-path.example', { url: 'https://hooks.example' }),
      webhook('by-service.example', { service: { name: 'hook', namespace: 'ops', path: '/mutate' } }),
      webhook('by-port.example', { service: { name: 'hook', namespace: 'ops', port: 8443 } }),
      webhook('nowhere.example', {}),
    ],
  };
  known.learn(bytes({ kind: 'ValidatingWebhookConfigurationList', items: [item] }), JSON_TYPE);

  it.each([
    ['192.0.2.10:9443', '/validate', 'by-url.example'],
    ['hooks.example', '/', 'no-path.example'],
    ['hooks.example:443', '/', 'no-path.example'],
    ['hook.ops.svc:443', '/mutate', 'by-service.example'],
    ['hook.ops.svc:8443', '/', 'by-port.example'],
    ['192.0.2.10:9443', '/other', undefined],
    ['other.example', '/', undefined],
  ])('%s %s is %s', (host, path, name) => {
    expect(known.nameAt(host, path)).toBe(name);
  });

  it('are in objects of two kinds and in their lists', () => {
    const kinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfigurationList', 'Webhook', 'ConfigMap'];
    expect(kinds.map((kind) => WEBHOOK_CONFIGURATIONS.has(kind))).toEqual([true, true, false, false]);
  });
});

describe('AdmissionReview', () => {
  it("is about the resource of the client's request", () => {
    const resource = { group: 'apps', version: 'v1', resource: 'deployments' };
    const requestResource = { group: 'apps', version: 'v1beta1', resource: 'deployments' };
    const request = {
      operation: 'UPDATE',
      resource,
      requestResource,
      subResource: 'scale',
      namespace: 'a',
      name: 'web',
      userInfo: { username: 'jane' },
    };
    expect(reviewOf(review({ request }), JSON_TYPE)).toEqual({
      operation: 'UPDATE',
      group: 'apps',
      version: 'v1beta1',
      resource: 'deployments',
      subresource: 'scale',
      namespace: 'a',
      name: 'web',
      generateName: '',
      owners: [],
      user: 'jane',
    });
  });

  it('has the prefix of a name that is to be generated, and the owners', () => {
    const metadata = { generateName: 'web-', ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'rs' }] };
    const request = { operation: 'CREATE', resource: { resource: 'pods' }, object: { metadata } };
    expect(reviewOf(review({ request }), JSON_TYPE)).toMatchObject({ name: '', generateName: 'web-', owners: ['rs'] });
  });

  it.each([
    [{ allowed: true }, { allowed: true, patches: false, operations: null, message: '' }],
    [
      { allowed: true, patch: 'W10=' },
      { allowed: true, patches: true, operations: [], message: '' },
    ],
    [
      { allowed: false, status: { message: 'no' } },
      { allowed: false, patches: false, operations: null, message: 'no' },
    ],
  ])('answers %o', (response, verdict) => {
    expect(verdictOf(review({ response }), JSON_TYPE)).toEqual(verdict);
  });

  it.each([
    ['another kind', bytes({ kind: 'Pod', request: { resource: { resource: 'pods' } }, response: { allowed: true } })],
    ['neither', review({})],
    ['words of the wrong type', review({ request: 'x', response: { allowed: 'yes' } })],
    ['no JSON', Buffer.from('{"kind":"AdmissionReview"')],
    ['nothing', new Uint8Array(0)],
  ])('%s is none', (_, body) => {
    expect([reviewOf(body, JSON_TYPE), verdictOf(body, JSON_TYPE)]).toEqual([null, null]);
  });
});
