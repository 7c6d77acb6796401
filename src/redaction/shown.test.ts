import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactField } from './fields.js';
import { redactTarget } from './text.js';

describe('values of query parameters', () => {
  it.each([
    // k8s.io/apimachinery and k8s.io/api: what an API server knows.
    '/api/v1/namespaces/default/pods?fieldSelector=spec.nodeName%3Dnode-1&watch=true&resourceVersion=712&limit=500',
    '/apis/apps/v1/namespaces/default/deployments/web?fieldManager=kubectl-client-side-apply&force=true&dryRun=All',
    '/api/v1/namespaces/default/pods/web/log?container=app&follow=true&tailLines=10',
    'https://192.0.2.10:6443/api/v1/pods?labelSelector=app%3Dweb',
    '/containerLogs/default/web/app?follow=true',
    '/v2/library/nginx/tags/list?n=10&last=1.27',
    '/v1.41/containers/web/logs?stdout=1&follow=1&tail=all',
    '/validate?timeout=10s',
  ])('%s: shown', (target) => expect(redactTarget(target)).toBe(target));

  it.each([
    ['/api/v1/pods?api_key=abc', '/api/v1/pods?api_key=REDACTED'],
    ['/api/v1/pods?continue=eyJydiI6MX0', '/api/v1/pods?continue=(11 characters)'],
    [
      '/api/v1/namespaces/default/services/web:80/proxy/login?user=me&limit=5',
      '/api/v1/namespaces/default/services/web:80/proxy/login?user=REDACTED&limit=REDACTED',
    ],
    ['/api/v1/nodes/node-1/proxy/run?limit=5', '/api/v1/nodes/node-1/proxy/run?limit=REDACTED'],
    ['/?q=secret&limit=5', '/?q=REDACTED&limit=REDACTED'],
    [
      '/v2/x/blobs/sha256:0?X-Amz-Signature=ab&X-Amz-Security-Token=cd',
      '/v2/x/blobs/sha256:0?X-Amz-Signature=REDACTED&X-Amz-Security-Token=REDACTED',
    ],
    ['https://bucket.example/x?sig=ab&se=2026', 'https://bucket.example/x?sig=REDACTED&se=REDACTED'],
    ['/v1.41/build?remote=https%3A%2F%2Fexample&t=web', '/v1.41/build?remote=REDACTED&t=web'],
    ['/x?jwt&pass=', '/x?jwt&pass='],
  ])('%s', (target, expected) => expect(redactTarget(target)).toBe(expected));

  it('what stands behind a name of nobody’s is not shown, wherever it is sent', () => {
    const path = fc.constantFrom(
      '/',
      '/api/v1/pods',
      '/apis/example.com/v1/things',
      '/v2/x',
      '/v1.41/containers/json',
      '/exec/a/b/c',
      '/login',
    );
    fc.assert(
      fc.property(path, fc.stringMatching(/^[a-z_]{1,12}$/), (where, name) => {
        expect(redactTarget(`${where}?own${name}=canary4711&watch=1`)).not.toContain('canary4711');
      }),
    );
  });
});

describe('values of header fields', () => {
  it.each([
    ['Content-Type', 'application/json'],
    ['Audit-Id', '1e7d6b0c-8b1e-4b77-8d5c-6f3f5f7a1c2d'],
    ['user-agent', 'kubectl/v1.34.4 (linux/amd64) kubernetes/0123456'],
    ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['grpc-status', '0'],
    ['Location', '/v2/library/nginx/blobs/uploads/7'],
  ])('%s: shown', (name, value) => expect(redactField(name, value)).toBe(value));

  it.each(['X-Tenant', 'X-Custom', 'Authorization', 'CF-Access-Client-Id', 'X-Vault-Wrap-TTL', 'Basic-Realm', 'DPoP'])(
    '%s: its name alone',
    (name) => expect(redactField(name, 'canary4711')).toBe('REDACTED'),
  );

  it('a presigned URL to which somebody is sent loses what signs it', () => {
    expect(redactField('Location', 'https://bucket.example/sha256/0?X-Amz-Signature=ab')).toBe(
      'https://bucket.example/sha256/0?X-Amz-Signature=REDACTED',
    );
  });
});
