import { describe, expect, it } from 'vitest';
import type { RequestHead } from '../../http/http-event.js';
import { serverRoles } from './server-roles.js';

const POD = { address: '198.18.0.2', port: 8080 };
const SERVER = { address: '192.0.2.10', port: 8080 };
const asks = (target: string, ...fields: string[]): RequestHead => ({
  kind: 'request-head',
  version: '1.1',
  method: 'GET',
  target,
  fields,
  partial: [],
});

const HOST = { address: '192.0.2.10', port: 9100 };
const DOCKER = { address: '192.0.2.10', port: 2375 };
const KUBECTL = ['User-Agent', 'kubectl/v1.34.4 (linux/amd64) kubernetes/ae3f3b3'];
const OTHER = { protocol: 'http', component: null };

describe('what everybody serves', () => {
  const atPods = () => serverRoles((address) => address === POD.address);

  it.each(['/healthz', '/metrics', '/version', '/livez?verbose', '/info', '/events', '/api', '/api/v1?x=y'])(
    '%s shows nothing of a Pod, nor of a port without a role',
    (target) => {
      expect(atPods().classify(asks(target), POD)).toEqual(OTHER);
      expect(atPods().classify(asks(target), HOST)).toEqual(OTHER);
      // A node's health is asked for, a server is scraped, whatever it is.
      for (const agent of ['kube-probe/1.34', 'Prometheus/2.53.0', 'Go-http-client/1.1'])
        expect(atPods().classify(asks(target, 'User-Agent', agent), HOST)).toEqual(OTHER);
    },
  );

  it.each(['/healthz', '/metrics', '/version', '/livez?verbose', '/api', '/api/v1?x=y', '/openid/v1/jwks'])(
    "%s is an API server's on its customary port, or where its clients request it",
    (target) => {
      expect(atPods().classify(asks(target), SERVER).component).toBe('kube-apiserver');
      expect(atPods().classify(asks(target, ...KUBECTL), HOST).component).toBe('kube-apiserver');
    },
  );

  it('and of docker the same', () => {
    expect(atPods().classify(asks('/info'), DOCKER).component).toBe('docker');
    expect(atPods().classify(asks('/info', 'User-Agent', 'Docker-Client/20.10.24 (linux)'), HOST).component).toBe(
      'docker',
    );
    expect(atPods().classify(asks('/v1.41/info'), HOST).component).toBe('docker');
  });

  it('a Pod that serves an API is an API server, and then all of its paths are', () => {
    const known = atPods();
    expect(known.classify(asks('/apis/metrics.k8s.io/v1beta1/nodes'), POD).protocol).toBe('kubernetes');
    expect(known.classify(asks('/healthz'), POD).protocol).toBe('kubernetes');
  });
});

describe('paths like those of an API server', () => {
  it.each([
    '/api/v1/query?query=up',
    '/api/v1/label/job/values',
    '/api/v2/alerts',
    '/api/dashboards/home',
    '/api/v1/podsx',
  ])("%s is another server's", (target) => {
    expect(serverRoles().classify(asks(target), HOST)).toEqual(OTHER);
  });

  it.each([
    '/api/v1/pods?watch=true',
    '/api/v1/namespaces/default/pods',
    '/api/v1/watch/pods',
    '/apis/apps/v1',
    '/openapi/v2',
  ])('%s is its own', (target) => {
    expect(serverRoles().classify(asks(target), HOST).component).toBe('kube-apiserver');
    expect(serverRoles().classify(asks(`https://192.0.2.10:9100${target}`), HOST).component).toBe('kube-apiserver');
  });

  it("a kubelet's streams are its own on any port, though docker has a path that begins like them", () => {
    expect(serverRoles().classify(asks('/exec/default/web/web?command=ls'), HOST).component).toBe('kubelet');
    expect(serverRoles().classify(asks('/exec/0123456789ab/start'), DOCKER).component).toBe('docker');
  });

  it('a member of an etcd cluster answers for its version, too', () => {
    const [known, member] = [serverRoles(), { address: '192.0.2.10', port: 12380 }];
    expect(known.classify(asks('/version'), member)).toEqual(OTHER);
    const customary = { address: '192.0.2.10', port: 2380 };
    expect(known.classify(asks('/members'), customary)).toMatchObject({ protocol: 'http', component: 'etcd' });
    for (const head of [asks('/raft/probing'), asks('/members', 'X-Server-From', 'a5fe4b7000d91599'), asks('/version')])
      expect(known.classify(head, member)).toMatchObject({ protocol: 'http', component: 'etcd' });
  });
});
