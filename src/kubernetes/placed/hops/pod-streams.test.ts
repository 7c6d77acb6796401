import { beforeEach, describe, expect, it } from 'vitest';
import { message } from '../../../../test/kit/messages.js';
import { requestInfo } from '../../api/request-info.js';
import { settles } from '../../attributed/cause.js';
import type { Draft } from '../../messages/draft.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import { isSecondHop, PodStreams } from './pod-streams.js';
import { MAX_EQUAL, MAX_SERVED, ServedRequests } from './served-requests.js';

let served = new ServedRequests();
let join = new PodStreams(served);
beforeEach(() => {
  served = new ServedRequests();
  join = new PodStreams(served);
});

const PODS = '/api/v1/namespaces/default/pods';

function api(target: string, method = 'GET'): { context: ExchangeContext; seq: number } {
  const context = { info: requestInfo(method, target), role: { protocol: 'kubernetes' } } as ExchangeContext;
  const draft: Draft = { ...message({}) };
  join.observeRequest(context, draft, target);
  return { context, seq: draft.seq };
}

function kubelet(target: string): Draft {
  const draft: Draft = { ...message({ protocol: 'kubelet', kind: 'request' }) };
  const context = { info: null, role: { protocol: 'kubelet' } } as ExchangeContext;
  join.observeRequest(context, draft, target);
  settles(draft, context.cause ?? null);
  return draft;
}

/** [what the API server is asked, what it asks of the kubelet]: targets of real captures, or of ExecLocation and its like. */
const PAIRS: [string, string][] = [
  [
    `${PODS}/nginx/exec?command=ls&command=%2Fetc&container=nginx&stdout=true`,
    '/exec/default/nginx/nginx?command=ls&command=%2Fetc&error=1&output=1',
  ],
  [`${PODS}/nginx/exec?command=ls`, '/exec/default/nginx/main?command=ls&output=1'],
  [`${PODS}/nginx/exec?command=ls&container=c`, '/exec/default/nginx/0c52dc10-3da4/c?command=ls'],
  [`${PODS}/nginx/attach?container=nginx&stdin=true`, '/attach/default/nginx/nginx?input=1'],
  [`${PODS}/nginx/portforward`, '/portForward/default/nginx'],
  [`${PODS}/nginx/portforward?ports=80`, '/portForward/default/nginx/0c52dc10-3da4?port=80'],
  [`${PODS}/nginx/log?container=nginx`, '/containerLogs/default/nginx/nginx'],
  [
    `${PODS}/nginx/log?container=nginx&follow=true&tailLines=1`,
    '/containerLogs/default/nginx/nginx?follow=true&tailLines=1',
  ],
];

/** The same, but another Pod, container, command or purpose. */
const STRANGERS: [string, string][] = [
  [`${PODS}/nginx/exec?command=ls`, '/exec/default/other/c?command=ls'],
  [`${PODS}/nginx/exec?command=ls`, '/exec/kube-system/nginx/c?command=ls'],
  [`${PODS}/nginx/exec?command=ls&container=a`, '/exec/default/nginx/b?command=ls'],
  [`${PODS}/nginx/exec?command=ls`, '/exec/default/nginx/c?command=ls&command=-l'],
  [`${PODS}/nginx/exec?command=a&command=b`, '/exec/default/nginx/c?command=b&command=a'],
  [`${PODS}/nginx/log?follow=true`, '/containerLogs/default/nginx/c'],
  [`${PODS}/nginx/attach`, '/exec/default/nginx/c'],
  [`${PODS}/nginx/status`, '/exec/default/nginx/c'],
];

describe('two hops', () => {
  it.each(PAIRS)('%s → %s', (asked, then) => {
    const { seq } = api(asked);
    expect(kubelet(then).causedBy).toBe(seq);
    expect(kubelet(then).causedBy).toBe(undefined);
  });

  it.each(STRANGERS)('%s has nothing to do with %s', (asked, then) => {
    api(asked);
    expect(kubelet(then).causedBy).toBe(undefined);
  });

  it('requests to the kubelet have the fields of their Pod', () => {
    expect(kubelet('/portForward/default/nginx')).toMatchObject({
      resource: 'pods',
      subresource: 'portforward',
      namespace: 'default',
      name: 'nginx',
    });
    expect(kubelet('/metrics/cadvisor').resource).toBe(undefined);
  });

  it('equal requests are taken in their order', () => {
    const asked = [1, 2, 3].map(() => api(`${PODS}/nginx/exec?command=ls`).seq);
    expect([1, 2, 3].map(() => kubelet('/exec/default/nginx/c?command=ls').causedBy)).toEqual(asked);
  });

  it('a request that is over has no second hop any more', () => {
    const { context } = api(`${PODS}/nginx/portforward`);
    served.exchangeEnded(context);
    expect(kubelet('/portForward/default/nginx').causedBy).toBe(undefined);
  });
});

describe('limits', () => {
  it('of equal requests the oldest is forgotten', () => {
    const asked = Array.from({ length: MAX_EQUAL + 1 }, () => api(`${PODS}/nginx/portforward`).seq);
    expect(kubelet('/portForward/default/nginx').causedBy).toBe(asked[1]);
  });

  it('of all requests the oldest is forgotten', () => {
    for (let i = 0; i <= MAX_SERVED; i++) api(`${PODS}/p${i}/portforward`);
    expect(kubelet('/portForward/default/p1').causedBy).toBeGreaterThan(0);
    expect(kubelet('/portForward/default/p0').causedBy).toBe(undefined);
  });
});

it('API servers forward requests to some paths of a kubelet only', () => {
  expect(PAIRS.every(([, target]) => isSecondHop(target))).toBe(true);
  expect(['/metrics', '/stats/summary', '/exec/default', '/pods', ''].some(isSecondHop)).toBe(false);
});
