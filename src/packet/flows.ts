// Finds the Flow object for the addresses and ports of a packet, in a cache of fixed size: an evicted flow is only made anew.

import { ipv4Text, ipv6Text } from '../core/address.js';
import { u16be, u32be } from '../core/bytes/bytes.js';
import type { Endpoint, Flow } from './segment.js';

/**
 * Caches the flows of one IP version. Keys are numbers, compared word by word, so a packet of a cached flow allocates no text. The
 * two directions of a connection share their texts.
 *
 *   words of a place   [ source address … | destination address … | ports ]
 */
export class FlowCache {
  /** Size of both addresses. */
  readonly pairBytes: number;
  readonly #addressBytes: number;
  readonly #words: number;
  readonly #keys: Int32Array;
  readonly #flows: (Flow | undefined)[];
  /** The key of the current lookup, and the place for it if it is not in the cache. */
  readonly #sought: Int32Array;
  #place = 0;

  /** @param addressBytes 4 or 16. */
  constructor(addressBytes: 4 | 16) {
    this.pairBytes = 2 * addressBytes;
    this.#addressBytes = addressBytes;
    this.#words = addressBytes / 2 + 1;
    this.#keys = new Int32Array(PLACES * this.#words);
    this.#flows = new Array(PLACES).fill(undefined);
    this.#sought = new Int32Array(this.#words);
  }

  /**
   * @param ip has source and destination address, one after the other, at `ipAt`.
   * @param tcp has source and destination port at `tcpAt`.
   */
  find(ip: Uint8Array, ipAt: number, tcp: Uint8Array, tcpAt: number): Flow {
    const sought = this.#sought;
    const last = this.#words - 1;
    for (let i = 0; i < last; i += 1) sought[i] = u32be(ip, ipAt + 4 * i);
    sought[last] = u32be(tcp, tcpAt);
    return this.#seek() ?? this.#put(ip, ipAt, tcp, tcpAt);
  }

  #seek(): Flow | undefined {
    const sought = this.#sought;
    const keys = this.#keys;
    const last = this.#words - 1;
    const ports = sought[last];
    let hash = Math.imul(ports, 0x9e3779b1);
    for (let i = 0; i < last; i += 1) {
      hash = Math.imul(hash ^ sought[i], 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    const home = hash & (PLACES - 1);
    for (let probe = 0; probe < PROBES; probe += 1) {
      const place = (home + probe) & (PLACES - 1);
      const flow = this.#flows[place];
      if (flow === undefined) {
        this.#place = place;
        return undefined;
      }
      const keyAt = place * this.#words;
      let at = 0;
      // Ports are compared first, because they differ between connections of the same hosts.
      if (keys[keyAt + last] === ports) while (at < last && keys[keyAt + at] === sought[at]) at += 1;
      if (at === last) return flow;
    }
    this.#place = home;
    return undefined;
  }

  #put(ip: Uint8Array, ipAt: number, tcp: Uint8Array, tcpAt: number): Flow {
    const place = this.#place;
    this.#swapDirection();
    const back = this.#seek();
    this.#swapDirection();
    this.#keys.set(this.#sought, place * this.#words);
    const flow = back === undefined ? this.#make(ip, ipAt, tcp, tcpAt) : reversed(back);
    this.#flows[place] = flow;
    return flow;
  }

  /** Replaces the key of the current lookup by that of the other direction. */
  #swapDirection(): void {
    const sought = this.#sought;
    const last = this.#words - 1;
    const half = last / 2;
    for (let i = 0; i < half; i += 1) {
      const word = sought[i];
      sought[i] = sought[half + i];
      sought[half + i] = word;
    }
    sought[last] = (sought[last] << 16) | (sought[last] >>> 16);
  }

  #make(ip: Uint8Array, ipAt: number, tcp: Uint8Array, tcpAt: number): Flow {
    const address = this.#addressBytes === 4 ? ipv4Text : ipv6Text;
    return flowBetween(
      { address: address(ip, ipAt), port: u16be(tcp, tcpAt) },
      { address: address(ip, ipAt + this.#addressBytes), port: u16be(tcp, tcpAt + 2) },
    );
  }
}

export function flowBetween(source: Endpoint, destination: Endpoint): Flow {
  const from = `${source.address}:${source.port}`;
  const to = `${destination.address}:${destination.port}`;
  const key = `${from}-${to}`;
  return { key, reverseKey: `${to}-${from}`, source, destination, note: undefined, reverse: undefined };
}

/** Creates the other direction of a flow. Each refers to the other's current object, so that no evicted one stays alive. */
export function reversed(flow: Flow): Flow {
  const { key, reverseKey, source, destination } = flow;
  flow.reverse = {
    key: reverseKey,
    reverseKey: key,
    source: destination,
    destination: source,
    note: undefined,
    reverse: flow,
  };
  return flow.reverse;
}

/** Limit: directions whose names are kept, a power of two: a busy API server has some thousand open connections. 4 MiB with names. */
const PLACES = 8192;
/** Limit: places of a lookup in that table before the first one is evicted, which bounds the cost of forged collisions. */
const PROBES = 8;
