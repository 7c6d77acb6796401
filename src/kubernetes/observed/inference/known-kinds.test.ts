import { describe, expect, it } from 'vitest';
import { exchangeEventsOf, http2Connections } from '../../../../test/kit/cut-kit.js';
import { builtInResource, isBuiltInGroup } from '../../../core/api-resources.js';
import { kubernetesTable } from '../../../protobuf/tables.js';
import { isClusterScoped } from '../../api/kinds.js';
import { kindOfPlace, placeOfKind } from './known-kinds.js';
import { carryingOf, fieldsOf } from './shapes.js';

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly {
        readonly resource: string;
        readonly scope: 'Cluster' | 'Namespaced';
        readonly responseKind: { readonly kind: string };
      }[];
    }[];
  }[];
}

describe('where kinds live', () => {
  it("agrees with the API server's discovery of every resource that it serves", () => {
    const seen = new Set<string>();
    for (const event of exchangeEventsOf(http2Connections('run-nginx-tls/capture.pcap', 'run-nginx-tls/keys.log'))) {
      if (event.kind !== 'response' || !/^\/apis?$/.test(event.exchange.request?.target ?? '')) continue;
      const { bytes, contentType, carried } = carryingOf(event.body);
      if (carried?.info.kind !== 'APIGroupDiscoveryList') continue;
      for (const { metadata, versions } of (fieldsOf(bytes, contentType) as Discovery).items)
        for (const { version, resources } of versions)
          for (const { resource, responseKind, scope } of resources) {
            const apiGroup = metadata.name ?? '';
            const apiVersion = apiGroup === '' ? version : `${apiGroup}/${version}`;
            expect(isClusterScoped(resource, apiGroup)).toBe(scope === 'Cluster');
            expect(isBuiltInGroup(apiGroup)).toBe(true);
            // Events are those of the core group.
            if (apiGroup !== 'events.k8s.io') expect(builtInResource(resource)?.apiGroup).toBe(apiGroup);
            // A Binding is sent to its Pod (the collection is deprecated), a ComponentStatus is nowhere stored.
            if (responseKind.kind === 'Binding' || responseKind.kind === 'ComponentStatus') continue;
            expect(placeOfKind(apiVersion, responseKind.kind)).toEqual({ apiGroup, apiVersion: version, resource });
            expect(kindOfPlace(apiGroup, version, resource)).toEqual({ apiVersion, kind: responseKind.kind });
            seen.add(`${apiVersion} ${resource}`);
          }
    }
    expect(seen.size).toBeGreaterThan(60);
  });

  it('every kind that a resource stores is of a resource in the table', () => {
    const kinds = Object.keys(kubernetesTable().section<Record<string, string>>('gvk'));
    for (const [group, version, kind] of kinds.map((one) => one.split('/'))) {
      const place = placeOfKind(group === '' ? version : `${group}/${version}`, kind);
      if (place === null || kind.endsWith('List')) continue;
      expect(builtInResource(place.resource), place.resource).toBeDefined();
      expect(isBuiltInGroup(group), group).toBe(true);
    }
  });

  it.each([
    ['v1', 'Binding', 'pods', 'binding'],
    ['policy/v1', 'Eviction', 'pods', 'eviction'],
    ['authentication.k8s.io/v1', 'TokenRequest', 'serviceaccounts', 'token'],
  ])('%s %s goes to a subresource', (apiVersion, kind, resource, subresource) => {
    expect(placeOfKind(apiVersion, kind)).toEqual({ apiGroup: '', apiVersion: 'v1', resource, subresource });
    expect(kindOfPlace('', 'v1', resource, subresource)).toEqual({ apiVersion, kind });
  });

  it.each([
    ['example.com/v1', 'Widget'],
    ['v1', 'Widget'],
    ['apps/v9', 'Deployment'],
    ['v1', 'Status'],
    ['v1', 'DeleteOptions'],
    ['autoscaling/v1', 'Scale'],
    ['meta.k8s.io/v1', 'PartialObjectMetadata'],
    ['v1', 'constructor'],
  ])('%s %s: no resource is made up', (apiVersion, kind) => {
    expect(placeOfKind(apiVersion, kind)).toBeNull();
  });

  it.each([
    ['', 'v1', 'pods', 'status', 'Pod'],
    ['apps', 'v1', 'deployments', undefined, 'Deployment'],
    ['', 'v1', 'pods', 'exec', undefined],
    ['apps', 'v1', 'deployments', 'scale', undefined],
    ['example.com', 'v1', 'widgets', undefined, undefined],
    ['', 'v1', 'constructor', undefined, undefined],
  ])('%s/%s %s %s takes %s', (group, version, resource, subresource, kind) => {
    expect(kindOfPlace(group, version, resource, subresource)?.kind).toBe(kind);
  });
});
