// Which address a capture's host has, where it has to be known whose a loopback is: told by the way that packets went, as
// Linux's cooked headers have it (`-i any`). Knows which way segments went; nothing of who speaks.
//
//   lo    192.0.2.11 → 192.0.2.11   both ends are the host's own, or the packet were not there
//   eth0  192.0.2.11 → 192.0.2.10   a SYN that went out, from an address that nothing came in from: what a host hands on came
//                                   in before (a Pod's), and an address that stands for others (a Service's) begins nothing
//         192.0.2.11 → 192.0.2.30   what only answers, where no other address does: it could be a Service's

import type { Frame } from '../capture/frame.js';
import { isLoopback } from '../core/address.js';
import { packetDirection } from './link.js';
import { ACK, type Segment, SYN } from './segment.js';

interface LoopbackUse {
  /** Packets that say so, by address. */
  readonly onLoopback: Map<string, number>;
  readonly began: Map<string, number>;
  readonly answered: Map<string, number>;
  /** What came in from elsewhere. */
  readonly heard: Set<string>;
}

export class HostAddresses {
  readonly #places = new Map<number, LoopbackUse>();

  /** @param place number of the capture, or of several of one host. @param segment what the frame carries. */
  feed(place: number, { linkType, data }: Frame, { flow, flags }: Segment): void {
    const way = packetDirection(linkType, data);
    if (way === null) return;
    let known = this.#places.get(place);
    if (known === undefined) {
      known = { onLoopback: new Map(), began: new Map(), answered: new Map(), heard: new Set() };
      this.#places.set(place, known);
    }
    const { address } = flow.source;
    if (isLoopback(address)) return;
    if (way === 'loopback') count(known.onLoopback, address);
    else if (way === 'in') {
      if (known.heard.size < MAX_ADDRESSES) known.heard.add(address);
      known.began.delete(address);
      known.answered.delete(address);
    } else if (!known.heard.has(address)) {
      count((flags & (SYN | ACK)) === SYN ? known.began : known.answered, address);
    }
  }

  /** The address of its host; null: nothing told it. */
  of(place: number): string | null {
    const known = this.#places.get(place);
    if (known === undefined) return null;
    return (
      mostOf(known.onLoopback) ?? mostOf(known.began) ?? (known.answered.size === 1 ? mostOf(known.answered) : null)
    );
  }

  /** More packets may tell it, or better. */
  isOpen(place: number): boolean {
    const known = this.#places.get(place);
    if (known === undefined) return false;
    const address = this.of(place);
    const packets = address === null ? 0 : (known.onLoopback.get(address) ?? known.began.get(address) ?? 0);
    return packets < ENOUGH;
  }
}

function count(addresses: Map<string, number>, address: string): void {
  if (addresses.size < MAX_ADDRESSES || addresses.has(address))
    addresses.set(address, (addresses.get(address) ?? 0) + 1);
}

/** The one that most packets tell; the first of them where several are equal. */
function mostOf(addresses: ReadonlyMap<string, number>): string | null {
  let most: string | null = null;
  for (const [address, packets] of addresses) if (most === null || packets > addresses.get(most)!) most = address;
  return most;
}

/** Packets that say so: one could be of an address that is forwarded and was missed when it came in. */
const ENOUGH = 8;
/** Of one host: its own are few, those that it hears from as many as the cluster has. 0.1 KiB each. */
const MAX_ADDRESSES = 10_000;
