// Records which program answers at an address and port, and which sends from an address.

import { BoundedMap } from '../../core/collections/bounded.js';
import { clientOf, hostOf, serverOf } from '../../core/connection-name.js';
import type { Message } from '../../kubernetes/messages/message.js';

export class Endpoints {
  readonly #servers = new BoundedMap<string, string>(MAX_ENDPOINTS, 'names of servers');
  /** Address → program; null: several programs. */
  readonly #hosts = new BoundedMap<string, string | null>(MAX_ENDPOINTS, 'hosts of servers');

  add({ kind, connection, from, to }: Message): void {
    if (kind !== 'request') return;
    this.#servers.set(serverOf(connection), to.name);
    const host = hostOf(clientOf(connection));
    const known = this.#hosts.get(host);
    const name = from.process.name;
    if (known === undefined) this.#hosts.set(host, name);
    else if (known !== name && known !== null) this.#hosts.set(host, null);
  }

  /** @param server address and port. */
  nameOf(server: string): string | undefined {
    return this.#servers.get(server);
  }

  /** `192.0.2.30 (host of kubectl)`, if only one program sends from there. @param client address and port. */
  whereIs(client: string): string {
    const host = hostOf(client);
    const name = this.#hosts.get(host) ?? null;
    return name === null ? host : `${host} (host of ${name})`;
  }
}

/** Limit: addresses whose programs are known, for connections without data: those of Pods and nodes of a cluster. */
const MAX_ENDPOINTS = 10_000;
