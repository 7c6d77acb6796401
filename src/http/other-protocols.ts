// Names the protocol of a connection that is not HTTP, by what its sides send first. It is not read; a reader learns what it is.

import { latin1 } from '../core/bytes/bytes.js';
import type { FirstBytes } from '../core/first-bytes.js';

interface OtherProtocol {
  readonly name: string;
  /** Of first bytes, a character each; its group is a version that the server tells. */
  readonly client?: RegExp;
  readonly server?: RegExp;
  /** The version in what the server says later. */
  readonly later?: RegExp;
}

/** A new protocol is a row with its source. Of a version only the numbers are told: what follows may be any text. */
const ROWS: readonly OtherProtocol[] = [
  // dev.mysql.com, Protocol::HandshakeV10; MariaDB puts 5.5.5- before its version (mariadb.com/kb/en/connection).
  { name: 'MySQL', server: /^[^\0]\0\0\0\x0a(?:5\.5\.5-)?(\d{1,3}(?:\.\d{1,3}){1,3}(?:-MariaDB)?)[\w.+~:-]{0,62}\0/ },
  // postgresql.org/docs, 54.7: StartupMessage 3.0, SSLRequest, GSSENCRequest.
  {
    name: 'PostgreSQL',
    client: /^\0\0(?:[\s\S]{2}\0\x03\0[\0-\x02]|\0\x08\x04\xd2\x16[\x2f\x30])/,
    // ParameterStatus.
    later: /S\0[\s\S]{3}server_version\0(\d{1,3}(?:\.\d{1,3}){0,3})(?![\w.])/,
  },
  // RFC 4253, section 4.2.
  {
    name: 'SSH',
    server:
      /^SSH-(?:2\.0|1\.99)-(?:((?:OpenSSH|dropbear|libssh|paramiko|Go)(?:[_-](?:for_Windows_)?\d{1,4}(?:\.\d{1,4}){0,3}(?:p\d{1,2})?)?)(?![\w.]))?/,
  },
  { name: 'SSH', client: /^SSH-(?:2\.0|1\.99)-/ },
  // docs.nats.io, nats-protocol.
  { name: 'NATS', server: /^INFO \{"server_id"(?:[^}]{0,200}?"version":"(\d{1,3}(?:\.\d{1,3}){1,3})[\w.+-]{0,30}")?/ },
  // redis.io/docs, RESP: an array of bulk strings.
  {
    name: 'Redis',
    client: /^\*\d{1,4}\r\n\$\d{1,6}\r\n/,
    // Of HELLO and INFO.
    later: /(?:^|\n)(?:redis_version:|version\r\n\$\d{1,2}\r\n)(\d{1,3}(?:\.\d{1,3}){1,3})[\w.-]{0,30}\r\n/,
  },
  // memcached, doc/protocol.txt.
  { name: 'memcached', client: /^(?:gets?|gat|set|add|delete|incr|stats|version|mn|mg|ms)(?: [^\r\n]{1,250})?\r\n/ },
  // docs.oracle.com, Java Debug Wire Protocol.
  { name: 'Java debugging (JDWP)', client: /^JDWP-Handshake/ },
  // github.com/go-delve/delve, service/rpc2; Debug Adapter Protocol.
  {
    name: 'Go debugging (Delve)',
    client: /^\{"method":"RPCServer\.|^Content-Length: \d+\r\n\r\n\{[\s\S]{0,40}"(?:seq|command|type)"/,
  },
  // github.com/canonical/go-dqlite, internal/protocol: the store of MicroK8s.
  { name: 'dqlite', client: /^(?:\xe5\x3f\x43\x60\xd7\x4d\x10\x86|\x01\0{7})/ },
  // kafka.apache.org/protocol: ApiVersions, which clients send first.
  { name: 'Kafka', client: /^\0\0[\0-\x02][\s\S]\0\x12\0[\0-\x08]/ },
  // amqp.org; MQTT 3.1.1 and 5, section 3.1.
  { name: 'AMQP', client: /^AMQP[\0-\x03]/ },
  { name: 'MQTT', client: /^\x10[\s\S]{1,4}\0\x04MQTT/ },
  // github.com/mongodb/specifications: OP_MSG and OP_QUERY.
  { name: 'MongoDB', client: /^[\s\S]{12}(?:\xdd|\xd4)\x07\0\0/ },
  // RFC 4511, BindRequest.
  { name: 'LDAP', client: /^\x30[\s\S]{1,5}\x02\x01[\s\S][\x60\x77]/ },
  // RFC 4271, section 4.1.
  { name: 'BGP', client: /^\xff{16}\0/ },
  // RFC 7766 and RFC 1035: a length, then a query with one question.
  { name: 'DNS', client: /^\0[\s\S]{3}[\0\x01][\s\S]\0\x01\0\0\0\0\0[\0\x01]/ },
  // RFC 5321, RFC 959.
  { name: 'SMTP or FTP', server: /^220[ -]/ },
];

/** @returns in words, with the version that the server tells; null: none of these. */
export function otherProtocol({ client, server }: FirstBytes): string | null {
  const ofClient = latin1(client, 0, Math.min(client.length, LOOKED_AT));
  const ofServer = latin1(server, 0, Math.min(server.length, LOOKED_AT));
  for (const row of ROWS) {
    const match = row.client?.exec(ofClient) ?? row.server?.exec(ofServer);
    if (match == null) continue;
    return match[1] === undefined ? row.name : `${row.name} (server greeting ${match[1]})`;
  }
  return null;
}

/**
 * @param name as `otherProtocol` gave it. @param bytes of the server, after the first ones.
 * @returns it with the version that they tell; null: they tell none.
 */
export function withVersion(name: string, bytes: Uint8Array): string | null {
  const later = ROWS.find((row) => row.name === name)?.later;
  const version = later?.exec(latin1(bytes, 0, Math.min(bytes.length, VERSION_LOOKED_AT)))?.[1];
  return version === undefined ? null : `${name} (server version ${version})`;
}

/** Bytes: of a segment. */
const VERSION_LOOKED_AT = 1460;
/** Bytes: of any greeting. */
const LOOKED_AT = 320;
