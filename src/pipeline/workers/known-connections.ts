// Connections that were told to another thread as what they are, so that they stay one and the same there. Knows numbers of
// connections; both threads forget in the same place.

import type { Connection } from '../../tcp/stream-event.js';

export class KnownConnections {
  readonly #known = new Map<number, Connection>();
  #closing = -1;

  get(id: number): Connection | undefined {
    return this.#known.get(id);
  }

  add(connection: Connection): void {
    this.#known.set(connection.id, connection);
  }

  /** Its bytes were counted. What its end leads to is still to be said, before another one closes: until then it is known. */
  closes(id: number): void {
    if (this.#closing !== id) this.#known.delete(this.#closing);
    this.#closing = id;
  }
}
