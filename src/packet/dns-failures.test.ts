import { describe, expect, it } from 'vitest';
import { concat } from '../core/bytes/bytes.js';
import { DnsFailures } from './dns-failures.js';

const CLIENT = { address: '10.244.1.5', port: 40_000 };
const SERVER = { address: '10.96.0.10', port: 53 };
const SECOND = 1_000_000_000n;
const OK = 0;
const SERVFAIL = 2;
const NXDOMAIN = 3;

/** [name, result, answers]; without a result a question. Each is a second after the one before. */
type Packet = readonly [name: string, result?: number, answers?: number];

function message(name: string, result: number | undefined, answers: number, id: number): Uint8Array {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')]));
  const flags = result === undefined ? [0x01, 0x00] : [0x81, 0x80 | result];
  return concat([
    Uint8Array.of(0, id, ...flags, 0, 1, 0, answers, 0, 0, 0, 0),
    ...labels,
    Uint8Array.of(0, 0, 1, 0, 1),
  ]);
}

/** @param ids of the packets; default: one for all of a name. */
function failuresOf(
  packets: readonly Packet[],
  change: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
): string[] {
  const dns = new DnsFailures();
  packets.forEach(([name, result, answers = 0], i) => {
    const bytes = change(message(name, result, answers, 7));
    const [from, to] = result === undefined ? [CLIENT, SERVER] : [SERVER, CLIENT];
    dns.read(from, to, bytes, 0, bytes.length, { capture: 0, frame: i + 1, time: BigInt(i) * SECOND });
  });
  return dns.end().map(({ code, detail, connection, origin }) => `${code} ${detail} ${connection} ${origin?.frame}`);
}

const WHERE = '10.244.1.5:40000-10.96.0.10:53';
const SEARCH = ['nosuch.shop.svc.cluster.local', 'nosuch.svc.cluster.local', 'nosuch.cluster.local', 'nosuch'];

describe('names that DNS did not resolve', () => {
  it.each<[string, Packet[], string[]]>([
    [
      'no such name',
      [['db.shop.svc.cluster.local'], ['db.shop.svc.cluster.local', NXDOMAIN]],
      [`dns.failed db.shop.svc.cluster.local: NXDOMAIN ${WHERE} 2`],
    ],
    [
      'the server failed, twice',
      [['a.b'], ['a.b', SERVFAIL], ['a.b'], ['a.b', SERVFAIL]],
      [`dns.failed a.b: SERVFAIL, 2 times ${WHERE} 2`],
    ],
    [
      'an answer that was captured twice',
      [['a.b'], ['a.b', NXDOMAIN], ['a.b', NXDOMAIN]],
      [`dns.failed a.b: NXDOMAIN ${WHERE} 2`],
    ],
    [
      'no answer for more than five seconds',
      [['slow.example'], ...Array.from({ length: 6 }, (): Packet => ['x.y', OK, 1])],
      [`dns.failed slow.example: no answer ${WHERE} 1`],
    ],
    ['an answer that may still come', [['slow.example'], ['x.y', OK, 1]], []],
    [
      'a search that finds nothing is one name',
      SEARCH.map((name): Packet => [name, NXDOMAIN]),
      [`dns.failed nosuch: NXDOMAIN ${WHERE} 4`],
    ],
    [
      'a search that finds the name behind its own domain',
      [
        ['web.other.shop.svc.cluster.local', NXDOMAIN],
        ['web.other.svc.cluster.local', OK, 1],
      ],
      [],
    ],
    [
      'a search that finds the name as it was given',
      [
        ['api.github.com.shop.svc.cluster.local', NXDOMAIN],
        ['api.github.com.cluster.local', NXDOMAIN],
        ['api.github.com', OK, 2],
      ],
      [],
    ],
    [
      'a name that is resolved later',
      [
        ['db.example', SERVFAIL],
        ['db.example', OK, 1],
      ],
      [],
    ],
    ['no address of this family (RFC 2308, 2.2) is none', [['db.example', OK, 0]], []],
    [
      'two names that begin alike',
      [
        ['db.a.example', NXDOMAIN],
        ['db.b.example', OK, 1],
      ],
      [`dns.failed db.a.example: NXDOMAIN ${WHERE} 1`],
    ],
    [
      'a label that may be a secret',
      [['9f8e7d6c5b4a39281706f5e4d3c2b1a0.example', NXDOMAIN]],
      [`dns.failed ….example: NXDOMAIN ${WHERE} 1`],
    ],
    [
      'a name that is none of a host',
      [
        ['a b\u001b.example', NXDOMAIN],
        ['', NXDOMAIN],
      ],
      [],
    ],
  ])('%s', (_, packets, expected) => expect(failuresOf(packets)).toEqual(expected));

  it('nothing of half a message, in any cut', () => {
    const whole = message('db.shop.svc.cluster.local', NXDOMAIN, 0, 7);
    for (let length = 0; length < whole.length - 5; length++)
      expect(failuresOf([['db.shop.svc.cluster.local', NXDOMAIN]], (bytes) => bytes.subarray(0, length))).toEqual([]);
  });
});
