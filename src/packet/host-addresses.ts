// Infers an address of a capture's host from the direction of its packets in Linux cooked headers (`-i any`), so that the owner of
// a loopback is known.
//
//   lo    192.0.2.11 → 192.0.2.11   both ends of a packet on the loopback are the host's
//   eth0  192.0.2.11 → 192.0.2.10   a SYN that went out, from an address from which nothing came in: a packet that a host forwards
//                                   (a Pod's) came in before, and the address of a Service opens no connection
//         192.0.2.11 → 192.0.2.30   an address that only responds, if it is the only one: it could be a Service's

import type { Frame } from '../capture/frame.js';
import { isLoopback } from '../core/address.js';
import { packetDirection } from './link.js';
import { ACK, type Segment, SYN } from './segment.js';

/** What one place shows of its addresses: numbers of packets by source address. */
interface AddressUse {
  readonly onLoopback: Map<string, number>;
  readonly opening: Map<string, number>;
  readonly responding: Map<string, number>;
  /** Sources of packets that came in. */
  readonly incoming: Set<string>;
}

export class HostAddresses {
  readonly #places = new Map<number, AddressUse>();

  /** @param place number of a capture, or of several captures of one host. @param segment from the frame. */
  feed(place: number, { linkType, data }: Frame, { flow, flags }: Segment): void {
    const direction = packetDirection(linkType, data);
    if (direction === null) return;
    let use = this.#places.get(place);
    if (use === undefined) {
      use = { onLoopback: new Map(), opening: new Map(), responding: new Map(), incoming: new Set() };
      this.#places.set(place, use);
    }
    const { address } = flow.source;
    if (isLoopback(address)) return;
    if (direction === 'loopback') count(use.onLoopback, address);
    else if (direction === 'in') {
      if (use.incoming.size < MAX_ADDRESSES) use.incoming.add(address);
      use.opening.delete(address);
      use.responding.delete(address);
    } else if (!use.incoming.has(address)) {
      count((flags & (SYN | ACK)) === SYN ? use.opening : use.responding, address);
    }
  }

  /** An address of the host; null if none could be inferred. */
  of(place: number): string | null {
    const use = this.#places.get(place);
    if (use === undefined) return null;
    return mostOf(use.onLoopback) ?? mostOf(use.opening) ?? (use.responding.size === 1 ? mostOf(use.responding) : null);
  }

  /** Whether more packets could improve the result. */
  isOpen(place: number): boolean {
    const use = this.#places.get(place);
    if (use === undefined) return false;
    const address = this.of(place);
    const packets = address === null ? 0 : (use.onLoopback.get(address) ?? use.opening.get(address) ?? 0);
    return packets < ENOUGH;
  }
}

function count(addresses: Map<string, number>, address: string): void {
  if (addresses.size < MAX_ADDRESSES || addresses.has(address))
    addresses.set(address, (addresses.get(address) ?? 0) + 1);
}

/** The address with most packets, the first among equals. */
function mostOf(addresses: ReadonlyMap<string, number>): string | null {
  let most: string | null = null;
  for (const [address, packets] of addresses) if (most === null || packets > addresses.get(most)!) most = address;
  return most;
}

/** Packets as evidence: a single one could be forwarded and have been missed when it came in. */
const ENOUGH = 8;
/** Limit: addresses of one capture, to find its host's: a host has few, but may receive from all of the cluster. 0.1 KiB each. */
const MAX_ADDRESSES = 10_000;
