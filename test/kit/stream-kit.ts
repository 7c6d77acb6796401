// A fixture's connections as the reader of HTTP gets them: by the stages before it, or from pieces that were written down.
import { captureReader } from '../../src/capture/capture-reader.js';
import { packetDecoder } from '../../src/packet/packet-decoder.js';
import { tcpReassembler } from '../../src/tcp/reassembler.js';
import type { Connection, Side, StreamEvent } from '../../src/tcp/stream-event.js';
import { fixture, fixtureLines } from './fixtures.js';
import { originOf } from './http1-kit.js';

/** @param drops frames for which this is true are left out, as if the capture had lost them. */
export function connectionsOf(capture: string, drops: (frame: number) => boolean = () => false): StreamEvent[][] {
  const connections = new Map<Connection, StreamEvent[]>();
  const decoder = packetDecoder();
  const reassembler = tcpReassembler();
  const take = (items: readonly unknown[]): void => {
    for (const item of items as StreamEvent[]) {
      if (!EVENTS.has(item.kind)) continue;
      const events = connections.get(item.connection) ?? [];
      connections.set(item.connection, events);
      events.push(item.kind === 'data' ? { ...item, bytes: Uint8Array.from(item.bytes) } : item);
    }
  };
  for (const item of captureReader({ capture: 0 }).feed(fixture(capture))) {
    if (item.kind !== 'frame' || drops(item.origin.frame)) continue;
    for (const segment of decoder.feed(item)) if (segment.kind === 'segment') take(reassembler.feed(segment));
  }
  take(reassembler.end());
  return [...connections.values()];
}

/** Pieces and truth of `fixtures/http1/NAME.jsonl`: tshark's reassembly, one payload a line, and an independent decoder's findings. */
export function piecesOf<Truth>(name: string, roles: Connection['roles']): { events: StreamEvent[][]; truth: Truth[] } {
  const connections = new Map<string, StreamEvent[]>();
  const truth: Truth[] = [];
  for (const line of fixtureLines<Piece & { truth?: Truth }>(`http1/${name}.jsonl`)) {
    if (line.truth !== undefined) {
      truth.push(line.truth);
      continue;
    }
    const events = connections.get(line.connection) ?? [];
    connections.set(line.connection, events);
    const [client, server] = line.connection.split('-').map((end) => {
      const [address, port] = end.split(':');
      return { address, port: Number(port) };
    });
    const connection = events[0]?.connection ?? { id: connections.size, client, server, name: line.connection, roles };
    const bytes = Buffer.from(line.bytes, 'base64');
    events.push({ kind: 'data', connection, from: line.from, origin: originOf(line.frame), bytes });
  }
  return { events: [...connections.values()], truth };
}

interface Piece {
  connection: string;
  from: Side;
  frame: number;
  bytes: string;
}

const EVENTS = new Set(['established', 'data', 'gap', 'closed']);
