// Reads the records of connections of a saved file, named `CLIENTIP:PORT-SERVERIP:PORT`, for summaries.

import { hostOf } from '../core/connection-name.js';
import { isRecord } from '../core/record.js';
import type { ProtocolFound } from '../http/http-event.js';
import type { Redaction } from '../redaction/redaction.js';
import type { Connection, StreamBytes } from '../tcp/stream-event.js';
import { isConnection, type SavedLine } from './message-fields.js';

type SavedConnectionItem = ProtocolFound | StreamBytes;

/**
 * A record of kind `connection`: what it spoke, and how many bytes it had.
 *
 * @param id of the connection in this run.
 * @returns null where the record is none of the format's.
 */
export function connectionItems(record: SavedLine, id: number, redaction: Redaction): SavedConnectionItem[] | null {
  const { roles, bytes, md5, protocol, why, detail, turned } = record;
  const connection = connectionOf(id, record['connection'], roles);
  if (connection === null || !isRecord(bytes)) return null;
  const { client, server } = bytes;
  if (!Number.isSafeInteger(client) || !Number.isSafeInteger(server)) return null;
  const items: SavedConnectionItem[] = [];
  if (typeof protocol === 'string' && PROTOCOLS.has(protocol)) {
    const found = turned === undefined ? connection : (connectionOf(id, turned, 'content') ?? connection);
    items.push({
      kind: 'protocol',
      connection: found,
      protocol: protocol as ProtocolFound['protocol'],
      ...(typeof why === 'string' ? { why: redaction.name(why) } : null),
      ...(typeof detail === 'string' ? { detail: redaction.name(detail) } : null),
    });
  }
  const hashes =
    isRecord(md5) && isDigest(md5['client']) && isDigest(md5['server'])
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
  if (typeof name !== 'string' || !isConnection(name)) return null;
  const [client, server] = name.split('-').map((end) => ({
    address: hostOf(end),
    port: Number(end.slice(end.lastIndexOf(':') + 1)),
  }));
  return { id, client, server, name, roles: roles === 'handshake' || roles === 'content' ? roles : 'port' };
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);
}

const PROTOCOLS = new Set(['http/1', 'http/2', 'encrypted', 'silent', 'unknown']);
