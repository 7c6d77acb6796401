import { describe, expect, it } from 'vitest';
import type { RequestHead } from '../http/http-event.js';
import { doors } from './doors.js';

const POD = { address: '198.18.0.2', port: 8080 };
const SERVER = { address: '192.0.2.10', port: 8080 };
const asks = (target: string): RequestHead => ({
  kind: 'request-head',
  version: '1.1',
  method: 'GET',
  target,
  fields: [],
  partial: [],
});

describe('what everybody serves', () => {
  const atPods = () => doors((address) => address === POD.address);

  it.each(['/healthz', '/metrics', '/version', '/livez?verbose', '/info', '/events'])(
    '%s tells nothing of a Pod',
    (target) => {
      expect(atPods().doorOf(asks(target), POD)).toEqual({ protocol: 'http', component: null });
      expect(atPods().doorOf(asks(target), SERVER).component).not.toBeNull();
    },
  );

  it('a Pod that serves an API is an API server, and then all of its paths are', () => {
    const known = atPods();
    expect(known.doorOf(asks('/apis/metrics.k8s.io/v1beta1/nodes'), POD).protocol).toBe('kubernetes');
    expect(known.doorOf(asks('/healthz'), POD).protocol).toBe('kubernetes');
  });
});
