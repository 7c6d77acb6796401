// Estimates how far the clocks of two places are apart from the times of packets that both captured.
//
//   a packet from a's side to b's   difference = skew + delay      never below the skew
//   a packet from b's side to a's   difference = skew - delay      never above the skew
//
// The fastest packets of both directions are bounds, and the skew is assumed in their middle, as in NTP (RFC 5905 section 8).
// If zero is between the bounds the clocks may be synchronous, and nothing is corrected.

import type { CommonPacket } from './common-packets.js';

export interface Skew {
  /** ns that the clock of `b` is ahead of that of `a`; 0n if the packets show no difference. */
  readonly ahead: bigint;
  /** ns that `ahead` may be off: half the distance of the bounds, more if a small difference was taken as none. */
  readonly error: bigint;
  readonly packets: number;
}

/** The differences between two places. */
export class SkewEstimate {
  /** The first difference, from which the others are stored as distances. */
  #base: bigint | null = null;
  readonly #hosts = new Map<string, Differences>();
  #packets = 0;

  add({ atA, atB, hosts, onward }: CommonPacket): void {
    const difference = atB.time - atA.time;
    this.#base ??= difference;
    let differences = this.#hosts.get(hosts);
    if (differences === undefined) {
      if (this.#hosts.size >= MAX_HOSTS) return;
      differences = { onward: [], back: [] };
      this.#hosts.set(hosts, differences);
    }
    const list = onward ? differences.onward : differences.back;
    if (list.length >= ENOUGH) return;
    list.push(Number(difference - this.#base));
    this.#packets += 1;
  }

  /** Whether more packets would not improve the result. */
  get isSettled(): boolean {
    for (const { onward, back } of this.#hosts.values())
      if (onward.length >= ENOUGH && back.length >= ENOUGH) return true;
    return false;
  }

  /** null if there are too few packets. */
  result(): Skew | null {
    if (this.#base === null) return null;
    const fromA: number[] = [];
    const fromB: number[] = [];
    const single: number[] = [];
    for (const { onward, back } of this.#hosts.values()) {
      if (onward.length < FEW || back.length < FEW) single.push(...onward, ...back);
      else {
        // Whatever the skew, packets from a's side have the greater differences.
        const isFromA = quantile(onward, 0.5) >= quantile(back, 0.5);
        fromA.push(...(isFromA ? onward : back));
        fromB.push(...(isFromA ? back : onward));
      }
    }
    const base = this.#base;
    const packets = this.#packets;
    if (fromA.length > 0) {
      const upper = quantile(fromA, FASTEST);
      const lower = quantile(fromB, 1 - FASTEST);
      const ahead = base + BigInt(Math.round((upper + lower) / 2));
      const error = BigInt(Math.round(Math.abs(upper - lower) / 2));
      return { ...significant(ahead, error, error + STAMPS), packets };
    }
    if (single.length < FEW) return null;
    const ahead = base + BigInt(Math.round(quantile(single, 0.5)));
    return { ...significant(ahead, LONGEST_DELAY, LONGEST_DELAY), packets };
  }
}

/**
 * A difference up to `least` is no sign of skew, but the skew can still be at the far bound:
 *
 *   lower         0    ahead        upper         result: 0 with the distance to `upper` as error
 *     |-----------|------+------------|
 */
function significant(ahead: bigint, error: bigint, least: bigint): Pick<Skew, 'ahead' | 'error'> {
  const distance = absolute(ahead);
  return distance <= least ? { ahead: 0n, error: distance + error } : { ahead, error };
}

interface Differences {
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

/** Packets of each direction between two hosts: the fastest of so many hardly ever waited in a queue. */
const ENOUGH = 256;
/** Packets of a direction as evidence: a single one may have been sent twice and captured once at each place. */
const FEW = 4;
/** Part of the fastest packets that is ignored, because their copies may be of two transmissions. */
const FASTEST = 0.01;
/** Limit: pairs of hosts whose packets show how far two clocks are apart; two captures share the traffic of one host with some others. */
const MAX_HOSTS = 256;
/** ns: two time stamps of a µs capture, each truncated. */
const STAMPS = 2_000n;
/**
 * ns: longest delay of a packet, if only one direction was captured and delay and skew cannot be separated. A smaller difference
 * is no sign of skew; the duplicate filter recognises copies up to it too.
 */
const LONGEST_DELAY = 100_000_000n;
