import { describe, expect, it } from 'vitest';
import { redactionOf } from '../../redaction/redaction.js';
import { eventLabel, requestLabel, responseLabel } from './labels.js';

describe('labels, in the words of the article', () => {
  it.each([
    [
      'POST',
      '/api/v1/namespaces/default/pods?fieldManager=kubectl-run',
      'nginx',
      '[REQ] POST /api/v1/namespaces/default/pods - nginx',
    ],
    [
      'POST',
      '/api/v1/namespaces/default/pods/nginx/binding',
      undefined,
      '[REQ] POST /api/v1/namespaces/default/pods/nginx/binding',
    ],
    [
      'GET',
      '/api/v1/pods?allowWatchBookmarks=true&fieldSelector=spec.nodeName%3Dnode-1&resourceVersion=1&timeoutSeconds=37&watch=true',
      undefined,
      '[REQ] GET /api/v1/pods?watch=true&fieldSelector=spec.nodeName=node-1',
    ],
    [
      'GET',
      '/api/v1/pods?labelSelector=app%3Dweb&limit=500',
      undefined,
      '[REQ] GET /api/v1/pods?labelSelector=app=web',
    ],
    ['DELETE', '/api/v1/pods?dryRun=All&broken=%zz', undefined, '[REQ] DELETE /api/v1/pods?dryRun=All'],
  ])('%s %s', (method, target, name, label) =>
    expect(requestLabel(method, redactionOf({ secrets: true }).target(target, 'kubernetes'), name)).toBe(label),
  );

  it('answers carry the standard reason, for HTTP/2 too', () => {
    expect(responseLabel(201, false)).toBe('[RESP] 201 Created');
    expect(responseLabel(200, true)).toBe('[RESP] 200 OK, chunked, wait for chunks...');
    expect(responseLabel(410, true)).toBe('[RESP] 410 Gone');
    expect(responseLabel(299, false)).toBe('[RESP] 299');
  });

  it('events carry kind, type and name, with the namespace outside of default', () => {
    expect(eventLabel('ADDED', { kind: 'Pod', namespace: 'default', name: 'nginx' }, undefined)).toBe(
      '[RESP-CHUNK] Pod ADDED - nginx',
    );
    expect(eventLabel('MODIFIED', { kind: 'Lease', namespace: 'kube-system', name: 'x' }, undefined)).toBe(
      '[RESP-CHUNK] Lease MODIFIED - kube-system/x',
    );
    expect(eventLabel('ADDED', { kind: 'Node', namespace: null, name: 'node-1' }, undefined)).toBe(
      '[RESP-CHUNK] Node ADDED - node-1',
    );
    expect(
      eventLabel('MODIFIED', { kind: 'Table', name: null, row: { namespace: 'shop', name: 'web' } }, undefined),
    ).toBe('[RESP-CHUNK] Table MODIFIED - shop/web');
    expect(eventLabel('BOOKMARK', { kind: 'Pod', name: null }, undefined)).toBe('[RESP-CHUNK] Pod BOOKMARK');
    expect(eventLabel('ERROR', { kind: 'Status' }, 'Expired')).toBe('[RESP-CHUNK] Status ERROR - Expired');
  });
});
