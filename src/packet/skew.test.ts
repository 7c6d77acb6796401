import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommonPacket } from './common-packets.js';
import { SkewEstimate } from './skew.js';

const NOON = 1_700_000_000_000_000_000n;
const MILLISECOND = 1_000_000n;

/** A packet between a's host and b's that was `way` ns on its way, where b's clock is ahead by `skew` ns. */
function sighting(fromA: boolean, way: bigint, skew: bigint, hosts = 'a b'): CommonPacket {
  const difference = skew + (fromA ? way : -way);
  return {
    a: 0,
    b: 1,
    atA: { capture: 0, frame: 1, time: NOON },
    atB: { capture: 1, frame: 1, time: NOON + difference },
    hosts,
    onward: fromA,
  };
}

function estimate(sightings: readonly CommonPacket[]) {
  const skew = new SkewEstimate();
  for (const one of sightings) skew.add(one);
  return skew;
}

/** Ten packets each way, some of them in queues. */
function traffic(skew: bigint, there: bigint, back: bigint): CommonPacket[] {
  return Array.from({ length: 20 }, (_, i) => {
    const queue = i % 3 === 0 ? BigInt(i) * MILLISECOND : 0n;
    return sighting(i % 2 === 0, (i % 2 === 0 ? there : back) + queue, skew);
  });
}

describe('SkewEstimate', () => {
  it('finds the skew between the quickest packets of both directions', () => {
    expect(estimate(traffic(1_500_000_000n, 40_000n, 40_000n)).result()).toEqual({
      ahead: 1_500_000_000n,
      error: 40_000n,
      packets: 20,
    });
  });

  it('finds a clock that is behind, by years too', () => {
    const years = -50n * 365n * 86_400n * 1_000_000_000n;
    expect(estimate(traffic(years, 1000n, 1000n)).result()?.ahead).toBe(years);
  });

  it.each([
    ['0', 0n],
    ['less than the way of a packet', 15n * MILLISECOND],
  ])('leaves clocks alone whose skew is %s', (_name, skew) => {
    expect(estimate(traffic(skew, 20n * MILLISECOND, 20n * MILLISECOND)).result()?.ahead).toBe(0n);
  });

  it('never corrects clocks in step, whatever the delays, and is never farther off than its error', () => {
    const ways = fc.array(fc.bigInt(0n, 10n ** 9n), { minLength: 4, maxLength: 40 });
    // Of the size of the ways, of a time stamp, and of hours.
    const skews = fc.oneof(...[10n ** 9n, 10n ** 4n, 10n ** 13n].map((most) => fc.bigInt(-most, most)));
    fc.assert(
      fc.property(ways, ways, skews, (there, back, skew) => {
        const packets = (by: bigint) => [
          ...there.map((way) => sighting(true, way, by)),
          ...back.map((way) => sighting(false, way, by)),
        ];
        expect(estimate(packets(0n)).result()?.ahead).toBe(0n);
        const found = estimate(packets(skew)).result()!;
        const off = found.ahead - skew;
        expect(off < 0n ? -off : off).toBeLessThanOrEqual(found.error);
      }),
      { numRuns: 1000, examples: [[[267_711_342n, 267_711_342n, 267_711_342n, 5n], [0n, 0n, 0n, 0n], -2005n]] },
    );
  });

  it('works without knowing which host is on which side', () => {
    const turned = traffic(7n * MILLISECOND, 1000n, 1000n).map((one) => ({ ...one, onward: !one.onward }));
    expect(estimate(turned).result()?.ahead).toBe(7n * MILLISECOND);
  });

  it('is not misled by a packet that was sent twice and captured once at each place', () => {
    const many = Array.from({ length: 10 }, () => traffic(MILLISECOND, 5000n, 5000n)).flat();
    const found = estimate([...many, sighting(true, -200n * MILLISECOND, MILLISECOND)]).result();
    expect(found?.ahead).toBe(MILLISECOND);
  });

  it('with one direction only, accepts a difference longer than any delay', () => {
    const oneWay = (skew: bigint) => Array.from({ length: 8 }, () => sighting(true, 1000n, skew));
    expect(estimate(oneWay(50n * MILLISECOND)).result()?.ahead).toBe(0n);
    expect(estimate(oneWay(2000n * MILLISECOND)).result()?.ahead).toBe(2_000_001_000n);
  });

  it('needs more than three packets', () => {
    expect(estimate(traffic(MILLISECOND, 1n, 1n).slice(0, 3)).result()).toBeNull();
  });
});
