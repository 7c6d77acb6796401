import { describe, expect, it } from 'vitest';
import { type NoticeCode, notice } from '../core/notice.js';
import type { Message, Protocol } from '../kubernetes/messages/message.js';
import { indexMessages } from './message-index.js';
import { captureGaps } from './notes/capture-gaps.js';
import { missingLine } from './notes/closing-note.js';
import { touching } from './unread-places.js';

const OWN = '192.0.2.1:40000-192.0.2.10:6443';
const OTHER = '192.0.2.2:40000-192.0.2.10:6443';
const ETCD = '192.0.2.10:40000-192.0.2.10:2379';
const KUBELET = '192.0.2.10:41000-192.0.2.11:10250';

const PARTICIPANT = { component: 'x' };
const message = (connection: string, protocol: Protocol, kind: string, exchange: number): Message =>
  ({ connection, protocol, kind, exchange, from: PARTICIPANT, to: PARTICIPANT }) as unknown as Message;
const [request, response] = ['request', 'response'].map((kind) => message(OWN, 'kubernetes', kind, 1));
const MESSAGES = [
  request,
  response,
  message(OTHER, 'kubernetes', 'request', 2),
  message(KUBELET, 'kubelet', 'request', 3),
];
const API: ReadonlySet<Protocol> = new Set(['kubernetes']);

describe('a notice touches what is drawn', () => {
  const cases: [NoticeCode, string | undefined, 'all' | 'one', boolean][] = [
    ['tcp.gap', OWN, 'one', true],
    ['tcp.gap', OTHER, 'one', false],
    ['tcp.gap', OTHER, 'all', true],
    ['tcp.gap', KUBELET, 'all', false],
    ['capture.truncated', undefined, 'one', true],
    // What nobody could read may be about anything in its layer.
    ['tls.no-secret', '192.0.2.3:40000-192.0.2.10:6443', 'one', true],
    ['tls.no-secret', '192.0.2.3:40000-192.0.2.99:8443', 'one', true],
    ['tls.no-secret', '192.0.2.10:42000-192.0.2.11:10250', 'one', false],
    ['tls.no-secret', ETCD, 'all', false],
  ];
  it.each(cases)('%s on %s, %s drawn: %s', (code, connection, drawn, isTold) => {
    const chosen = drawn === 'one' ? [request, response] : null;
    expect(touching({ messages: MESSAGES, chosen, layers: API })(notice(code, '', { connection }))).toBe(isTold);
  });

  it('where nothing is drawn of what was requested, all may be why', () => {
    expect(
      touching({ messages: MESSAGES, chosen: [], layers: API })(notice('tcp.gap', '', { connection: OTHER })),
    ).toBe(true);
  });

  it('etcd is of its own layer', () => {
    const layers: ReadonlySet<Protocol> = new Set(['etcd']);
    expect(
      touching({ messages: MESSAGES, chosen: null, layers })(notice('tls.no-secret', '', { connection: ETCD })),
    ).toBe(true);
  });
});

describe('what is missing from a diagram', () => {
  const lines = (notices: readonly ReturnType<typeof notice>[], chosen: readonly Message[] | null): string[] => [
    missingLine(captureGaps({ messages: MESSAGES, notices }, indexMessages(MESSAGES), { chosen, layers: API })),
  ];
  const gaps = [notice('tcp.gap', '', { connection: OWN }), notice('tcp.gap', '', { connection: OTHER })];

  it('of one object: its own connections and requests', () => {
    expect(lines(gaps, [request, response])).toEqual(['missing in the capture: 1 gap of lost bytes']);
  });

  it('of all: everything', () => {
    expect(lines(gaps, null)).toEqual(['missing in the capture: 2 gaps of lost bytes, 2 requests without a response']);
  });

  it('nothing of this, though something elsewhere, is not reported as if all had been read', () => {
    expect(lines([gaps[1]], [request, response])[0]).toMatch(/^complete for what is drawn, incomplete elsewhere/);
    expect(lines([], [request, response])).toEqual(['complete capture: every connection was decoded']);
  });
});
