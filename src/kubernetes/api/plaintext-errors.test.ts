import { describe, expect, it } from 'vitest';
import type { Body } from '../../http/exchange-event.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import { plaintextError } from './failure-text.js';

const READYZ = { info: { nonResource: '/readyz' } } as unknown as ExchangeContext;
const PODS = { info: { nonResource: null, resource: 'pods' } } as unknown as ExchangeContext;

function said(
  text: string,
  { context = READYZ, status = 500, type = 'text/plain; charset=utf-8' as string | null } = {},
) {
  const bytes = Buffer.from(text);
  const body = { length: bytes.length, read: () => ({ bytes, complete: true }) } as unknown as Body;
  const fields = type === null ? [] : ['content-type', type];
  return plaintextError({ kind: 'response-head', version: '1.1', status, fields, partial: [] }, context, body);
}

describe('an error of an API server in plain text', () => {
  it('is which of its checks failed', () => {
    const text =
      '[+]ping ok\n[-]etcd failed: reason withheld\n[+]log ok\n[-]poststarthook/a-b failed: x\nreadyz check failed\n';
    expect(said(text)).toBe('not ready: etcd, poststarthook/a-b');
  });

  it('is so many of them, and how many more', () => {
    const text = Array.from({ length: 9 }, (_, i) => `[-]check-${i} failed: reason withheld\n`).join('');
    expect(said(text)).toBe('not ready: check-0, check-1, check-2, check-3, check-4, check-5 and 3 more');
  });

  it('is that it was called without TLS, whatever the request', () => {
    const text = 'Client sent an HTTP request to an HTTPS server.\n';
    expect(said(text, { context: PODS, status: 400, type: null })).toBe(text.trim());
  });

  it('is no other text, which any server may have written', () => {
    expect(said('password=correcthorsebatterystaple')).toBeUndefined();
    expect(said('[-]etcd failed: reason withheld', { context: PODS })).toBeUndefined();
    expect(said('[-]etcd failed: reason withheld', { status: 200 })).toBeUndefined();
    expect(said('[-]etcd failed: reason withheld', { type: 'application/json' })).toBeUndefined();
    expect(said(`[-]etcd failed\n${'x'.repeat(20_000)}`)).toBeUndefined();
    expect(plaintextError(null, READYZ, null)).toBeUndefined();
  });
});
