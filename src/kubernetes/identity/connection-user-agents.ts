// Finds the User-Agent that names the program of a connection, where one request names only its HTTP library: discovery and
// readiness checks often use Go-http-client on the connection of the other requests.

import { BoundedMap } from '../../core/collections/bounded.js';
import { readUserAgent } from './components.js';

export class ConnectionUserAgents {
  /** By connection: the User-Agent of the only program so far; null: there were several. */
  readonly #named = new BoundedMap<number, string | null>(MAX_CONNECTIONS, 'user agents of connections');

  /** @returns the User-Agent that identifies the client of a request. */
  of(connection: number, userAgent: string | undefined): string | undefined {
    if (userAgent === undefined) return undefined;
    const named = this.#named.get(connection);
    if (named === userAgent) return userAgent;
    const { component, names } = readUserAgent(userAgent);
    if (component === null) return GO.test(userAgent) ? (named ?? userAgent) : userAgent;
    if (names !== 'program') return userAgent;
    if (named === undefined) this.#named.set(connection, userAgent);
    else if (named !== null) this.#named.set(connection, null);
    return userAgent;
  }
}

const GO = /^[Gg]o-http-client\//;
/** Limit: connections whose only User-Agent is remembered, 0.1 KiB each; a forgotten one goes by the request's own User-Agent. */
const MAX_CONNECTIONS = 20_000;
