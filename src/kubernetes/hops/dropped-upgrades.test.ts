import { expect, it } from 'vitest';
import type { Exchange } from '../../http/exchange-event.js';
import { DroppedUpgrades } from './dropped-upgrades.js';

const REQUIRED = 'Upgrade request required';
const exec = (port: number, upgrade?: string, target = '/api/v1/namespaces/a/pods/p/exec?command=ls'): Exchange =>
  ({
    connection: { server: { address: '192.0.2.20', port } },
    request: { method: 'GET', target, fields: upgrade === undefined ? [] : ['upgrade', upgrade] },
  }) as unknown as Exchange;

it('names the proxy while the request that it should have passed on is open', () => {
  const upgrades = new DroppedUpgrades();
  const [outer, inner] = [exec(8080, 'websocket'), exec(6443)];
  for (const one of [outer, inner]) upgrades.observeRequest(one);
  expect(upgrades.faultOf(inner, REQUIRED)).toBe('the proxy 192.0.2.20 port 8080 did not forward Connection: Upgrade');
  expect(upgrades.faultOf(outer, REQUIRED)).toBe('the request has Connection: Upgrade, which a proxy did not forward');
  expect(upgrades.faultOf(inner, 'something else')).toBeUndefined();
  upgrades.exchangeEnded(outer);
  expect(upgrades.faultOf(inner, REQUIRED)).toBeUndefined();
});

it.each([
  ['another target', exec(8080, 'websocket', '/api/v1/namespaces/a/pods/q/exec')],
  ['an upgrade to something else', exec(8080, 'h2c')],
  ['none', exec(8080)],
])('%s is not taken away', (_, outer) => {
  const upgrades = new DroppedUpgrades();
  upgrades.observeRequest(outer);
  expect(upgrades.faultOf(exec(6443), REQUIRED)).toBeUndefined();
});
