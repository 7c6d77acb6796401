import { describe, expect, it } from 'vitest';
import { APISERVER, type Given, KUBECTL, message } from '../../../test/kit/messages.js';
import type { Notice, NoticeCode } from '../../core/notice.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { buildSequence } from '../build.js';
import { notesOf } from '../model.js';

const MS = 1_000_000n;
const API = '192.0.2.10:6443';

/** A request of kubectl at such a time and its answer, ms. */
function asked(at: number, statusMessage: string, fields: Given = {}): Message[] {
  const connection = `192.0.2.30:40000-${API}`;
  const request = message({ verb: 'create', resource: 'configmaps', namespace: 'default', connection, ...fields });
  const about = { kind: 'response', exchange: request.exchange, from: APISERVER, to: KUBECTL, connection } as const;
  const answer = message({ ...about, status: 500, statusMessage });
  const timed = (one: Message, ms: number): Message => ({ ...one, started: BigInt(ms) * MS, time: BigInt(ms) * MS });
  return [timed(request, at), timed(answer, at + 100)];
}

function failure(code: NoticeCode, at: number, server: string, detail: string, client = '192.0.2.10:5000'): Notice {
  const origin = { capture: 0, frame: at, time: BigInt(at) * MS };
  return { kind: 'notice', code, detail, origin, connection: `${client}-${server}` };
}

const lines = (messages: readonly Message[], notices: readonly Notice[], options = {}): (readonly string[])[] =>
  notesOf(buildSequence({ messages, notices }, options).steps).map((note) => note.lines);

const HOOK = 'failed calling webhook: Post "https://192.0.2.99:9443/validate": dial tcp 192.0.2.99:9443: i/o timeout';

describe('a connection that failed', () => {
  it('stands between the request and the response that names it, with the client', () => {
    const notices = [failure('tcp.unanswered', 1010, '192.0.2.99:9443', '3 SYNs in 0.1 s')];
    expect(lines(asked(1000, HOOK), notices).slice(0, 2)).toEqual([
      ['no answer: 3 SYNs in 0.1 s', 'from kube-apiserver to 192.0.2.99:9443', 'no answer after that'],
      [HOOK],
    ]);
  });

  it('is found by an address of IPv6 too, which Go writes in brackets', () => {
    const notices = [failure('tcp.refused', 1010, '2001:db8::9:9443', 'reset', '2001:db8::1:5000')];
    expect(lines(asked(1000, 'dial tcp [2001:db8::9]:9443: connect: connection refused'), notices)[0]).toEqual([
      '1 connection refused',
      'from kube-apiserver to 2001:db8::9:9443',
      'no answer after that',
    ]);
  });

  it('of TLS is found by its server name, its time and its host, where the error has no address', () => {
    const words = 'Post "https://guard.default.svc:443/x": tls: failed to verify certificate: x509: unknown authority';
    const notices = [
      failure(
        'tls.refused',
        1010,
        '192.0.2.99:9443',
        'the client sends bad_certificate; the certificate; asked for guard.default.svc',
      ),
    ];
    const [first] = lines(asked(1000, words), notices);
    expect(first.slice(0, 3)).toEqual(['TLS is not agreed on', 'the client sends bad_certificate', 'the certificate']);
    expect(first.at(-1)).toBe('from kube-apiserver to 192.0.2.99:9443');
    const about = 'the client sends x; asked for guard.default.svc';
    const elsewhere = failure('tls.refused', 1010, '192.0.2.99:9443', about, '192.0.2.77:5000');
    expect(lines(asked(1000, words), [elsewhere])[0].at(-1)).toBe('from 192.0.2.77 to 192.0.2.99:9443');
    const other = failure('tls.refused', 1010, '192.0.2.99:9443', 'the client sends x; asked for other.default.svc');
    expect(lines(asked(1000, words), [other])[0].at(-1)).toBe('from 192.0.2.10 to 192.0.2.99:9443');
  });

  it('that lasts since before the request stands at the request', () => {
    const notices = [100, 500, 1010].map((at) => failure('tcp.unreachable', at, '192.0.2.99:9443', 'host unreachable'));
    const said = lines([...asked(0, '', { label: '[REQ] GET /other' }), ...asked(1000, HOOK)], notices);
    expect(said[0]).toEqual([
      'cannot be reached: host unreachable, 3 times in 910 ms',
      'from kube-apiserver to 192.0.2.99:9443',
      'no answer after that',
    ]);
    expect(said[1]).toEqual([HOOK]);
  });

  it('is noted in a whole diagram whichever client it is of, but a refusal or two', () => {
    const notices = [
      failure('tls.unfinished', 1010, '192.0.2.88:443', 'the server said nothing'),
      failure('tcp.refused', 1020, '192.0.2.77:443', 'reset'),
    ];
    const said = lines(asked(1000, 'no word of it'), notices).flat();
    expect(said).toContain('from 192.0.2.10 to 192.0.2.88:443');
    expect(said.join()).not.toContain('192.0.2.77');
  });

  it('is noted in the story of an object only where a response in it names it, or many met it while it lasted', () => {
    const follow = { follow: { resource: 'configmaps', namespace: 'default', name: 'a' } };
    const story = asked(1000, HOOK, { name: 'a', verb: 'update' });
    const many = (at: number) =>
      Array.from({ length: 10 }, (_, i) => failure('tcp.refused', at + i, '192.0.2.9:2379', 'x'));
    const said = (notices: readonly Notice[]): string => lines(story, notices, follow).flat().join(' ');
    expect(said([failure('tls.refused', 1010, '192.0.2.88:443', 'the client sends x')])).not.toContain('TLS');
    expect(said([failure('tcp.unanswered', 1010, '192.0.2.99:9443', '2 SYNs')])).toContain('no answer: 2 SYNs');
    expect(said(many(1010))).toContain('10 connections refused');
    expect(said(many(5000))).not.toContain('10 connections refused');
  });

  it('is one of so many that a diagram notes, with the number of the others', () => {
    const notices = Array.from({ length: 50 }, (_, i) =>
      failure('tls.refused', 1010 + i, `192.0.2.${i}:443`, 'an alert'),
    );
    const said = lines(asked(1000, ''), notices);
    expect(said.filter(([first]) => first === 'TLS is not agreed on')).toHaveLength(40);
    expect(said.at(-1)).toContain('10 more notes on connections that failed');
  });

  it('is noted where nothing else is', () => {
    const notices = [failure('tcp.unanswered', 10, API, '3 SYNs in 3.0 s', '192.0.2.30:5000')];
    const { closing } = buildSequence({ messages: [], notices });
    expect(closing[0]).toBe(`no answer: 3 SYNs in 3.0 s, from 192.0.2.30 to ${API}, no answer after that`);
  });

  it('notes from whose host it came, where only one program sends from there', () => {
    const notices = [failure('tls.refused', 1010, API, 'the client sends unknown_ca', '192.0.2.30:5000')];
    expect(lines(asked(1000, ''), notices)[0].at(-1)).toBe(
      `from 192.0.2.30 (host of kubectl) to kube-apiserver, ${API}`,
    );
  });
});
