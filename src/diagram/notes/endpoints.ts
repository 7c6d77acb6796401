// Who is where: which program answers at an address and port, which speaks from a host. What is known of connections in which
// nothing was said comes from those in which something was. Knows connections' names and messages one by one; bounded.

import { keep } from '../../core/collections/bounded.js';
import { clientOf, hostOf, serverOf } from '../../core/connection-name.js';
import type { Message } from '../../kubernetes/messages/message.js';

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

  /** `192.0.2.30, where kubectl is`, if only one program speaks from there. @param client address and port. */
  whereIs(client: string): string {
    const host = hostOf(client);
    const name = this.#hosts.get(host) ?? null;
    return name === null ? host : `${host}, where ${name} is`;
  }
}

/** Of a cluster's Pods and nodes. */
const MAX_ENDPOINTS = 10_000;
