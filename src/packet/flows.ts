// Addresses and ports in a packet → the Flow object of that direction. A cache with a fixed number of places: whatever
// a capture holds, the memory is bounded, and a forgotten flow is only made anew.

import { u16be, u32be } from '../core/bytes.js';
import { ipv4Text, ipv6Text } from './address.js';
import type { Endpoint, Flow } from './segment.js';

/**
 * Flows of one IP version. The key is numbers, compared word by word: no text is made for a packet of a known flow.
 *
 *   words of a place   [ source address … | destination address … | ports ]
 */
export class FlowCache {
  readonly #addressBytes: number;
  readonly #words: number;
  readonly #keys: Int32Array;
  readonly #flows: (Flow | undefined)[];

  /** @param addressBytes 4 or 16. */
  constructor(addressBytes: 4 | 16) {
    this.#addressBytes = addressBytes;
    this.#words = addressBytes / 2 + 1;
    this.#keys = new Int32Array(PLACES * this.#words);
    this.#flows = new Array(PLACES).fill(undefined);
  }

  /**
   * @param ip bytes with source and destination address, one after the other, at `ipAt`.
   * @param tcp bytes with source and destination port at `tcpAt`.
   */
  find(ip: Uint8Array, ipAt: number, tcp: Uint8Array, tcpAt: number): Flow {
    const ports = u32be(tcp, tcpAt) | 0;
    if (this.#addressBytes === 4) return this.#findShort(ip, ipAt, tcp, tcpAt, ports);
    const addressWords = this.#words - 1;
    let hash = Math.imul(ports, 0x9e3779b1);
    for (let i = 0; i < addressWords; i += 1) {
      hash = Math.imul(hash ^ u32be(ip, ipAt + 4 * i), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    const home = hash & (PLACES - 1);
    for (let probe = 0; probe < PROBES; probe += 1) {
      const place = (home + probe) & (PLACES - 1);
      const flow = this.#flows[place];
      if (flow === undefined) return this.#put(place, ip, ipAt, tcp, tcpAt);
      if (this.#is(place * this.#words, ip, ipAt, ports)) return flow;
    }
    return this.#put(home, ip, ipAt, tcp, tcpAt);
  }

  /** As `find` with words of IPv4, read once. */
  #findShort(ip: Uint8Array, ipAt: number, tcp: Uint8Array, tcpAt: number, ports: number): Flow {
    const source = u32be(ip, ipAt) | 0;
    const destination = u32be(ip, ipAt + 4) | 0;
    const keys = this.#keys;
    let hash = Math.imul(Math.imul(ports, 0x9e3779b1) ^ source, 0x85ebca6b);
    hash ^= hash >>> 15;
    hash = Math.imul(hash ^ destination, 0x85ebca6b);
    hash ^= hash >>> 15;
    const home = hash & (PLACES - 1);
    for (let probe = 0; probe < PROBES; probe += 1) {
      const place = (home + probe) & (PLACES - 1);
      const flow = this.#flows[place];
      if (flow === undefined) return this.#put(place, ip, ipAt, tcp, tcpAt);
      const keyAt = place * 3;
      if (keys[keyAt + 2] === ports && keys[keyAt + 1] === destination && keys[keyAt] === source) return flow;
    }
    return this.#put(home, ip, ipAt, tcp, tcpAt);
  }

  #is(keyAt: number, ip: Uint8Array, ipAt: number, ports: number): boolean {
    const keys = this.#keys;
    const addressWords = this.#words - 1;
    if (keys[keyAt + addressWords] !== ports) return false;
    for (let i = 0; i < addressWords; i += 1) if (keys[keyAt + i] !== (u32be(ip, ipAt + 4 * i) | 0)) return false;
    return true;
  }

  #put(place: number, ip: Uint8Array, ipAt: number, tcp: Uint8Array, tcpAt: number): Flow {
    const addressWords = this.#words - 1;
    const keyAt = place * this.#words;
    for (let i = 0; i < addressWords; i += 1) this.#keys[keyAt + i] = u32be(ip, ipAt + 4 * i);
    this.#keys[keyAt + addressWords] = u32be(tcp, tcpAt);
    const address = this.#addressBytes === 4 ? ipv4Text : ipv6Text;
    const flow = flowBetween(
      { address: address(ip, ipAt), port: u16be(tcp, tcpAt) },
      { address: address(ip, ipAt + this.#addressBytes), port: u16be(tcp, tcpAt + 2) },
    );
    this.#flows[place] = flow;
    return flow;
  }
}

function flowBetween(source: Endpoint, destination: Endpoint): Flow {
  const from = `${source.address}:${source.port}`;
  const to = `${destination.address}:${destination.port}`;
  return { key: `${from}-${to}`, reverseKey: `${to}-${from}`, source, destination };
}

/** Directions kept, a power of two: a busy API server has some thousands of connections open. 4 MiB with their names. */
const PLACES = 8192;
/** Places looked at before the first is given up, so that made collisions cost no more than this. */
const PROBES = 8;
