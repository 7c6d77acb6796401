import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../http/exchange-event.js';
import type { PeerCertificate, TlsEstablished } from '../../../tcp/stream-event.js';
import { ClientCertificates } from './client-certificates.js';

const NOON = Date.parse('2026-11-26T12:00:00Z');
const DAY = 86_400_000;
const at = (id: number) => ({ id, server: { address: '192.0.2.10', port: 6443 } });

function shown(id: number, change: Partial<PeerCertificate> = {}): PeerCertificate {
  const validity = [NOON - DAY, NOON + DAY];
  const about = {
    of: 'client',
    commonName: 'system:node:n1',
    issuer: 'kubernetes',
    validity,
    isCurrent: true,
    ...change,
  };
  return { kind: 'certificate', connection: at(id), ...about } as PeerCertificate;
}

const exchange = (id: number, fields: readonly string[] = []): Exchange =>
  ({ connection: at(id), request: { fields } }) as unknown as Exchange;

describe("what is wrong with a client's certificate behind a 401", () => {
  const faultOf = (certificate: PeerCertificate | null, status = 401, before: PeerCertificate[] = []) => {
    const known = new ClientCertificates();
    for (const one of before) {
      known.onCertificate(one);
      known.faultOf(exchange(one.connection.id), 200, 0n);
    }
    if (certificate !== null) known.onCertificate(certificate);
    return known.faultOf(exchange(1), status, BigInt(NOON) * 1_000_000n);
  };

  it.each<[string, string | undefined, string | undefined]>([
    ['expired', faultOf(shown(1, { validity: [0, NOON - 1000] })), 'expired 2026-11-26T11:59:59Z'],
    [
      'not yet valid',
      faultOf(shown(1, { validity: [NOON + 1000, NOON + DAY] })),
      'is not valid before 2026-11-26T12:00:01Z',
    ],
    [
      'of another issuer than those that the server accepted',
      faultOf(shown(1), 401, [shown(2, { issuer: 'new-ca' })]),
      'is not of the issuer of accepted ones, new-ca',
    ],
    ['of the same issuer', faultOf(shown(1), 401, [shown(2)]), undefined],
    ['valid', faultOf(shown(1)), undefined],
    ['without a readable time', faultOf(shown(1, { validity: [Number.NaN, Number.NaN] })), undefined],
    ['expired, of a request that was accepted', faultOf(shown(1, { validity: [0, 1] }), 200), undefined],
    ['of the server', faultOf(shown(1, { of: 'server', validity: [0, 1] })), undefined],
    ['none', faultOf(null), undefined],
  ])('%s', (_, fault, why) =>
    expect(fault).toBe(
      why === undefined ? undefined : `the client's certificate (system:node:n1, issued by kubernetes) ${why}`,
    ),
  );

  it('an accepted token proves no issuer, and another session no certificate', () => {
    const known = new ClientCertificates();
    known.onCertificate(shown(2, { issuer: 'stranger' }));
    known.faultOf(exchange(2, ['authorization', 'Bearer x']), 200, 0n);
    known.onCertificate(shown(1));
    expect(known.faultOf(exchange(1), 401, BigInt(NOON) * 1_000_000n)).toBeUndefined();
    known.onCertificate(shown(1, { validity: [0, 1] }));
    known.onTlsEstablished({ connection: at(1) } as unknown as TlsEstablished);
    expect(known.faultOf(exchange(1), 401, BigInt(NOON) * 1_000_000n)).toBeUndefined();
  });
});
