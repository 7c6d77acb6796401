import { describe, expect, it } from 'vitest';
import { redactCommand } from '../commands.js';
import { shownPlainWord } from '../names.js';
import { redactTarget } from '../target.js';
import { isPlainWord } from './plain-word.js';

describe('a word that people write', () => {
  it.each([
    'kube-state-metrics',
    'grafana',
    'cockroach',
    'zookeeper',
    'HTTPRoute',
    'FailedCreatePodSandBox',
    'OOMKilled',
    'python3.11',
    '2026-11-24',
    'v1beta1',
  ])('is %s', (word) => expect(isPlainWord(word)).toBe(true));

  it.each([
    'WDJB-MJHT',
    'sggn-yxth-rkxk-ixnf',
    'ab12-cd34-ef56-gh78',
    'fkviyuhpprmala',
    'RxyjcHUdcUqlFUHujdNP',
    'GXWfGJnA',
    'Summer2026',
  ])('is not %s', (word) => expect(isPlainWord(word)).toBe(false));
});

describe('arbitrary segments and values', () => {
  it('is no program', () => {
    expect(redactCommand(['ghp_abCdEfGhIjKlMnOpQrStUvWxYz', 'x'], true)).toEqual(['…', '(1 argument)']);
    expect(redactCommand(['/opt/Summer2026/run'], true)).toEqual(['…']);
    expect(redactCommand(['/usr/bin/python3.11', '-c', 'x'], true)).toEqual(['/usr/bin/python3.11', '(2 arguments)']);
  });

  it('is no method or type', () => {
    expect(shownPlainWord('RunPodSandbox')).toBe('RunPodSandbox');
    expect(shownPlainWord('etcdserverpb.KV')).toBe('etcdserverpb.KV');
    expect(shownPlainWord('ghp_abCdEfGhIj1234567890')).toBe('…');
  });

  it.each([
    ['login;x7Kq2pTz9', '…'],
    ['urn:x:dop_v1_1ccdfd4eecfb3cfba3438f41', '…'],
    ['h/081fa2d1-6546-4ef7-aa9c-8d7d3985e556', 'h/…'],
    ['login/form', 'login/form'],
    ['api.example:6443', 'api.example:6443'],
    ['*', '*'],
  ])('is no reference: %s', (target, out) => expect(redactTarget(target, 'http')).toBe(out));

  it.each([
    ['/api/webhooks/123456789012345678/x7Kq2pTz9', '/api/webhooks/…/…'],
    ['/api/v1/keys/Berlin2022etp', '/api/v1/keys/…'],
    ['/apis/foo/v1/x7Kq2pTz9/bar', '/apis/foo/v1/…/bar'],
    ['/api/v1/pods;jsessionid=x7Kq2pTz9', '/api/v1/…'],
    ['/api/v1/namespaces/shop/pods/web-7f9c4', '/api/v1/namespaces/shop/pods/web-7f9c4'],
    ['/apis/example.com/v1/things/a1b2c3d4', '/apis/example.com/v1/things/a1b2c3d4'],
    ['/apis/apps/v1/deployments', '/apis/apps/v1/deployments'],
    ['/api/v1/pods?ghp_abCdEfGhIj1234567890=1', '/api/v1/pods?REDACTED=REDACTED'],
  ])('is no name of the API: %s', (target, out) => expect(redactTarget(target, 'kubernetes')).toBe(out));
});
