// From packets that two places saw to how far their clocks are apart. Knows numbers: differences by direction, and which
// of two hosts sent. Nothing of packets or captures.
//
//   a packet from a's side to b's   difference = skew + the way it went      never below the skew
//   a packet from b's side to a's   difference = skew - the way it went      never above the skew
//
// So the quickest packets of both directions are bounds, and the skew is in the middle of them, as NTP has it (RFC 5905
// section 8). Bounds with zero between them are what two clocks in step show: then nothing is corrected.

import type { CommonPacket } from './common-packets.js';

export interface Skew {
  /** ns that `b`'s clock is ahead of `a`'s; 0n: in step, as far as the packets can tell. */
  readonly ahead: bigint;
  /** ns: how far off `ahead` may be: half the distance of the bounds, and more where a difference of less is taken as none. */
  readonly error: bigint;
  readonly packets: number;
}

/** What was measured between two places. */
export class SkewEstimate {
  /** Differences are kept as numbers, as distances from the first. */
  #base: bigint | null = null;
  readonly #hosts = new Map<string, Ways>();
  #packets = 0;

  add({ atA, atB, hosts, onward }: CommonPacket): void {
    const difference = atB.time - atA.time;
    this.#base ??= difference;
    let ways = this.#hosts.get(hosts);
    if (ways === undefined) {
      if (this.#hosts.size >= MAX_HOSTS) return;
      ways = { onward: [], back: [] };
      this.#hosts.set(hosts, ways);
    }
    const way = onward ? ways.onward : ways.back;
    if (way.length >= ENOUGH) return;
    way.push(Number(difference - this.#base));
    this.#packets += 1;
  }

  /** More packets would not make it better. */
  get isSettled(): boolean {
    for (const { onward, back } of this.#hosts.values())
      if (onward.length >= ENOUGH && back.length >= ENOUGH) return true;
    return false;
  }

  /** null: too few packets to say anything. */
  result(): Skew | null {
    if (this.#base === null) return null;
    const away: number[] = [];
    const home: number[] = [];
    const single: number[] = [];
    for (const { onward, back } of this.#hosts.values()) {
      if (onward.length < FEW || back.length < FEW) single.push(...onward, ...back);
      else {
        // Whatever the skew, packets from a's side show the greater differences.
        const isOnward = quantile(onward, 0.5) >= quantile(back, 0.5);
        away.push(...(isOnward ? onward : back));
        home.push(...(isOnward ? back : onward));
      }
    }
    const base = this.#base;
    const packets = this.#packets;
    if (away.length > 0) {
      const upper = quantile(away, QUICK);
      const lower = quantile(home, 1 - QUICK);
      const ahead = base + BigInt(Math.round((upper + lower) / 2));
      const error = BigInt(Math.round(Math.abs(upper - lower) / 2));
      return { ...told(ahead, error, error + STAMPS), packets };
    }
    if (single.length < FEW) return null;
    const ahead = base + BigInt(Math.round(quantile(single, 0.5)));
    return { ...told(ahead, LONGEST_WAY, LONGEST_WAY), packets };
  }
}

/**
 * Up to `least` it is no sign of skew, but the skew can still lie at the far bound:
 *
 *   lower         0    ahead        upper         told: 0 with the distance to `upper` as error
 *     |-----------|------+------------|
 */
function told(ahead: bigint, error: bigint, least: bigint): Pick<Skew, 'ahead' | 'error'> {
  const distance = absolute(ahead);
  return distance <= least ? { ahead: 0n, error: distance + error } : { ahead, error };
}

interface Ways {
  readonly onward: number[];
  readonly back: number[];
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * part)];
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Packets of each direction between two hosts that are asked for: what is the quickest of so many is hardly ever in a queue. */
const ENOUGH = 256;
/** Packets of a direction that say something: one alone may have been sent twice and captured once at each place. */
const FEW = 4;
/** Of the quickest packets this part is left out, for those whose copies were not the same one. */
const QUICK = 0.01;
/** Pairs of hosts told apart. Two captures share the traffic of one host with some others. */
const MAX_HOSTS = 256;
/** ns: two time stamps of a µs capture, each cut off. */
const STAMPS = 2_000n;
/**
 * ns: the way of a packet where only one direction is to be seen, and way and skew cannot be told apart. Less than it is
 * no sign of skew; copies are recognised up to it too (duplicates.ts).
 */
const LONGEST_WAY = 100_000_000n;
