// Connections as a saved file tells of them, for summaries: a record goes in, what detectors and digests of streams say comes
// out. Knows how a connection is named, `CLIENTIP:PORT-SERVERIP:PORT`.

import { hostOf } from '../core/connection-name.js';
import type { ProtocolFound } from '../http/http-event.js';
import type { Connection, StreamBytes } from '../tcp/stream-event.js';
import { isRecord, type Line, type TextRedaction } from './message-fields.js';

type ConnectionItem = ProtocolFound | StreamBytes;

/**
 * A record of kind `connection`: what it spoke, and how many bytes it had.
 *
 * @param id of the connection in this run.
 * @returns null where the record is none of the format's.
 */
export function connectionItems(record: Line, id: number, redaction: TextRedaction): ConnectionItem[] | null {
  const { roles, bytes, md5, protocol, why, turned } = record;
  const connection = connectionOf(id, record['connection'], roles);
  if (connection === null || !isRecord(bytes)) return null;
  const { client, server } = bytes;
  if (!Number.isSafeInteger(client) || !Number.isSafeInteger(server)) return null;
  const items: ConnectionItem[] = [];
  if (typeof protocol === 'string' && PROTOCOLS.has(protocol)) {
    const found = turned === undefined ? connection : (connectionOf(id, turned, 'content') ?? connection);
    items.push({
      kind: 'protocol',
      connection: found,
      protocol: protocol as ProtocolFound['protocol'],
      ...(typeof why === 'string' ? { why: redaction.text(why) } : null),
    });
  }
  const hashes =
    isRecord(md5) && typeof md5['client'] === 'string' && typeof md5['server'] === 'string'
      ? { client: md5['client'], server: md5['server'] }
      : null;
  items.push({
    kind: 'stream-bytes',
    connection,
    bytes: { client: client as number, server: server as number },
    md5: hashes,
  });
  return items;
}

/** @param name `CLIENTIP:PORT-SERVERIP:PORT`. */
function connectionOf(id: number, name: unknown, roles: unknown): Connection | null {
  if (typeof name !== 'string') return null;
  const ends = name.split('-');
  if (ends.length !== 2) return null;
  const [client, server] = ends.map((end) => ({
    address: hostOf(end),
    port: Number(end.slice(end.lastIndexOf(':') + 1)),
  }));
  if (!Number.isInteger(client.port) || !Number.isInteger(server.port)) return null;
  return { id, client, server, name, roles: roles === 'handshake' || roles === 'content' ? roles : 'port' };
}

const PROTOCOLS = new Set(['http/1', 'http/2', 'encrypted', 'silent', 'unknown']);
