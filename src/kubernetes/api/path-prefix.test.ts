import { describe, expect, it } from 'vitest';
import type { RequestHead } from '../../http/http-event.js';
import { MAX_PREFIX, prefixOf, prefixReader } from './path-prefix.js';

const KUBECTL = ['user-agent', 'kubectl/v1.37.2 (linux/amd64) kubernetes/abcdef0'];
const POD = '/api/v1/namespaces/shop/pods/web';

function head(target: string, fields: readonly string[] = [], method = 'GET'): RequestHead {
  return { kind: 'request-head', version: '1.1', method, target, fields, partial: [] };
}

/** Prefix and target of each, on one connection; by clients that say nothing of themselves. */
function read(...targets: readonly (string | RequestHead)[]): string[] {
  const reader = prefixReader();
  return targets.map((one) => {
    const { prefix, target } = reader(typeof one === 'string' ? head(one) : one);
    return prefix === undefined ? `${target}` : `${prefix} | ${target}`;
  });
}

describe('a path before the request', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['/k8s/clusters/c-m-abcd1234', 'Rancher cluster', 'c-m-abcd1234'],
    ['/clusters/root:org:team-a', 'kcp workspace', 'root:org:team-a'],
    ['/clusters/root%3Aorg%3Ateam-a', 'kcp workspace', 'root%3Aorg%3Ateam-a'],
    ['/clusters/*', 'kcp workspace', undefined],
    ['/services/apiexport/root:a/widgets/clusters/root:org', 'kcp workspace', 'root:org'],
    ['/clusters/host', 'cluster', 'host'],
    ['/v1/projects/123456/locations/global/gkeMemberships/prod-1', 'fleet member', 'prod-1'],
    ['/v1beta1/projects/123456/memberships/prod-1', 'fleet member', 'prod-1'],
    ['/v1/teleport/cm9vdA/cHJvZA', 'cluster behind Teleport', undefined],
    ['/api/kubernetes', 'cluster of the OpenShift console', undefined],
    ['/api/endpoints/3/kubernetes', 'Portainer environment', '3'],
    ['/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy', 'Karmada cluster', 'member1'],
    ['/apis/cluster.core.oam.dev/v1alpha1/clustergateways/edge/proxy', 'gateway cluster', 'edge'],
    ['/apis/clusterpedia.io/v1beta1/resources/clusters/one', "Clusterpedia's copy", 'one'],
    ['/api/v1/namespaces/vcluster/services/https:team-a:443/proxy', 'Service', 'vcluster/team-a'],
    ['/k8s/clusters/local/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy', 'Karmada cluster', 'member1'],
    ['/k8s-api', undefined, undefined],
    ['/some/path/of/ours', undefined, undefined],
  ])('%s', (prefix, words, name) => {
    const inner = [
      `${POD}?watch=true`,
      '/apis/apps/v1/namespaces/shop/deployments',
      '/apis/example.com/v1beta1/things',
    ];
    const fields = prefix.startsWith('/api/v1/') ? KUBECTL : [];
    expect(read(...inner.map((target) => head(prefix + target, fields)))).toEqual(
      inner.map((target) => `${prefix} | ${target}`),
    );
    expect(prefixOf(prefix)).toEqual({ words, name });
  });

  it('of an absolute-form target', () =>
    expect(read(`https://rancher.example:443/k8s/clusters/local${POD}`)).toEqual([
      `/k8s/clusters/local | https://rancher.example:443${POD}`,
    ]));

  it('discovery and versions, where nothing but an API server is behind it', () =>
    expect(
      read('/k8s/clusters/local/version?timeout=5s', '/k8s/clusters/local/apis', '/clusters/root:org/api'),
    ).toEqual([
      '/k8s/clusters/local | /version?timeout=5s',
      '/k8s/clusters/local | /apis',
      '/clusters/root:org | /api',
    ]));

  it('discovery behind a path of no known form: where the client is one of Kubernetes, or an object was requested before', () => {
    expect(read('/ours/api', head('/ours/version', KUBECTL), '/ours/api')).toEqual([
      '/ours/api',
      '/ours | /version',
      '/ours | /api',
    ]);
    expect(read('/ours/openapi/v3', `/ours${POD}`, '/ours/openapi/v3', '/theirs/openapi/v3')).toEqual([
      '/ours/openapi/v3',
      `/ours | ${POD}`,
      '/ours | /openapi/v3',
      '/theirs/openapi/v3',
    ]);
  });
});

describe('what is no request of an API server behind a path stays as it is', () => {
  it.each([
    POD,
    '/apis/apps/v1/deployments',
    '/version',
    '/apis/cluster.karmada.io/v1alpha1/clusters/member1',
    // Programs behind a Service.
    '/api/v1/namespaces/monitoring/services/prometheus:9090/proxy/api/v1/query?query=up',
    '/api/v1/namespaces/monitoring/services/prometheus:9090/proxy/metrics',
    '/api/v1/namespaces/shop/pods/web:8080/proxy/version',
    '/api/v1/nodes/node-1/proxy/pods',
    `/api/v1/namespaces/shop/services/web:80/proxy${POD}`,
    '/ours/api/v1/namespaces/Token2903/pods',
    // Other programs' APIs.
    '/grafana/api/v1/query',
    '/argo/api/v1/events/default',
    '/temporal/api/v1/namespaces/default/workflows',
    '/pipeline/apis/v1beta1/runs',
    '/discovery/v1/apis/batch/v1/rest',
    '/harbor/api/v2.0/projects',
    '/app/version',
    '/app/metrics',
    '/k8s/clusters/local/v1/pods',
    '/v2/apis/apps/v1/deployments/manifests/latest',
    // In a query.
    `/search?q=${POD}`,
    `/search?q=/k8s/clusters/local${POD}`,
    `/a#/b${POD}`,
    '*',
    '',
    '/',
  ])('%s', (target) => expect(read(target)).toEqual([target]));

  it('a path that is too long', () => {
    const long = [`/${'p'.repeat(MAX_PREFIX)}${POD}`, `/${'p/'.repeat(4096)}${POD}`];
    expect(read(...long)).toEqual(long);
  });

  it('also of a client of Kubernetes', () => {
    const targets = [
      '/api/v1/namespaces/monitoring/services/prometheus:9090/proxy/metrics',
      '/api/v1/namespaces/monitoring/services/prometheus:9090/proxy/version',
      '/api/v1/namespaces/monitoring/services/prometheus:9090/proxy/api/v1/query',
      '/token/exchange',
    ];
    expect(read(...targets.map((target) => head(target, KUBECTL)))).toEqual(targets);
  });

  it('CONNECT, and heads that were not captured', () => {
    expect(read(head(`/k8s/clusters/local${POD}`, [], 'CONNECT'))).toEqual([`/k8s/clusters/local${POD}`]);
    const lost = { ...head(''), target: null };
    expect(prefixReader()(lost)).toBe(lost);
  });
});

it('paths that lead to each other without end are read in bounded time', () => {
  const targets = ['/clusters/root', '/k8s/clusters/a', '/proxies/a', '/apis/a.b/v1/c/d/proxy', '/api/v1/pods'].map(
    (one) => one.repeat(2000),
  );
  const before = performance.now();
  for (let i = 0; i < 20; i++) read(...targets.map((target) => `${target}/${i}`));
  expect(performance.now() - before).toBeLessThan(2000);
});
