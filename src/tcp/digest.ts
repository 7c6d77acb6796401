// A tap between two stages: counts and hashes the bytes of every connection as they pass. Changes nothing, knows no
// cipher: the constructor of the hash is its caller's.

import { type Notice, notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import type { Connection, StreamBytes, StreamEvent } from './stream-event.js';

/** What is needed of node's `crypto.Hash`. */
export interface Hash {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

interface Tally {
  client: number;
  server: number;
  clientHash: Hash | null;
  serverHash: Hash | null;
}

export interface StreamDigest extends Stage<StreamEvent | Notice, StreamEvent | Notice | StreamBytes> {
  /** As `feed`, for one who passes the event on himself. */
  count(event: StreamData): void;
}

type StreamData = Extract<StreamEvent, { kind: 'data' }>;

/**
 * Passes everything on, the same objects in the same order, and says `stream-bytes` just before the last `closed` of a
 * connection; where that was reset and had none, tcp.refused too. Bytes of gaps are not counted: they are not in the capture.
 *
 * @param newHash makes an MD5; null where only the counts are wanted.
 */
export function streamDigest(newHash: (() => Hash) | null): StreamDigest {
  const tallies = new Map<Connection, Tally>();
  // One direction without bytes is the usual case in refused connections: its digest is made once.
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
        const said = bytesOf(event.connection);
        if (event.reason !== 'reset' || said.bytes.client + said.bytes.server > 0) return [said, event];
        const where = { origin: event.origin, connection: event.connection.name };
        return [said, notice('tcp.refused', 'reset, and nothing was sent', where), event];
      }
      return [event];
    },
    end() {
      return [...tallies.keys()].map(bytesOf);
    },
  };
}
