// Tells which addresses belong to one host.

import { isLoopback } from '../../core/address.js';
import type { Endpoint } from '../../packet/segment.js';

/** Programs that talk over loopback are one host's. */
export function hostOf(address: string): string {
  return isLoopback(address) ? LOCALHOST : address;
}

/** The address by which an endpoint is known: the host's, where it is on the host's loopback and that is known. */
export function addressOf({ address, host }: Endpoint): string {
  return host ?? address;
}

/** `192.0.2.10:6443`. */
export function placeOf(endpoint: Endpoint): string {
  return `${addressOf(endpoint)}:${endpoint.port}`;
}

/** Loopback is another name of a host that is known; so is the other address family, for the one server of its kind. */
export function sameHost(known: string, host: string, serving: boolean): boolean {
  if (known === host || known === LOCALHOST || host === LOCALHOST) return true;
  return serving && known.includes(':') !== host.includes(':');
}

/** Stands for all addresses of loopback. */
export const LOCALHOST = 'localhost';
