// HTTP/2 connections of a fixture as plaintext, and the messages made of them: whole, or from a moment on, as a capture
// that begins then would have them. HPACK state is lost at the cut, TLS is not.
import { captureReader } from '../../src/capture/capture-reader.js';
import { httpDetect } from '../../src/http/detect.js';
import { exchanges } from '../../src/http/exchange/exchanges.js';
import type { ExchangeEvent } from '../../src/http/exchange-event.js';
import { PROTOCOLS } from '../../src/http/protocols.js';
import { bodyFraming } from '../../src/kubernetes/api/framing.js';
import { interpreter } from '../../src/kubernetes/interpreter.js';
import type { Message } from '../../src/kubernetes/messages/message.js';
import { duplicateFilter } from '../../src/packet/duplicates.js';
import { packetDecoder } from '../../src/packet/packet-decoder.js';
import { redactionOf } from '../../src/redaction/redaction.js';
import { tcpReassembler } from '../../src/tcp/reassembler.js';
import type { Connection, Side, StreamEvent } from '../../src/tcp/stream-event.js';
import { secretStore } from '../../src/tls/key-log.js';
import { tlsStage } from '../../src/tls/tls-stage.js';
import { fixture } from './fixtures.js';

/** Events of every connection whose HTTP/2 preface is there. */
export function http2Connections(capture: string, keyLog: string): StreamEvent[][] {
  const secrets = secretStore();
  secrets.add(Buffer.from(fixture(keyLog)).toString('utf8'), keyLog);
  const decoder = packetDecoder();
  const duplicates = duplicateFilter();
  const reassembler = tcpReassembler();
  const tls = tlsStage(secrets);
  const connections = new Map<Connection, StreamEvent[]>();
  const take = (items: readonly { kind: string }[]): void => {
    for (const item of items as StreamEvent[]) {
      if (!('connection' in item) || item.connection === undefined || typeof item.connection === 'string') continue;
      const events = connections.get(item.connection) ?? [];
      connections.set(item.connection, events);
      events.push(item.kind === 'data' ? { ...item, bytes: Uint8Array.from(item.bytes) } : item);
    }
  };
  const decrypt = (items: readonly { kind: string }[]): void => {
    for (const item of items) if (item.kind !== 'notice') take(tls.feed(item as StreamEvent));
  };
  const reader = captureReader({ capture: 0 });
  for (const item of [...reader.feed(fixture(capture)), ...reader.end()]) {
    if (item.kind !== 'frame') continue;
    for (const segment of decoder.feed(item)) {
      if (segment.kind !== 'segment') continue;
      for (const unique of duplicates.feed(segment)) if (unique.kind === 'segment') decrypt(reassembler.feed(unique));
    }
  }
  decrypt(reassembler.end());
  take([...tls.end()]);
  return [...connections.values()].filter((events) => {
    const first = events.find((event) => event.kind === 'data' && event.from === 'client');
    return first?.kind === 'data' && Buffer.from(first.bytes.subarray(0, 3)).toString() === 'PRI';
  });
}

/** What a capture that begins at `time` (ns) has of a connection, each direction from its next HTTP/2 frame on. */
export function cutAt(events: readonly StreamEvent[], time: bigint): StreamEvent[] {
  if (events[0].origin.time >= time) return [...events];
  const connection: Connection = { ...events[0].connection, roles: 'content' };
  const walks: Record<Side, FrameWalk> = { client: new FrameWalk(PREFACE_LENGTH), server: new FrameWalk(0) };
  const started = { client: false, server: false };
  const kept: StreamEvent[] = [];
  for (const event of events) {
    if (event.kind === 'data') {
      const boundary = walks[event.from].boundaryIn(event.bytes);
      if (event.origin.time < time) continue;
      if (started[event.from]) kept.push({ ...event, connection });
      else if (boundary >= 0) {
        started[event.from] = true;
        kept.push({ ...event, connection, bytes: event.bytes.subarray(boundary) });
      }
    } else if (event.origin.time >= time && event.kind !== 'established' && event.kind !== 'tls-established') {
      kept.push({ ...event, connection });
    }
  }
  return kept;
}

/** Exchange events of all connections in the order of time. */
export function exchangeEventsOf(connections: readonly (readonly StreamEvent[])[]): ExchangeEvent[] {
  const events: ExchangeEvent[] = [];
  for (const connection of connections) {
    if (connection.length === 0) continue;
    const http = httpDetect(PROTOCOLS)(connection[0].connection);
    const stage = exchanges({ framing: bodyFraming });
    const take = (items: readonly { kind: string }[]): void => {
      for (const item of items) if ('exchange' in item) events.push(item as ExchangeEvent);
    };
    for (const event of connection) for (const item of http.feed(event)) take(stage.feed(item));
    for (const item of http.end()) take(stage.feed(item));
    take(stage.end());
  }
  return events.sort((a, b) => (a.at.time < b.at.time ? -1 : a.at.time > b.at.time ? 1 : 0));
}

/** Messages by connection, stream, kind (events: type, uid and version too). */
export function messagesOf(connections: readonly (readonly StreamEvent[])[]): Map<string, Message> {
  const events = exchangeEventsOf(connections);
  const stage = interpreter({ redaction: redactionOf() });
  const messages = new Map<string, Message>();
  const keep = (items: readonly (Message | { kind: 'notice' })[]): void => {
    for (const item of items) {
      if (item.kind === 'notice') continue;
      const { connection, stream, kind, type, object } = item as Message;
      const event = kind === 'event' ? ` ${type} ${object?.uid} ${object?.resourceVersion}` : '';
      messages.set(`${connection} ${stream} ${kind}${event}`, item as Message);
    }
  };
  for (const event of events) keep(stage.feed(event));
  keep(stage.end());
  return messages;
}

/** Where the frames of one direction begin. */
class FrameWalk {
  readonly #header = new Uint8Array(9);
  #have = 0;
  #skip: number;

  constructor(skip: number) {
    this.#skip = skip;
  }

  /** Offset of the first frame that begins in these bytes; -1: none does. */
  boundaryIn(bytes: Uint8Array): number {
    let boundary = -1;
    let at = 0;
    while (at < bytes.length) {
      if (this.#skip > 0) {
        const count = Math.min(this.#skip, bytes.length - at);
        this.#skip -= count;
        at += count;
        continue;
      }
      if (this.#have === 0 && boundary < 0) boundary = at;
      this.#header[this.#have++] = bytes[at++];
      if (this.#have < 9) continue;
      this.#skip = (this.#header[0] << 16) | (this.#header[1] << 8) | this.#header[2];
      this.#have = 0;
    }
    return boundary;
  }
}

const PREFACE_LENGTH = 24;
