// A connection whose client and server were guessed from the ports and whose content says otherwise. Pure.

import { type Connection, type EndReason, otherSide, type StreamEvent } from '../tcp/stream-event.js';

/** The same connection with its ends exchanged; its name is rebuilt. */
export function reversed(connection: Connection): Connection {
  const { id, client, server } = connection;
  const name = `${server.address}:${server.port}-${client.address}:${client.port}`;
  return { id, client: server, server: client, name, roles: 'content' };
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
        reason: TURNED[event.reason] ?? event.reason,
      };
    default:
      return { ...event, connection };
  }
}

/** Who broke it off is the other, too. */
const TURNED: Readonly<Partial<Record<EndReason, EndReason>>> = { reset: 'aborted', aborted: 'reset' };
