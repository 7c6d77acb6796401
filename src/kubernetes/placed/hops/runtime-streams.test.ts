import { beforeEach, expect, it } from 'vitest';
import { message } from '../../../../test/kit/messages.js';
import { isRuntimeStream } from '../../api/server-roles.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import { ParticipantRegistry } from '../identity/participant-registry.js';
import { MAX_RUNTIME_STREAMS, PodStreams } from './pod-streams.js';
import { ServedRequests } from './served-requests.js';

const known = new ParticipantRegistry();
const KUBELET = known.client('192.0.2.11', 'kubelet/v1', 1);
const RUNTIME = known.server('container-runtime', '127.0.0.1', 3500, 1);

let served: ServedRequests;
let streams: PodStreams;
beforeEach(() => {
  served = new ServedRequests();
  streams = new PodStreams(served);
});

/** A request to a kubelet. */
function asked(seq: number, path: string, pod: string, container?: string): ExchangeContext {
  const context = { info: null, role: { protocol: 'kubelet' }, server: KUBELET } as unknown as ExchangeContext;
  const target = `/${path}/default/${pod}${container === undefined ? '' : `/${container}`}`;
  streams.observeRequest(context, { ...message({ kind: 'request' }), seq }, target);
  return context;
}

it("a call has the kubelet's request for this Pod and container as its cause", () => {
  asked(1, 'exec', 'web', 'main');
  asked(2, 'exec', 'web', 'side');
  asked(3, 'portForward', 'web');
  expect(streams.observeCall('Exec', 'default', 'other', 'main')).toBeUndefined();
  expect(streams.observeCall('Attach', 'default', 'web', 'main')).toBeUndefined();
  expect(streams.observeCall('Exec', 'default', 'web', 'side')).toBe(2);
  expect(streams.observeCall('Exec', 'default', 'web', 'main')).toBe(1);
  expect(streams.observeCall('Exec', 'default', 'web', 'main')).toBeUndefined();
  expect(streams.observeCall('PortForward', 'default', 'web', undefined)).toBe(3);
});

it('a stream is found by the URL of its response, once', () => {
  const about = { seq: 7, namespace: 'default', pod: 'web', kubelet: KUBELET, runtime: RUNTIME };
  streams.observeUrl('http://127.0.0.1:40000/exec/AbC', about);
  streams.observeUrl('not an address', about);
  streams.observeUrl('http://127.0.0.1:40000/elsewhere', about);
  expect(streams.streamTo('/exec/other')).toBeNull();
  expect(streams.streamTo('/exec/AbC')).toEqual({ ...about, kind: 'exec' });
  expect(streams.streamTo('/exec/AbC')).toBeNull();
});

it('without its call it is the only request that is out, or unknown', () => {
  asked(1, 'exec', 'web', 'main');
  const second = asked(2, 'exec', 'db', 'main');
  asked(3, 'attach', 'web', 'main');
  expect(streams.streamTo('/exec/AbC')).toBeNull();
  served.exchangeEnded(second);
  expect(streams.streamTo('/exec/AbC')).toMatchObject({ seq: 1, pod: 'web', kubelet: KUBELET, runtime: null });
  expect(streams.streamTo('/exec/DeF')).toBeNull();
});

it('logs are no stream of the runtime’s', () => {
  asked(1, 'containerLogs', 'web', 'main');
  expect(streams.streamTo('/log/AbC')).toBeNull();
});

it('remembers no more than its limit, of both', () => {
  const about = { seq: 7, namespace: 'default', pod: 'web', kubelet: KUBELET, runtime: RUNTIME };
  for (let i = 0; i <= MAX_RUNTIME_STREAMS; i++) {
    asked(i, 'exec', `web-${i}`, 'main');
    streams.observeUrl(`http://a/exec/${i}`, about);
  }
  expect(streams.observeCall('Exec', 'default', 'web-0', 'main')).toBeUndefined();
  expect(streams.observeCall('Exec', 'default', 'web-1', 'main')).toBe(1);
  expect(streams.streamTo('/exec/1')).not.toBeNull();
  // Its address is forgotten, and many requests are out.
  expect(streams.streamTo('/exec/0')).toBeNull();
});

it.each([
  ['/exec/AbC_-9', true],
  ['/attach/AbC', true],
  ['/portforward/AbC', true],
  ['/exec/default/web/main', false],
  ['/exec/AbC/start', false],
  ['/exec/', false],
  ['/exec/AbC?a=b', false],
])('%s: %s', (target, is) => expect(isRuntimeStream(target)).toBe(is));
