// Which program speaks on a connection, where one of its requests only says in which language it is written: who looks whether
// the API server is there, or asks for its groups, often does so with a client of its own (Go-http-client) on the connection
// that its other requests take. Knows User-Agents; two programs on one connection are a proxy's, and then it tells nothing.

import { keep } from '../../core/collections/bounded.js';
import { readUserAgent } from './components.js';

export class ConnectionUserAgents {
  /** By connection: the User-Agent of the only program so far; null: there were several. */
  readonly #named = new Map<number, string | null>();

  /** @returns the User-Agent that tells who sends a request. */
  of(connection: number, userAgent: string | undefined): string | undefined {
    if (userAgent === undefined) return undefined;
    const named = this.#named.get(connection);
    if (named === userAgent) return userAgent;
    const { component, says } = readUserAgent(userAgent);
    if (component === null) return GO.test(userAgent) ? (named ?? userAgent) : userAgent;
    if (says !== 'program') return userAgent;
    if (named === undefined) keep(this.#named, connection, userAgent, MAX_CONNECTIONS);
    else if (named !== null) this.#named.set(connection, null);
    return userAgent;
  }
}

const GO = /^[Gg]o-http-client\//;
/** One that is forgotten goes by its words. 0.1 KiB each. */
const MAX_CONNECTIONS = 20_000;
