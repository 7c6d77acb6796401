import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../../../test/kit/fixtures.js';
import { type AddressClaim, claimsOf, mayClaimAddresses } from './address-claims.js';

type Encoding = 'protobuf' | 'json' | 'yaml' | 'cbor';

/** Made by k8s.io/apimachinery: see fixtures/objects/README.md. */
const OBJECTS = fixtureLines<Record<Encoding | 'name', string>>('objects/encodings.jsonl');

const json = (object: object): Uint8Array => Buffer.from(JSON.stringify(object));
const read = (object: { apiVersion: string; kind: string }): readonly AddressClaim[] =>
  claimsOf(json(object), 'application/json', object.apiVersion, object.kind);

describe.each(['protobuf', 'json', 'yaml', 'cbor'] as const)('of %s', (encoding) => {
  it('a Pod has its address', () => {
    const row = OBJECTS.find(({ name }) => name === 'pod')!;
    const { metadata, status } = JSON.parse(Buffer.from(row.json, 'base64').toString()) as {
      metadata: Record<string, string>;
      status: Record<string, string>;
    };
    const facts = claimsOf(Buffer.from(row[encoding], 'base64'), `application/${encoding}`, 'v1', 'Pod');
    expect(facts).toEqual([
      {
        kind: 'Pod',
        object: { namespace: metadata['namespace'], name: metadata['name'], uid: metadata['uid'] },
        addresses: [status['podIP']],
        hosts: status['hostIP'] === undefined ? [] : [status['hostIP']],
        created: Date.parse(metadata['creationTimestamp']) / 1000,
        ended: false,
      },
    ]);
  });
});

/** 648 objects made by k8s.io/api, up to a half of their fields zero. */
const ORACLE = fixtureLines<{ pb: string; json: { apiVersion: string; kind: string } }>(
  'objects/zero-values.jsonl',
).filter(({ json: object }) => mayClaimAddresses(object.apiVersion, object.kind));

describe('of made-up objects', () => {
  it('protobuf has the same as JSON', () => {
    const kinds = new Set(ORACLE.map(({ json: object }) => object.kind));
    for (const kind of ['Pod', 'Service', 'EndpointSlice', 'Node']) expect(kinds).toContain(kind);
    for (const { pb, json: object } of ORACLE) {
      const type = 'application/vnd.kubernetes.protobuf';
      const facts = claimsOf(Buffer.from(pb, 'base64'), type, object.apiVersion, object.kind);
      expect(facts, object.kind).toEqual(read(object));
    }
  });
});

describe('claims of objects', () => {
  const pod = (spec: object, status: object) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec,
    status,
  });

  it('a Pod has the addresses of both families', () => {
    const status = {
      hostIP: '192.0.2.11',
      podIP: '198.18.0.2',
      podIPs: [{ ip: '198.18.0.2' }, { ip: '2001:db8:1::2' }],
    };
    expect(read(pod({}, status))).toMatchObject([
      { addresses: ['198.18.0.2', '2001:db8:1::2'], hosts: ['192.0.2.11'] },
    ]);
  });

  it('a Pod of its host’s network has none of its own', () => {
    const status = {
      hostIP: '192.0.2.11',
      podIP: '192.0.2.11',
      podIPs: [{ ip: '192.0.2.11' }, { ip: '2001:db8::11' }],
    };
    expect(read(pod({ hostNetwork: true }, status))).toMatchObject([
      { addresses: [], hosts: ['192.0.2.11', '2001:db8::11'] },
    ]);
  });

  it('a Pod that ended gives them back', () => {
    expect(read(pod({}, { phase: 'Succeeded', podIP: '198.18.0.2' }))).toMatchObject([{ ended: true }]);
    expect(read(pod({}, { phase: 'Running', podIP: '198.18.0.2' }))).toMatchObject([{ ended: false }]);
  });

  it('a Service has cluster addresses, and those of its load balancer; a headless one has none', () => {
    const service = (spec: object, status = {}) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      spec,
      status,
    });
    const both = { clusterIP: '203.0.113.33', clusterIPs: ['203.0.113.33', '2001:db8:2::33'] };
    const balanced = { loadBalancer: { ingress: [{ ip: '192.0.2.200' }, { hostname: 'a.example' }] } };
    expect(read(service(both, balanced))).toMatchObject([
      { addresses: ['203.0.113.33', '2001:db8:2::33', '192.0.2.200'] },
    ]);
    expect(read(service({ clusterIP: 'None', clusterIPs: ['None'] }))).toMatchObject([{ addresses: [] }]);
  });

  it('an EndpointSlice has claims for Pods, and not for other endpoints', () => {
    const endpoints = [
      { addresses: ['198.18.0.2'], targetRef: { kind: 'Pod', namespace: 'default', name: 'a', uid: 'u' } },
      { addresses: ['192.0.2.10'] },
      { addresses: ['198.18.0.9'], targetRef: { kind: 'Node', name: 'node-1' } },
    ];
    expect(read({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', endpoints } as never)).toMatchObject([
      { endpoints: [{ addresses: ['198.18.0.2'], pod: { namespace: 'default', name: 'a', uid: 'u' } }] },
    ]);
  });

  it('lists have the claims of each object', () => {
    const items = [pod({}, { podIP: '198.18.0.2' }), pod({}, { podIP: '198.18.0.3' })];
    const facts = read({ apiVersion: 'v1', kind: 'PodList', items } as never);
    expect(facts.map((fact) => (fact.kind === 'Pod' ? fact.addresses : []))).toEqual([['198.18.0.2'], ['198.18.0.3']]);
  });

  it('kinds of the same name in other groups have none', () => {
    expect(mayClaimAddresses('serving.knative.dev/v1', 'Service')).toBe(false);
    expect(mayClaimAddresses('metrics.k8s.io/v1beta1', 'NodeList')).toBe(false);
    expect(mayClaimAddresses('v1', 'constructor')).toBe(false);
  });

  it('cut and broken bytes are read as far as they go', () => {
    const whole = json(pod({}, { podIP: '198.18.0.2' }));
    for (let end = 0; end <= whole.length; end++) claimsOf(whole.subarray(0, end), 'application/json', 'v1', 'Pod');
    const row = OBJECTS.find(({ name }) => name === 'pod')!;
    const bytes = Buffer.from(row.protobuf, 'base64');
    for (let end = 0; end <= bytes.length; end++) {
      const facts = claimsOf(bytes.subarray(0, end), 'application/vnd.kubernetes.protobuf', 'v1', 'Pod');
      expect(facts.length).toBeLessThanOrEqual(1);
    }
  });
});
