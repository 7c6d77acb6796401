// Compares addresses by the host that they belong to.

import { isLoopback } from '../../core/address.js';
import type { Endpoint } from '../../packet/segment.js';

/** All loopback addresses are those of the captured host: `localhost`. */
export function hostOf(address: string): string {
  return isLoopback(address) ? LOCALHOST : address;
}

/** The address of an endpoint; for a loopback address that of its host, where the capture shows which host it is. */
export function addressOf({ address, host }: Endpoint): string {
  return host ?? address;
}

/** `192.0.2.10:6443`. */
export function placeOf(endpoint: Endpoint): string {
  return `${addressOf(endpoint)}:${endpoint.port}`;
}

/**
 * Whether two addresses may be of one host: they are equal, one is loopback, or they are the IPv4 and the IPv6 address of a server.
 * @param serving both are addresses of the only server of its component, which listens on both families.
 */
export function sameHost(known: string, host: string, serving: boolean): boolean {
  if (known === host || known === LOCALHOST || host === LOCALHOST) return true;
  return serving && known.includes(':') !== host.includes(':');
}

/** Stands for all addresses of loopback. */
export const LOCALHOST = 'localhost';
