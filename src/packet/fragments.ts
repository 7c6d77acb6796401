// Reassembles IP fragments (RFC 791 section 3.2, RFC 8200 section 4.5).

import { EMPTY_BYTES } from '../core/bytes/bytes.js';
import type { Origin } from '../core/origin.js';
import type { PacketTally } from './tally.js';

/** A packet of which fragments have arrived. */
interface Datagram {
  readonly first: Origin;
  bytes: Uint8Array;
  /** 1 for each unit of 8 bytes that has arrived; fragments are cut at multiples of 8. */
  have: Uint8Array;
  /** Units up to the farthest that arrived, and how many of them are missing. */
  units: number;
  missing: number;
  /** Bytes of the whole packet; -1 until the last fragment has arrived. */
  length: number;
  done: boolean;
}

//   bytes   [ 8 | 8 | 8 | 8 | 8 | 5 ]
//   have    [ 1 | 1 | 0 | 0 | 1 | 1 ]
//
// Ids are reused, so fragments of two packets can meet in a capture that lacks some (RFC 4963). A fragment that contradicts earlier
// ones belongs to another packet: the earlier packet is lost (RFC 5722; Linux drops both), and the newer one begins there.
export class Fragments {
  /** In order of their first fragments. */
  readonly #datagrams = new Map<string, Datagram>();
  readonly #tally: PacketTally;
  #bytes = 0;

  constructor(tally: PacketTally) {
    this.#tally = tally;
  }

  /**
   * Adds the fragment `bytes[start, end)` at `offset` (bytes, a multiple of 8) of the packet `key`.
   * @param isSound whether a whole payload has a correct checksum, so that its fragments are of one packet.
   * @returns the payload of the whole packet if this fragment completes it, owned by the caller.
   */
  add(
    key: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    more: boolean,
    origin: Origin,
    isSound: (whole: Uint8Array) => boolean,
  ): Uint8Array | null {
    this.#expire(origin.time);
    let datagram = this.#datagrams.get(key);
    // Further fragments of a completed packet are copies from a second interface, until its id may have been reused.
    if (datagram?.done === true && !within(datagram.first.time, origin.time, COPIES)) {
      this.#datagrams.delete(key);
      datagram = undefined;
    }
    if (datagram?.done === true) return null;
    if (datagram !== undefined && contradicts(datagram, bytes, start, end, offset, more)) {
      this.#drop(key, datagram);
      datagram = undefined;
    }
    const known = datagram !== undefined;
    datagram ??= this.#open(key, origin);
    let whole = this.#insert(datagram, bytes, start, end, offset, more);
    if (whole !== null && !isSound(whole)) {
      this.#tally.add('packet.fragment-lost', 'fragments that are not of one packet', datagram.first);
      this.#datagrams.delete(key);
      // This fragment may be the first of another packet.
      whole = null;
      if (known) this.#insert(this.#open(key, origin), bytes, start, end, offset, more);
    }
    this.#enforceLimits();
    return whole;
  }

  /** Counts the incomplete packets. */
  end(): void {
    for (const datagram of this.#datagrams.values()) this.#countLost(datagram);
    this.#datagrams.clear();
  }

  #open(key: string, origin: Origin): Datagram {
    const datagram: Datagram = {
      first: origin,
      bytes: EMPTY_BYTES,
      have: EMPTY_BYTES,
      units: 0,
      missing: 0,
      length: -1,
      done: false,
    };
    this.#datagrams.set(key, datagram);
    return datagram;
  }

  #insert(d: Datagram, bytes: Uint8Array, start: number, end: number, offset: number, more: boolean) {
    const first = offset / UNIT;
    const stop = first + Math.ceil((end - start) / UNIT);
    if (stop > d.units) this.#extend(d, stop);
    if (!more && d.length < 0) d.length = offset + end - start;
    for (let unit = first; unit < stop; unit += 1) {
      if (d.have[unit] === 1) continue;
      const runStart = unit;
      while (unit < stop && d.have[unit] === 0) unit += 1;
      const from = start + (runStart - first) * UNIT;
      d.bytes.set(bytes.subarray(from, Math.min(start + (unit - first) * UNIT, end)), runStart * UNIT);
      d.have.fill(1, runStart, unit);
      d.missing -= unit - runStart;
    }
    return d.length >= 0 && d.missing === 0 ? this.#complete(d) : null;
  }

  #extend(d: Datagram, units: number): void {
    d.missing += units - d.units;
    d.units = units;
    if (units <= d.have.length) return;
    const capacity = Math.max(units, Math.min(2 * d.have.length, DATAGRAM_BYTES / UNIT));
    const { bytes, have } = d;
    d.bytes = new Uint8Array(capacity * UNIT);
    d.bytes.set(bytes);
    d.have = new Uint8Array(capacity);
    d.have.set(have);
    this.#bytes += d.bytes.length - bytes.length;
  }

  #complete(d: Datagram): Uint8Array {
    const whole = d.bytes.subarray(0, d.length);
    this.#bytes -= d.bytes.length;
    d.bytes = EMPTY_BYTES;
    d.have = EMPTY_BYTES;
    d.done = true;
    return whole;
  }

  #expire(now: bigint): void {
    for (const [key, datagram] of this.#datagrams) {
      if (within(datagram.first.time, now, TIMEOUT)) return;
      this.#drop(key, datagram);
    }
  }

  #enforceLimits(): void {
    for (const [key, datagram] of this.#datagrams) {
      if (this.#datagrams.size <= DATAGRAMS && this.#bytes <= WAITING_BYTES) return;
      if (!datagram.done) this.#tally.add('limit.fragments', 'fragmented packets given up', datagram.first);
      this.#drop(key, datagram);
    }
  }

  #drop(key: string, datagram: Datagram): void {
    this.#countLost(datagram);
    this.#bytes -= datagram.bytes.length;
    this.#datagrams.delete(key);
  }

  #countLost(datagram: Datagram): void {
    if (!datagram.done) this.#tally.add('packet.fragment-lost', 'fragments without the rest', datagram.first);
  }
}

// Whether a fragment cannot be of the packet `d`: it has other bytes, another end, or bytes after the end.
function contradicts(d: Datagram, bytes: Uint8Array, start: number, end: number, offset: number, more: boolean) {
  const stop = offset + end - start;
  if (d.length >= 0 && (more ? stop > d.length : stop !== d.length)) return true;
  if (!more && d.units * UNIT >= stop + UNIT) return true;
  for (let at = offset; at < Math.min(stop, d.units * UNIT); at += 1)
    if (d.have[Math.floor(at / UNIT)] === 1 && d.bytes[at] !== bytes[start + at - offset]) return true;
  return false;
}

function within(a: bigint, b: bigint, span: bigint): boolean {
  const distance = b - a;
  return distance <= span && distance >= -span;
}

const UNIT = 8;
/** Limit in bytes: the largest IP length, rounded up. */
const DATAGRAM_BYTES = 65_536;
/** Limit: packets that wait for fragments, and completed ones: half of the 16 KiB packets that Linux holds in `ipfrag_high_thresh`. */
const DATAGRAMS = 512;
/** Limit in bytes: waiting fragments (Linux: `ipfrag_high_thresh`). */
const WAITING_BYTES = 4 * 1024 * 1024;
/** Limit in ns: capture time that fragments wait for the rest (Linux: `ipfrag_time`, 30 s). */
const TIMEOUT = 30_000_000_000n;
/** ns in which fragments of a completed packet are copies. At 10 Gbit/s the IPv4 id of full packets is reused after 80 ms. */
const COPIES = 50_000_000n;
