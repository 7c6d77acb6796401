import { describe, expect, it } from 'vitest';
import { redactionOf } from './redaction.js';
import { REDACTED as R } from './shown.js';

const { field } = bound();

function bound() {
  const redaction = redactionOf();
  return { field: (name: string, value: string, isTold?: boolean) => redaction.field(name, value, isTold) };
}

describe('header fields', () => {
  it.each([
    ['Content-Type', 'application/json'],
    ['content-type', 'application/vnd.kubernetes.protobuf;stream=watch'],
    ['Accept', 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'],
    ['Accept-Language', 'en-US,en;q=0.9'],
    ['Accept', 'application/vnd.oci.image.index.v1+json, */*;q=0.8'],
    ['Date', 'Sat, 21 Nov 2026 04:13:27 GMT'],
    ['Range', 'bytes=0-1023'],
    ['Cache-Control', 'no-cache, private, max-age=31536000'],
    ['Server', 'nginx/1.27.0'],
    ['Content-Type', 'application/vnd.docker.distribution.manifest.list.v2+json'],
    ['Content-Type', 'application/apply-patch+yaml; charset=utf-8'],
    ['Content-Range', 'bytes 0-1023/4096'],
    ['Audit-Id', '1e7d6b0c-8b1e-4b77-8d5c-6f3f5f7a1c2d'],
    ['Kubectl-Session', '1e7d6b0c-8b1e-4b77-8d5c-6f3f5f7a1c2d'],
    ['Kubectl-Command', 'kubectl run'],
    ['Impersonate-User', 'system:serviceaccount:default:builder'],
    ['user-agent', 'kubectl/v1.34.4 (linux/amd64) kubernetes/0123456'],
    ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['grpc-status', '0'],
    ['grpc-timeout', '1000000u'],
    ['Sec-WebSocket-Protocol', 'v5.channel.k8s.io, v4.channel.k8s.io'],
    ['WWW-Authenticate', 'Basic realm="Registry Realm"'],
    [
      'WWW-Authenticate',
      'Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull"',
    ],
    ['Location', '/v2/library/nginx/blobs/uploads/'],
  ])('%s: %s, shown', (name, value) => expect(field(name, value)).toBe(value));

  it.each([
    ['Authorization', 'Bearer x', R],
    ['cookie', 'a=b', R],
    ['X-Remote-Extra-Scopes', 'x', R],
    ['X-Registry-Auth', 'e30=', R],
    ['X-Vault-Token', 'x', R],
    ['X-Tenant', 'canary4711', R],
    ['CF-Access-Client-Id', 'canary4711', R],
    ['X-Vault-Wrap-TTL', 'canary4711', R],
    ['DPoP', 'canary4711', R],
    ['tracestate', 'vendor=canary4711', R],
    // A name of the list, and no value of its kind.
    ['Vary', 'kq8fz01mmQ', R],
    ['Server', 'kq8fz01mmQ', R],
    ['Cache-Control', 'ext="kq8fz01mmQ"', R],
    ['Content-Length', 'canary4711', R],
    ['Audit-Id', 'canary 4711', R],
    ['Etag', '"0a1b2c"', R],
    ['Accept-Language', 'canary4711', R],
    ['Retry-After', '4279403998259144', R],
    ['X-Request-Id', 'canary-4711', R],
    ['Docker-Upload-Uuid', 'canary.4711', R],
    ['User-Agent', 'app/1.0 canary4711', 'app/1.0 …'],
    [
      'Sec-WebSocket-Protocol',
      'base64url.bearer.authorization.k8s.io.abc, v5.channel.k8s.io',
      `base64url.bearer.authorization.k8s.io.${R}, v5.channel.k8s.io`,
    ],
    ['Location', '/x?token=abc', `/x?token=${R}`],
    [
      'Location',
      'https://bucket.example/x/canary4711?X-Amz-Signature=ab',
      `https://bucket.example/x/…?X-Amz-Signature=${R}`,
    ],
    ['Referer', 'https://me:pw@host.example/', `https://${R}@host.example/`],
    ['X-Forwarded-Uri', '/x?password=abc', `/x?password=${R}`],
    ['WWW-Authenticate', 'Digest realm="x", nonce="canary4711"', `Digest realm="x", nonce="${R}"`],
    ['WWW-Authenticate', 'Negotiate Y2FuYXJ5NDcxMQ==', R],
    ['Host', 'me:pw@192.0.2.1', `${R}@192.0.2.1`],
    [':authority', 'me:pw@192.0.2.1', `${R}@192.0.2.1`],
    ['Warning', '299 - "x"', R],
    ['grpc-message', 'x', R],
  ])('%s: %s', (name, value, expected) => expect(field(name, value)).toBe(expected));

  it('are shown once more as they were', () => {
    const value = 'Bearer realm="https://auth.example/canary4711",service="x",error_description="y z"';
    const once = field('WWW-Authenticate', value);
    expect(once).toBe(`Bearer realm="https://auth.example/…",service="x",error_description="${R}"`);
    expect(field('WWW-Authenticate', once)).toBe(once);
  });
});
