// Counts and hashes the bytes of every connection as they pass between two stages.

import { type Notice, notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import type { Connection, StreamBytes, StreamEvent } from './stream-event.js';

/** Part of node's `crypto.Hash`. */
export interface Hash {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

interface ByteTally {
  client: number;
  server: number;
  clientHash: Hash | null;
  serverHash: Hash | null;
}

export interface StreamDigest extends Stage<StreamEvent | Notice, StreamEvent | Notice | StreamBytes> {
  /** Like `feed`, for a caller that passes the event on itself. */
  count(event: StreamData): void;
}

type StreamData = Extract<StreamEvent, { kind: 'data' }>;

/**
 * Passes on all items and emits `stream-bytes` before the last `closed` of a connection, and tcp.refused if it was reset without
 * bytes. Bytes of gaps do not count, because they are not in the capture.
 * @param newHash creates an MD5; null to count only.
 */
export function streamDigest(newHash: (() => Hash) | null): StreamDigest {
  const tallies = new Map<Connection, ByteTally>();
  // Computed once, because refused connections have no bytes.
  const hashOfNothing = newHash === null ? '' : newHash().digest('hex');

  const bytesOf = (connection: Connection): StreamBytes => {
    const tally = tallies.get(connection);
    tallies.delete(connection);
    return {
      kind: 'stream-bytes',
      connection,
      bytes: { client: tally?.client ?? 0, server: tally?.server ?? 0 },
      md5:
        newHash === null
          ? null
          : {
              client: tally?.clientHash?.digest('hex') ?? hashOfNothing,
              server: tally?.serverHash?.digest('hex') ?? hashOfNothing,
            },
    };
  };

  const count = ({ connection, from, bytes }: StreamData): void => {
    let tally = tallies.get(connection);
    if (tally === undefined) {
      tally = { client: 0, server: 0, clientHash: newHash?.() ?? null, serverHash: newHash?.() ?? null };
      tallies.set(connection, tally);
    }
    if (from === 'client') {
      tally.client += bytes.length;
      tally.clientHash?.update(bytes);
    } else {
      tally.server += bytes.length;
      tally.serverHash?.update(bytes);
    }
  };

  return {
    count,
    feed(event) {
      if (event.kind === 'data') count(event);
      else if (event.kind === 'closed' && event.from === null) {
        const total = bytesOf(event.connection);
        if (event.reason !== 'reset' || total.bytes.client + total.bytes.server > 0) return [total, event];
        const where = { origin: event.origin, connection: event.connection.name };
        return [total, notice('tcp.refused', 'reset, and nothing was sent', where), event];
      }
      return [event];
    },
    end() {
      return [...tallies.keys()].map(bytesOf);
    },
  };
}
