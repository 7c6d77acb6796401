import { expect, it } from 'vitest';
import { otherProtocol, withVersion } from './other-protocols.js';

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
const NONE = new Uint8Array(0);

// First bytes as the specifications have them.
it.each<[string, string, string | null]>([
  ['server', 'J\0\0\0\n8.0.36\0\x0b\0\0\0', 'MySQL (server greeting 8.0.36)'],
  ['server', 'd\0\0\0\n5.5.5-10.11.19-MariaDB\0\x03\0\0\0', 'MySQL (server greeting 10.11.19-MariaDB)'],
  ['client', '\0\0\0\x08\x04\xd2\x16\x2f', 'PostgreSQL'],
  ['client', '\0\0\0\x29\0\x03\0\0user\0kine\0', 'PostgreSQL'],
  ['server', 'SSH-2.0-OpenSSH_9.6\r\n', 'SSH (server greeting OpenSSH_9.6)'],
  ['server', 'INFO {"server_id":"NA","version":"2.10.0"}\r\n', 'NATS (server greeting 2.10.0)'],
  ['server', 'INFO {"server_id":"NA","version":"<b>"}\r\n', 'NATS'],
  ['client', '*1\r\n$4\r\nPING\r\n', 'Redis'],
  ['client', 'version\r\n', 'memcached'],
  ['client', 'JDWP-Handshake', 'Java debugging (JDWP)'],
  ['client', '{"method":"RPCServer.SetApiVersion","params":[]}', 'Go debugging (Delve)'],
  ['client', '\x01\0\0\0\0\0\0\0', 'dqlite'],
  ['client', 'AMQP\0\0\x09\x01', 'AMQP'],
  ['client', '\0\x1d\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x07example\x03com\0\0\x01\0\x01', 'DNS'],
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
