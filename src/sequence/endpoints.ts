// Who is where: which program answers at an address and port, which speaks from a host. What is known of connections in which
// nothing was said comes from those in which something was. Knows connections' names and messages one by one; bounded.

import { keep } from '../core/bounded.js';
import type { Message } from '../kubernetes/message.js';

export class Endpoints {
  readonly #servers = new Map<string, string>();
  /** By address; null: several programs. */
  readonly #hosts = new Map<string, string | null>();

  add({ kind, connection, from, to }: Message): void {
    if (kind !== 'request') return;
    keep(this.#servers, serverOf(connection), to.name, MAX_ENDPOINTS);
    const host = hostOf(clientOf(connection));
    const known = this.#hosts.get(host);
    const name = from.process.name;
    if (known === undefined) keep(this.#hosts, host, name, MAX_ENDPOINTS);
    else if (known !== name && known !== null) this.#hosts.set(host, null);
  }

  /** Who answers there when it does. @param server address and port. */
  nameOf(server: string): string | undefined {
    return this.#servers.get(server);
  }

  /** Who speaks from there, if it is one program. @param client address and port. */
  speakerAt(client: string): string | undefined {
    return this.#hosts.get(hostOf(client)) ?? undefined;
  }
}

/** @param connection `CLIENT:PORT-SERVER:PORT`. */
export function clientOf(connection: string): string {
  return connection.slice(0, connection.indexOf('-'));
}

export function serverOf(connection: string): string {
  return connection.slice(connection.indexOf('-') + 1);
}

export function hostOf(endpoint: string): string {
  return endpoint.slice(0, endpoint.lastIndexOf(':'));
}

/** Of a cluster's Pods and nodes. */
const MAX_ENDPOINTS = 10_000;
