import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Api } from './parameters.js';
import { redactTarget } from './target.js';

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
const POD = '/api/v1/namespaces/default/pods/web';

it('shows no number that is no port beside a host', () => {
  expect(redactTarget('https://example:65535/api', 'http')).toBe('https://example:65535/api');
  for (const port of ['65536', '80211', '99999']) {
    const once = redactTarget(`https://example:${port}/api`, 'http');
    expect([once, redactTarget(once, 'http')]).toEqual(['https://…/api', 'https://…/api']);
    expect(redactTarget(`example:${port}`, 'http')).toBe('…');
  }
});

describe('targets of which nothing is hidden', () => {
  it.each<[Api, string]>([
    // k8s.io/apimachinery and k8s.io/api: what an API server knows.
    [
      'kubernetes',
      '/api/v1/namespaces/default/pods?fieldSelector=spec.nodeName%3Dnode-1&watch=true&resourceVersion=712&limit=500',
    ],
    [
      'kubernetes',
      '/apis/apps/v1/namespaces/default/deployments/web?fieldManager=kubectl-client-side-apply&force=true&dryRun=All',
    ],
    ['kubernetes', `${POD}/log?container=app&follow=true&tailLines=10`],
    ['kubernetes', 'https://192.0.2.10:6443/api/v1/pods?labelSelector=app%3Dweb'],
    ['kubernetes', '/api/v1/pods?labelSelector=app%3Dweb%2Ctier+in+%28a%29'],
    ['kubernetes', '/api/v1/namespaces/kube-system/services/https:metrics-server:443/proxy/'],
    ['kubernetes', '/openapi/v3/apis/apps/v1?hash=0A1B2C'],
    // The examples of ListOptions.shardSelector (k8s.io/apimachinery 0.37, pkg/apis/meta/v1/types.go).
    [
      'kubernetes',
      '/api/v1/pods?watch=true&shardSelector=shardRange%28object.metadata.uid%2C+%270x0%27%2C+%270x8000000000000000%27%29',
    ],
    ['kubernetes', '/livez?exclude=etcd&verbose=true'],
    ['kubernetes', '/apis/metrics.k8s.io/v1beta1/nodes'],
    ['kubernetes', '/debug/pprof/profile'],
    ['kubelet', '/containerLogs/default/web-5d8c7b9f4-x2x1z/app?follow=true'],
    ['kubelet', '/exec/default/web/app?command=ls&input=1&output=1'],
    ['registry', '/v2/library/nginx/tags/list?n=10&last=1.27'],
    ['registry', `/v2/library/nginx/blobs/sha256:${'0a'.repeat(32)}`],
    ['registry', '/token?service=registry.example&scope=repository%3Alibrary%2Fnginx%3Apull'],
    ['docker', '/v1.41/containers/0a1b2c3d4e5f/logs?stdout=1&follow=1&tail=all'],
    ['docker', '/v1.41/images/create?fromImage=nginx&tag=1.27'],
    ['http', '/validate?timeout=10s'],
    ['http', '/mutate-apps-v1-deployment?timeout=10s'],
    ['http', '/api/items/42'],
    ['etcd', '/etcdserverpb.KV/Txn'],
    ['cri', '/runtime.v1.RuntimeService/RunPodSandbox'],
    ['http', '192.0.2.1:6443'],
    ['http', '*'],
    ['http', '/x?debug&page='],
  ])('%s: %s', (api, target) => expect(redactTarget(target, api)).toBe(target));
});

describe('values of query parameters', () => {
  it.each<[Api, string, string]>([
    ['kubernetes', '/api/v1/pods?token=abc&watch=1', '/api/v1/pods?token=REDACTED&watch=1'],
    ['kubernetes', '/api/v1/pods?%74oken=abc', '/api/v1/pods?%74oken=REDACTED'],
    ['kubernetes', '/api/v1/pods?%74oken=100%', '/api/v1/pods?%74oken=REDACTED'],
    ['kubernetes', '/api/v1/pods?api_key=abc', '/api/v1/pods?api_key=REDACTED'],
    ['kubernetes', '/api/v1/pods?continue=eyJydiI6MX0', '/api/v1/pods?continue=(11 characters)'],
    // The name of a parameter, and no value of its kind.
    ['kubernetes', '/api/v1/pods?limit=canary4711', '/api/v1/pods?limit=REDACTED'],
    ['kubernetes', '/api/v1/pods?watch=canary', '/api/v1/pods?watch=REDACTED'],
    // Another path's.
    ['kubernetes', '/api/v1/pods?container=app', '/api/v1/pods?container=REDACTED'],
    ['kubernetes', `/api/v1/pods?x=${JWT}`, '/api/v1/pods?x=REDACTED'],
    [
      'kubernetes',
      '/api/v1/namespaces/default/services/web:80/proxy/login?user=me&limit=5',
      '/api/v1/namespaces/default/services/web:80/proxy/login?user=REDACTED&limit=REDACTED',
    ],
    ['kubernetes', '/api/v1/nodes/node-1/proxy/run?limit=5', '/api/v1/nodes/node-1/proxy/run?limit=REDACTED'],
    ['http', '/?q=secret&limit=5', '/?q=REDACTED&limit=REDACTED'],
    // What looks like an API, and is a Pod's own server.
    ['http', '/api/v1/pods?fieldManager=canary4711', '/api/v1/pods?fieldManager=REDACTED'],
    ['http', '/x?timeout=canary4711', '/x?timeout=REDACTED'],
    ['http', '/x?jwt&pass=', '/x?jwt&pass='],
    ['http', '/x?kq8fz01mmQ', '/x?REDACTED'],
    ['http', '/x#access_token=abc', '/x#REDACTED'],
    ['http', 'https://bucket.example/x?sig=ab&se=2026', 'https://bucket.example/x?sig=REDACTED&se=REDACTED'],
    ['http', '/x?redirect=https%3A%2F%2Fx%2F%3Ftoken%3Dabc', '/x?redirect=REDACTED'],
    ['http', '/x?env=API_KEY%3Dabc', '/x?env=API_KEY%3DREDACTED'],
    [
      'registry',
      `/v2/x/blobs/sha256:0?X-Amz-Signature=ab&X-Amz-Security-Token=cd`,
      `/v2/x/blobs/sha256:0?X-Amz-Signature=REDACTED&X-Amz-Security-Token=REDACTED`,
    ],
    ['registry', '/token?account=me&offline_token=true', '/token?account=REDACTED&offline_token=true'],
    ['docker', '/v1.41/build?remote=https%3A%2F%2Fexample&t=web', '/v1.41/build?remote=REDACTED&t=REDACTED'],
    ['docker', '/v1.41/build?buildargs=%7B%22A%22%3A%22b%22%7D&q=1', '/v1.41/build?buildargs=REDACTED&q=1'],
    ['http', 'http://user:pass@192.0.2.1/api', 'http://REDACTED@192.0.2.1/api'],
    ['http', 'user:pw@192.0.2.1:6443', 'REDACTED@192.0.2.1:6443'],
  ])('%s: %s', (api, target, expected) => expect(redactTarget(target, api)).toBe(expected));

  it('values of unknown parameters are hidden in every API', () => {
    const api = fc.constantFrom<Api>('kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc');
    const path = fc.constantFrom(
      '/',
      '/api/v1/pods',
      `${POD}/exec`,
      '/v2/x',
      '/v1.41/containers/json',
      '/exec/a/b/c',
      '/login',
    );
    fc.assert(
      fc.property(api, path, fc.stringMatching(/^[a-z_]{1,12}$/), (by, where, name) => {
        expect(redactTarget(`${where}?own${name}=canary4711&watch=1`, by)).not.toContain('canary4711');
      }),
    );
  });
});

describe('commands', () => {
  it.each<[string, string]>([
    ['command=ls', 'command=ls'],
    ['command=sh&command=-c&command=echo+%24TOKEN', 'command=sh%20(2%20arguments)'],
    [
      'container=app&command=mysql&command=-phunter2&stdin=true',
      'container=app&command=mysql%20(1%20argument)&stdin=true',
    ],
    [
      'command=%2Fusr%2Flocal%2Fbin%2Fpython3.11&command=x',
      'command=%2Fusr%2Flocal%2Fbin%2Fpython3.11%20(1%20argument)',
    ],
    ['command=A%3Dcanary4711+env', 'command=%E2%80%A6'],
    ['command=sh%20(2%20arguments)', 'command=sh%20(2%20arguments)'],
    ['env=TOKEN%3Dabc&command=sh', 'env=TOKEN%3DREDACTED&command=sh'],
  ])('%s', (query, expected) => {
    expect(redactTarget(`${POD}/exec?${query}`, 'kubernetes')).toBe(`${POD}/exec?${expected}`);
  });

  it('are shown on request, except what looks like a credential', () => {
    const target = `${POD}/exec?command=curl&command=-u&command=me%3Ahunter2`;
    expect(redactTarget(target, 'kubernetes', true)).toBe(target);
    expect(redactTarget(`${POD}/exec?command=Authorization%3A+Bearer+abcdefgh1`, 'kubernetes', true)).toBe(
      `${POD}/exec?command=Authorization%3A+Bearer REDACTED`,
    );
  });
});

describe('paths', () => {
  it.each<[Api, string, string]>([
    [
      'kubernetes',
      '/api/v1/namespaces/default/services/web/proxy/reset/kq8fz01mmQ',
      '/api/v1/namespaces/default/services/web/proxy/reset/…',
    ],
    ['kubernetes', '/api/v1/nodes/node-1/proxy/logs/canary4711.log', '/api/v1/nodes/node-1/proxy/logs/…'],
    ['kubernetes', '/reset/kq8fz01mmQ', '/reset/…'],
    ['http', '/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage', '/…/sendMessage'],
    ['http', '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX', '/services/…/…/…'],
    ['http', `/verify/${JWT}`, '/verify/REDACTED'],
    ['http', '/users/1234567890123/profile', '/users/…/profile'],
    ['http', '/a%2Fcanary', '/…'],
    ['registry', '/v2/x/blobs/uploads/kq8fz01mmQ?_state=abc', '/v2/x/blobs/uploads/…?_state=REDACTED'],
    ['cri', '/exec/AbCd_f12', '/exec/REDACTED'],
    ['cri', 'http://Bearer @192.0.2.1/exec/AbCd_f12', 'http://REDACTED@192.0.2.1/exec/REDACTED'],
    ['kubelet', '/logs/canary4711.log', '/logs/…'],
  ])('%s: %s', (api, target, expected) => expect(redactTarget(target, api)).toBe(expected));
});

it('twice changes nothing more', () => {
  const piece = fc.constantFrom(
    ...[
      '/',
      '?',
      '&',
      '=',
      '%',
      '%20',
      '+',
      '#',
      '@',
      '://',
      'command',
      'env',
      'watch',
      'continue',
      'proxy',
      '/api/v1/pods',
      '/exec/',
      'abcdefgh',
    ],
    ...['kq8fz01mmQ', JWT, 'Bearer ', 'token=', 'A=b', 'REDACTED', '…', ' ', '\ud800', 'x'],
  );
  const api = fc.constantFrom<Api>('kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), api, fc.boolean(), (pieces, by, commands) => {
      const once = redactTarget(pieces.join(''), by, commands);
      expect(redactTarget(once, by, commands)).toBe(once);
    }),
    { numRuns: 5000 },
  );
});
