import { describe, expect, it } from 'vitest';
import type { Notice } from '../../core/notice.js';
import type { Connection, Side, StreamEvent } from '../../tcp/stream-event.js';
import { tlsDecrypter } from '../decrypter.js';
import { secretStore } from '../key-log.js';
import { MAX_PROXY_HEADER_BYTES } from './proxy-protocol.js';
import { relayedDecrypter } from './relayed-decrypter.js';

const CONNECTION: Connection = {
  id: 1,
  client: { address: '192.0.2.20', port: 40_000 },
  server: { address: '192.0.2.10', port: 1080 },
  name: '192.0.2.20:40000-192.0.2.10:1080',
  roles: 'handshake',
};
const REQUEST = 'POST /api/v1/namespaces/shop/pods HTTP/1.1\r\n\r\n';

type Turn = readonly [from: Side, bytes: string | Buffer];
const C = (bytes: string | Buffer): Turn => ['client', bytes];
const S = (bytes: string | Buffer): Turn => ['server', bytes];
const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(' ', ''), 'hex');
/** haproxy.org, doc/proxy-protocol.txt, 2.2: what is behind the 12 bytes of the signature. */
const v2 = (rest: string): Buffer => hex(`0d0a0d0a000d0a515549540a${rest}`);
/** 192.0.2.30:56324 to 192.0.2.20:443. */
const V2 = v2('21 11 000c c000021e c0000214 dc04 01bb');
const V1 = 'PROXY TCP4 192.0.2.30 192.0.2.20 56324 443\r\n';

interface Read {
  readonly client: string;
  readonly server: string;
  /** Protocol, and whom the proxy stands for or what failed. */
  readonly relayed: readonly string[];
  readonly notices: readonly string[];
}

/** What comes out: as it is, and with every byte a piece. */
function read(turns: readonly Turn[], roles: Connection['roles'] = 'handshake'): Read {
  const whole = readPieces(turns, roles);
  const bytes = turns.flatMap(([from, text]) => [...Buffer.from(text)].map((one): Turn => [from, Buffer.of(one)]));
  expect(readPieces(bytes, roles)).toEqual(whole);
  return whole;
}

function readPieces(turns: readonly Turn[], roles: Connection['roles']): Read {
  const connection = { ...CONNECTION, roles };
  const decrypter = relayedDecrypter(tlsDecrypter(secretStore()))(connection);
  const out: (StreamEvent | Notice)[] = [];
  const text: Record<Side, string> = { client: '', server: '' };
  const take = (items: readonly (StreamEvent | Notice)[]): void => {
    for (const item of items) {
      out.push(item);
      if (item.kind === 'data') text[item.from] += Buffer.from(item.bytes).toString('latin1');
    }
  };
  const at = (frame: number) => ({ capture: 0, frame, time: BigInt(frame) });
  turns.forEach(([from, bytes], i) => {
    // Bytes are borrowed: they are overwritten after each event.
    const borrowed = Uint8Array.from(Buffer.from(bytes));
    take(decrypter.feed({ kind: 'data', connection, from, origin: at(i + 1), bytes: borrowed }));
    borrowed.fill(0x58);
  });
  take(decrypter.feed({ kind: 'closed', connection, from: null, origin: at(99), reason: 'fin' }));
  take(decrypter.end());
  return {
    ...text,
    relayed: out.flatMap((one) => {
      if (one.kind !== 'relayed') return [];
      const { protocol, stands, failure } = one;
      return [
        `${protocol}: ${failure ?? (stands === undefined ? '' : `${stands.for} ${stands.end.address} ${stands.end.port}`)}`,
      ];
    }),
    notices: out.flatMap((one) => (one.kind === 'notice' ? [`${one.code} ${one.detail}`] : [])),
  };
}

describe('PROXY protocol', () => {
  it.each<[string, string | Buffer, string]>([
    ['version 1', V1, 'client 192.0.2.30 56324'],
    ['version 1, IPv6', 'PROXY TCP6 2001:db8::30 2001:db8::20 56324 443\r\n', 'client 2001:db8::30 56324'],
    ['version 1, of the load balancer itself', 'PROXY UNKNOWN\r\n', ''],
    ['version 2', V2, 'client 192.0.2.30 56324'],
    [
      'version 2, IPv6',
      v2('21 21 0024 20010db8000000000000000000000030 20010db8000000000000000000000020 dc04 01bb'),
      'client 2001:db8::30 56324',
    ],
    [
      'version 2 with TLVs (2.2.1: type 04, padding)',
      v2('21 11 0013 c000021e c0000214 dc04 01bb 04 0004 00000000'),
      'client 192.0.2.30 56324',
    ],
    ['version 2, LOCAL', v2('20 00 0000'), ''],
    ['version 2, of a unix socket', v2(`21 31 00d8 ${'00'.repeat(216)}`), ''],
  ])('%s', (_, header, whom) => {
    expect(read([C(header), C(REQUEST), S('HTTP/1.1 200 OK\r\n\r\n')])).toEqual({
      client: REQUEST,
      server: 'HTTP/1.1 200 OK\r\n\r\n',
      relayed: [`PROXY protocol: ${whom}`],
      notices: [],
    });
  });

  it('in one segment with the request, of a connection that is older than the capture, and one after the other', () => {
    expect(read([C(V1 + REQUEST)], 'port').client).toBe(REQUEST);
    const both = read([C(Buffer.concat([V2, Buffer.from(V1.replace('.30', '.31')), Buffer.from(REQUEST)]))]);
    expect(both.relayed).toEqual([
      'PROXY protocol: client 192.0.2.30 56324',
      'PROXY protocol: client 192.0.2.31 56324',
    ]);
    expect(both.client).toBe(REQUEST);
  });

  it.each<[string, string | Buffer]>([
    ['a request', REQUEST],
    ['a line without its end', `PROXY TCP4 192.0.2.30 ${'1'.repeat(200)}`],
    ['a line that is none', 'PROXY TCP4 client server 1 2\r\n'],
    ['half a signature', v2('').subarray(0, 7)],
    ['half a header', V2.subarray(0, 20)],
    ['another version', v2('31 11 000c c000021e c0000214 dc04 01bb')],
    ['a length of 65,535', Buffer.concat([v2('21 11 ffff c000021e c0000214 dc04 01bb'), Buffer.alloc(70_000, 0x41)])],
    ['a length beyond the limit', v2(`21 11 ${MAX_PROXY_HEADER_BYTES.toString(16)} c000021e`)],
    ['five headers: the last one is data', V1.repeat(5)],
  ])('%s changes nothing', (_, bytes) => {
    const { client, relayed } = readPieces([C(bytes)], 'handshake');
    const text = Buffer.from(bytes).toString('latin1');
    expect(client).toBe(text.slice(V1.length * relayed.length));
    expect(relayed).toHaveLength(text.startsWith(V1) ? 4 : 0);
  });
});

describe('SOCKS', () => {
  const GREETING = [C(hex('05 01 00')), S(hex('05 00'))];
  const ASK = C(hex('05 01 00 01 c000020a 192b'));
  const DATA = [C(REQUEST), S('HTTP/1.1 200 OK\r\n\r\n')];

  it.each<[string, Turn[], string]>([
    ['5', [...GREETING, ASK, S(hex('05 00 00 01 00000000 0000'))], 'SOCKS5: server 192.0.2.10 6443'],
    [
      '5, IPv6',
      [...GREETING, C(hex('05 01 00 04 20010db8000000000000000000000010 192b')), S(hex('05 00 00 01 00000000 0000'))],
      'SOCKS5: server 2001:db8::10 6443',
    ],
    [
      '5, a name',
      [
        ...GREETING,
        C(Buffer.concat([hex('05 01 00 03 0c'), Buffer.from('kube.example'), hex('192b')])),
        S(hex('05 00 00 01 00000000 0000')),
      ],
      'SOCKS5: ',
    ],
    [
      '5, user and password (RFC 1929)',
      [
        C(hex('05 02 00 02')),
        S(hex('05 02')),
        C(Buffer.concat([hex('01 04'), Buffer.from('user'), hex('07'), Buffer.from('hunter2')])),
        S(hex('01 00')),
        ASK,
        S(hex('05 00 00 01 00000000 0000')),
      ],
      'SOCKS5: server 192.0.2.10 6443',
    ],
    ['4', [C(hex('04 01 192b c000020a 75736572 00')), S(hex('00 5a 0000 00000000'))], 'SOCKS4: server 192.0.2.10 6443'],
    [
      '4a',
      [
        C(Buffer.concat([hex('04 01 192b 00000001 00'), Buffer.from('kube.example'), hex('00')])),
        S(hex('00 5a 0000 00000000')),
      ],
      'SOCKS4: ',
    ],
  ])('version %s', (_, turns, relayed) => {
    expect(read([...turns, ...DATA])).toEqual({
      client: REQUEST,
      server: 'HTTP/1.1 200 OK\r\n\r\n',
      relayed: [relayed],
      notices: [],
    });
  });

  it('a client that waits for no answer, a proxy behind a proxy, and a load balancer before one', () => {
    const rest: Turn[] = [
      C(Buffer.concat([hex('05 01 00 05 01 00 01 c000020a 192b'), Buffer.from(REQUEST)])),
      S(hex('05 00 05 00 00 01 00000000 0000')),
    ];
    expect(readPieces(rest, 'handshake')).toMatchObject({ client: REQUEST, server: '' });
    const two = [...GREETING, ASK, S(hex('05 00 00 01 00000000 0000'))];
    expect(read([C(V2), ...two, ...two, ...DATA])).toMatchObject({
      client: REQUEST,
      relayed: [
        'PROXY protocol: client 192.0.2.30 56324',
        'SOCKS5: server 192.0.2.10 6443',
        'SOCKS5: server 192.0.2.10 6443',
      ],
    });
  });

  it.each<[string, Turn[], string]>([
    ['reply 4', [...GREETING, ASK, S(hex('05 04 00 01 00000000 0000'))], 'SOCKS5: 192.0.2.10:6443: host unreachable'],
    [
      'reply 2, a name',
      [
        ...GREETING,
        C(Buffer.concat([hex('05 01 00 03 0c'), Buffer.from('kube.example'), hex('192b')])),
        S(hex('05 02 00 01 00000000 0000')),
      ],
      'SOCKS5: kube.example:6443: not allowed by its rules',
    ],
    [
      'a reply that no RFC has, a name that is none',
      [
        ...GREETING,
        C(Buffer.concat([hex('05 01 00 03 08'), Buffer.from('a b;c\x1b[d'), hex('192b')])),
        S(hex('05 63 00 01 00000000 0000')),
      ],
      'SOCKS5: port 6443: reply 99',
    ],
    [
      'no method',
      [C(hex('05 01 02')), S(hex('05 ff'))],
      'SOCKS5: none of the ways to authenticate that the client offers is accepted',
    ],
    [
      'a wrong password',
      [C(hex('05 01 02')), S(hex('05 02')), C(hex('01 01 61 01 62')), S(hex('01 01'))],
      'SOCKS5: user and password are not accepted',
    ],
    [
      '4, reply 91',
      [C(hex('04 01 192b c000020a 00')), S(hex('00 5b 0000 00000000'))],
      'SOCKS4: 192.0.2.10:6443: rejected or failed',
    ],
  ])('a refusal in words: %s', (_, turns, words) => {
    expect(read(turns)).toEqual({
      client: '',
      server: '',
      relayed: [words],
      notices: [`connection.not-forwarded ${words}`],
    });
  });

  it.each<[string, Turn[]]>([
    ['a greeting without end', [C(Buffer.concat([hex('05 ff'), Buffer.alloc(200, 1)]))]],
    ['half a request', [...GREETING, C(hex('05 01 00 01 c000'))]],
    ['bytes that go on and on', [C(Buffer.concat([hex('04 01 192b c000020a'), Buffer.alloc(20_000, 0x61)]))]],
    ['an answer that is none', [C(hex('05 01 00')), S('SSH-2.0-OpenSSH_9.6\r\n')]],
    ['a method that was not offered', [C(hex('05 01 00')), S(hex('05 02'))]],
    ['GSSAPI', [C(hex('05 01 01')), S(hex('05 01')), C(hex('01 01 0002 6162'))]],
    [
      'a type of address that is none',
      [...GREETING, C(hex('05 01 00 07 c000020a 192b')), S(hex('05 00 00 01 00000000 0000'))],
    ],
  ])('%s changes nothing', (_, turns) => {
    const of = (side: Side): string =>
      turns.flatMap(([from, bytes]) => (from === side ? [Buffer.from(bytes).toString('latin1')] : [])).join('');
    expect(readPieces(turns, 'handshake')).toEqual({
      client: of('client'),
      server: of('server'),
      relayed: [],
      notices: [],
    });
  });

  it('of a connection that is older than the capture nothing is taken off', () => {
    const turns = [...GREETING, ASK, S(hex('05 00 00 01 00000000 0000'))];
    expect(readPieces(turns, 'port').relayed).toEqual([]);
    expect(readPieces(turns, 'port').client).toHaveLength(13);
  });
});
