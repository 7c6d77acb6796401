// Exchanges client and server of a connection whose roles were guessed wrongly from the ports.

import { type Connection, type EndReason, otherSide, type StreamEvent } from '../tcp/stream-event.js';

export function reversed(connection: Connection): Connection {
  const { id, client, server, captured } = connection;
  const name = `${server.address}:${server.port}-${client.address}:${client.port}`;
  return { id, client: server, server: client, name, roles: 'content', captured };
}

/** @param connection the reversed one. */
export function reversedEvent(event: StreamEvent, connection: Connection): StreamEvent {
  switch (event.kind) {
    case 'data':
    case 'gap':
      return { ...event, connection, from: otherSide(event.from) };
    case 'closed':
      return {
        ...event,
        connection,
        from: event.from === null ? null : otherSide(event.from),
        reason: REVERSED_REASON[event.reason] ?? event.reason,
      };
    default:
      return { ...event, connection };
  }
}

const REVERSED_REASON: Readonly<Partial<Record<EndReason, EndReason>>> = { reset: 'aborted', aborted: 'reset' };
