import { describe, expect, it } from 'vitest';
import { bytesOf, OTHER_PROTOCOLS } from '../../test/kit/other-protocols.js';
import { otherProtocol, withVersion } from './other-protocols.js';

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
const NONE = new Uint8Array(0);
/** Without a version that is told later. */
const early = (named: string | null): string | null => named?.replace(/ \(server version .*/, '') ?? null;

describe.each(OTHER_PROTOCOLS)('$protocol', ({ named, turns }) => {
  const client = bytesOf(turns, 'client');
  const server = bytesOf(turns, 'server');

  it('has its name by what both sides send, and no other by a part of it', () => {
    expect(otherProtocol({ client, server })).toBe(early(named));
    // A version may be told in part; it is read when its end is there, or when the segment is.
    const names = [null, early(named)?.replace(/ \(.*/, '')];
    for (const [one, other] of [
      [client, server],
      [client, NONE],
      [NONE, server],
    ])
      for (let end = 0; end <= Math.max(one.length, other.length); end += 1) {
        const name = otherProtocol({ client: one.subarray(0, end), server: other.subarray(0, end) });
        expect(names).toContain(name?.replace(/ \(.*/, '') ?? null);
      }
  });
});

it('every row that kubeseq names is here', () => {
  const named = OTHER_PROTOCOLS.map((row) => early(row.named)?.replace(/ \(server.*/, '') ?? '');
  expect([...new Set(named)].sort()).toHaveLength(18);
});

// First bytes that no row has: other requests, versions that are none, words that only begin alike.
it.each<[string, string, string | null]>([
  ['server', 'd\0\0\0\n5.5.5-10.11.19-MariaDB\0\x03\0\0\0', 'MySQL (server greeting 10.11.19-MariaDB)'],
  // Only numbers of a version are told.
  ['server', 'd\0\0\0\n8.4.3-Zq81xY7pLmK3v\0\x03\0\0\0', 'MySQL (server greeting 8.4.3)'],
  ['server', 'SSH-2.0-Zq81xY7pLmK3v\r\n', 'SSH'],
  ['server', 'SSH-2.0-OpenSSH_Zq81xY7pLmK3v\r\n', 'SSH'],
  ['server', 'SSH-2.0-dropbear_2022.83\r\n', 'SSH (server greeting dropbear_2022.83)'],
  ['server', 'INFO {"server_id":"NA","version":"2.10.1-Zq81xY7p"}\r\n', 'NATS (server greeting 2.10.1)'],
  ['client', '\0\0\0\x08\x04\xd2\x16\x30', 'PostgreSQL'],
  ['client', '\0\0\0\x29\0\x03\0\0user\0kine\0', 'PostgreSQL'],
  ['server', 'INFO {"server_id":"NA","version":"<b>"}\r\n', 'NATS'],
  ['client', 'version\r\n', 'memcached'],
  ['client', '\xe5\x3f\x43\x60\xd7\x4d\x10\x86', 'dqlite'],
  // A version that is none is not shown; nothing is named by half of it.
  ['server', 'J\0\0\0\n8.0 <script>\0', null],
  ['server', 'J\0\0\0', null],
  ['client', 'SSH', null],
  ['client', 'getaway car\r\n', null],
  ['client', 'hello', null],
  ['client', '', null],
])('%s: %j', (side, text, name) => {
  const first = side === 'client' ? { client: bytes(text), server: NONE } : { client: NONE, server: bytes(text) };
  expect(otherProtocol(first)).toBe(name);
});

// postgresql.org/docs, 55.7: ParameterStatus; redis.io/docs/latest/commands/hello, info.
it.each<[string, string, string | null]>([
  [
    'PostgreSQL',
    'R\0\0\0\x08\0\0\0\0S\0\0\0\x16client_encoding\0UTF8\0S\0\0\0\x18server_version\x0016.3 (Debian)\0',
    'PostgreSQL (server version 16.3)',
  ],
  ['PostgreSQL', 'R\0\0\0\x08\0\0\0\0', null],
  ['Redis', '%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.2.4\r\n', 'Redis (server version 7.2.4)'],
  ['Redis', '# Server\r\nredis_version:6.2.1\r\n', 'Redis (server version 6.2.1)'],
  ['Redis', '# Server\r\nredis_version:<script>\r\n', null],
  ['SSH', 'server_version\x0016', null],
])('the version that %s tells later: %j', (name, text, words) => expect(withVersion(name, bytes(text))).toBe(words));
