import { expect, it } from 'vitest';
import { message } from '../../../../test/kit/messages.js';
import type { Exchange } from '../../../http/exchange-event.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import { droppedUpgrade, observeUpgrade } from './dropped-upgrades.js';
import { ServedRequests } from './served-requests.js';

const observe = (served: ServedRequests, exchange: Exchange): ExchangeContext => {
  const context = {} as ExchangeContext;
  observeUpgrade(served, context, message({}), exchange);
  return context;
};
const REQUIRED = 'Upgrade request required';
const exec = (port: number, upgrade?: string, target = '/api/v1/namespaces/a/pods/p/exec?command=ls'): Exchange =>
  ({
    connection: { server: { address: '192.0.2.20', port } },
    request: { method: 'GET', target, fields: upgrade === undefined ? [] : ['upgrade', upgrade] },
  }) as unknown as Exchange;

it('names the proxy while the request that it should have passed on is open', () => {
  const served = new ServedRequests();
  const [outer, inner] = [exec(8080, 'websocket'), exec(6443)];
  const [context] = [outer, inner].map((one) => observe(served, one));
  expect(droppedUpgrade(served, inner, REQUIRED)).toBe(
    'the proxy 192.0.2.20 port 8080 did not forward Connection: Upgrade',
  );
  expect(droppedUpgrade(served, outer, REQUIRED)).toBe(
    'the request has Connection: Upgrade, which a proxy did not forward',
  );
  expect(droppedUpgrade(served, inner, 'something else')).toBeUndefined();
  served.exchangeEnded(context);
  expect(droppedUpgrade(served, inner, REQUIRED)).toBeUndefined();
});

it.each([
  ['another target', exec(8080, 'websocket', '/api/v1/namespaces/a/pods/q/exec')],
  ['an upgrade to something else', exec(8080, 'h2c')],
  ['none', exec(8080)],
])('%s is not taken away', (_, outer) => {
  const served = new ServedRequests();
  observe(served, outer);
  expect(droppedUpgrade(served, exec(6443), REQUIRED)).toBeUndefined();
});
