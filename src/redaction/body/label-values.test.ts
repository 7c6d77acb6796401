import { describe, expect, it } from 'vitest';
import { isLabelShown, shownSelector } from './label-values.js';

describe('values of labels', () => {
  it.each([
    ['app', 'web'],
    ['pod-template-hash', '64c966cf88'],
    ['kubernetes.io/metadata.name', 'kube-system'],
    ['batch.kubernetes.io/controller-uid', '1e7d6b0c-8b1e-4b77-8d5c-6f3f5f7a1c2d'],
    ['io.kubernetes.pod.uid', '1e7d6b0c-8b1e-4b77-8d5c-6f3f5f7a1c2d'],
    ['helm.sh/chart', 'web-1.2.3'],
    ['team', 'payments'],
    ['stage', 'blue-green'],
    ['example.com/zone', 'us-east-1a'],
    ['example.com/version', 'v1.27.3'],
    ['node', 'worker12'],
    ['stack', 'k8s-nginx-postgresql'],
    ['owner', ''],
  ])('%s: %s is shown', (key, value) => expect(isLabelShown(key, value)).toBe(true));

  it.each([
    ['team', 'x7Kq2pTz9'],
    ['team', 'wJalrXUtnFEMI'],
    ['team', 'zqxwvkjp'],
    ['team', '1795440774'],
    ['team', 'Sup3r'],
    ['team', 'a'.repeat(41)],
    ['api-token', 'web'],
    ['example.com/password', 'web'],
    ['app', 'two words'],
    ['app', 'a\nb'],
    ['app', 'a'.repeat(64)],
    ['kubernetes.io.example.com/a', 'x7Kq2pTz9'],
    [undefined, 'web'],
  ])('%s: %s is not', (key, value) => expect(isLabelShown(key, value)).toBe(false));
});

describe('selectors', () => {
  it.each([
    '',
    'app=web',
    'app=web,tier!=cache',
    'app in (web, api),!old,new',
    'pod-template-hash=64c966cf88,app==web',
    'metadata.name=web-64c966cf88-6c5vr',
    'spec.nodeName=node-1,status.phase!=Failed',
    'cpu>4',
  ])('%s is shown', (text) => expect(shownSelector(text)).toBe(text));

  it.each([
    ['team=x7Kq2pTz9', 'team=REDACTED'],
    ['token=web', 'token=REDACTED'],
    ['app=web,team in (a, x7Kq2pTz9)', 'app=web,team in (a, REDACTED)'],
    ['spec.token=k3jQz8vLmT5wXnR2pD7s', 'spec.token=REDACTED'],
    ['x7Kq2pTz9zWw,app!=REDACTED', 'REDACTED,app!=REDACTED'],
  ])('%s is shown as %s', (text, shown) => expect(shownSelector(text)).toBe(shown));

  it.each(['no selector', 'a=b;c', 'app=web,', ',', `${'a=b,'.repeat(9000)}a`])('%.60s is none', (text) =>
    expect(shownSelector(text)).toBe(undefined),
  );
});
