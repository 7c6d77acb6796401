import { expect, it } from 'vitest';
import { requestInfo } from '../api/request-info.js';
import type { Draft } from '../messages/draft.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import { ReflectorTracker } from './reflectors.js';
import { Watches } from './watches.js';

const context = (id: number, target: string, tier = 'control plane'): ExchangeContext =>
  ({
    client: { id, tier, process: { id } },
    connection: { id },
    info: requestInfo('GET', target),
  }) as unknown as ExchangeContext;
const told = (seq: number, resourceVersion: string, type?: string): Draft =>
  ({ seq, type, object: { resourceVersion } }) as unknown as Draft;
const PODS = '/api/v1/pods';
const from = (version: string, selector = '') => `${PODS}?watch=true&resourceVersion=${version}${selector}`;

/** What caused a request, by seq. */
function cause(watches: Watches, request: ExchangeContext): number | undefined {
  const message = { seq: 99, kind: 'request' } as unknown as Draft;
  watches.observeRequest(request, message);
  return watches.causeOf(message, request)?.seq;
}

it('a watch begins at the last version that its own program received of the same scope', () => {
  const watches = new Watches(new ReflectorTracker());
  watches.observeVersion(context(1, PODS), told(10, '500'));
  watches.observeVersion(context(2, PODS), told(11, '500'));
  watches.observeVersion(context(1, '/api/v1/nodes'), told(12, '500'));
  expect(cause(watches, context(1, from('500')))).toBe(10);
  expect(cause(watches, context(2, from('500')))).toBe(11);
  expect(cause(watches, context(3, from('500')))).toBeUndefined();
  expect(cause(watches, context(1, from('499')))).toBeUndefined();
  expect(cause(watches, context(1, from('500', '&fieldSelector=spec.nodeName%3Da')))).toBeUndefined();
  expect(cause(watches, context(1, '/apis/apps/v1/pods?watch=true&resourceVersion=500'))).toBeUndefined();
});

it('a list after a watch that was too old has that for its cause, once', () => {
  const watches = new Watches(new ReflectorTracker());
  watches.observeVersion(context(1, PODS), told(10, '500'));
  watches.observeVersion(context(1, from('500')), told(20, '', 'ERROR'));
  expect(cause(watches, context(1, PODS))).toBe(20);
  expect(cause(watches, context(1, PODS))).toBeUndefined();
});

it('a request of a person has no trigger', () => {
  const watches = new Watches(new ReflectorTracker());
  watches.observeVersion(context(1, PODS, 'people'), told(10, '500'));
  expect(cause(watches, context(1, from('500'), 'people'))).toBeUndefined();
});
