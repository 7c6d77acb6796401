// Addresses and ports in a packet → the Flow object of that direction. A cache with a fixed number of places: whatever
// a capture holds, the memory is bounded, and a forgotten flow is only made anew.

import { ipv4Text, ipv6Text } from '../core/address.js';
import { u16be, u32be } from '../core/bytes/bytes.js';
import type { Endpoint, Flow } from './segment.js';

/**
 * Flows of one IP version. The key is numbers, compared word by word: no text is made for a packet of a known flow. The
 * two directions of a connection share their texts.
 *
 *   words of a place   [ source address … | destination address … | ports ]
 */
export class FlowCache {
  /** Bytes of both addresses. */
  readonly pairBytes: number;
  readonly #addressBytes: number;
  readonly #words: number;
  readonly #keys: Int32Array;
  readonly #flows: (Flow | undefined)[];
  /** The key that is looked for, and where it belongs if it is not there. */
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
   * @param ip bytes with source and destination address, one after the other, at `ipAt`.
   * @param tcp bytes with source and destination port at `tcpAt`.
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
      // The ports first: they differ where the addresses are alike.
      if (keys[keyAt + last] === ports) while (at < last && keys[keyAt + at] === sought[at]) at += 1;
      if (at === last) return flow;
    }
    this.#place = home;
    return undefined;
  }

  #put(ip: Uint8Array, ipAt: number, tcp: Uint8Array, tcpAt: number): Flow {
    const place = this.#place;
    this.#turn();
    const back = this.#seek();
    this.#turn();
    this.#keys.set(this.#sought, place * this.#words);
    const flow = back === undefined ? this.#make(ip, ipAt, tcp, tcpAt) : reversed(back);
    this.#flows[place] = flow;
    return flow;
  }

  /** The other direction is what is sought. */
  #turn(): void {
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

function flowBetween(source: Endpoint, destination: Endpoint): Flow {
  const from = `${source.address}:${source.port}`;
  const to = `${destination.address}:${destination.port}`;
  const key = `${from}-${to}`;
  return { key, reverseKey: `${to}-${from}`, source, destination, note: undefined, reverse: undefined };
}

/** The other direction, made anew; each knows the other. */
export function reversed(flow: Flow): Flow {
  const { key, reverseKey, source, destination } = flow;
  // Each knows the other as it is known now, so that nobody holds one that was forgotten.
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

/** Directions kept, a power of two: a busy API server has some thousands of connections open. 4 MiB with their names. */
const PLACES = 8192;
/** Places looked at before the first is given up, so that made collisions cost no more than this. */
const PROBES = 8;
