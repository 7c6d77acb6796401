import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReceivedRanges } from './received-ranges.js';

/** A tracker that took everything below `next`, then had these ranges added. */
function received(next: number, ...ranges: [number, number][]): ReceivedRanges {
  const made = new ReceivedRanges();
  made.take(next);
  for (const [start, end] of ranges) made.add(start, end);
  return made;
}

const INFINITY = Number.POSITIVE_INFINITY;
/** What can be seen of a tracker over the offsets 0 … 100: where it stands, and the holes. */
const seen = (h: ReceivedRanges) => [h.next, h.contiguous, h.end, h.count, ...h.missing(0, 100)];

describe('an empty tracker', () => {
  it('stands at 0', () => expect(new ReceivedRanges().next).toBe(0));
  it('has nothing to take', () => expect(new ReceivedRanges().contiguous).toBe(0));
  it('has no end', () => expect(received(7).end).toBe(7));
  it('has nothing behind a hole', () => expect(new ReceivedRanges().afterHole).toBe(INFINITY));
  it('misses everything', () => expect(new ReceivedRanges().missing(0, 5)).toEqual([0, 5]));
  it('misses nothing of what was taken', () => expect(received(7).missing(0, 7)).toEqual([]));
  it('misses only what was not taken', () => expect(received(7).missing(3, 9)).toEqual([7, 9]));
  it('misses nothing of an empty range', () => expect(new ReceivedRanges().missing(4, 4)).toEqual([]));
});

describe('adding', () => {
  it('at next can be taken', () => expect(seen(received(0, [0, 5]))).toEqual([0, 5, 5, 1, 5, 100]));
  it('behind a hole cannot', () => expect(seen(received(0, [3, 5]))).toEqual([0, 0, 5, 1, 0, 3, 5, 100]));
  it('the same twice changes nothing', () =>
    expect(seen(received(0, [3, 5], [3, 5]))).toEqual(seen(received(0, [3, 5]))));
  it('inside changes nothing', () => expect(seen(received(0, [3, 9], [4, 6]))).toEqual(seen(received(0, [3, 9]))));
  it('around swallows', () => expect(seen(received(0, [4, 6], [3, 9]))).toEqual(seen(received(0, [3, 9]))));
  it('left overlap grows', () => expect(seen(received(0, [5, 9], [3, 6]))).toEqual(seen(received(0, [3, 9]))));
  it('right overlap grows', () => expect(seen(received(0, [3, 6], [5, 9]))).toEqual(seen(received(0, [3, 9]))));
  it('touching on the left merges', () => expect(received(0, [5, 9], [3, 5]).count).toBe(1));
  it('touching on the right merges', () => expect(received(0, [3, 5], [5, 9]).count).toBe(1));
  it('one apart does not merge', () => expect(received(0, [3, 5], [6, 9]).count).toBe(2));
  it('before others is sorted', () => expect(received(0, [6, 9], [3, 5]).missing(0, 9)).toEqual([0, 3, 5, 6]));
  it('between others is sorted', () =>
    expect(received(0, [1, 2], [7, 8], [4, 5]).missing(0, 8)).toEqual([0, 1, 2, 4, 5, 7]));
  it('between others merges three', () => expect(received(0, [1, 3], [5, 8], [3, 5]).missing(0, 8)).toEqual([0, 1]));
  it('over several swallows all', () => expect(received(0, [1, 2], [4, 5], [7, 8], [0, 9]).count).toBe(1));
  it('over several keeps the outer ends', () =>
    expect(seen(received(0, [1, 3], [6, 9], [2, 7]))).toEqual(seen(received(0, [1, 9]))));
  it('an empty range is nothing', () => expect(received(0, [4, 4]).count).toBe(0));
  it('below next is nothing', () => expect(received(7, [2, 6]).count).toBe(0));
  it('up to next is nothing', () => expect(received(7, [2, 7]).count).toBe(0));
  it('across next is cut there', () => expect(seen(received(7, [2, 9]))).toEqual([7, 9, 9, 1, 9, 100]));
  it('far ahead is kept', () => expect(received(0, [2 ** 40, 2 ** 40 + 1]).end).toBe(2 ** 40 + 1));
});

describe('what waits', () => {
  it('behind the first hole', () => expect(received(0, [3, 5], [8, 9]).afterHole).toBe(3));
  it('behind what can be taken', () => expect(received(0, [0, 2], [8, 9]).afterHole).toBe(8));
  it('nothing, if all can be taken', () => expect(received(0, [0, 2]).afterHole).toBe(INFINITY));
});

describe('taking', () => {
  const taken = (to: number, ...ranges: [number, number][]) => {
    const made = received(0, ...ranges);
    made.take(to);
    return seen(made);
  };
  it('what has arrived', () => expect(taken(5, [0, 5])).toEqual([5, 5, 5, 0, 5, 100]));
  it('a part of it', () => expect(taken(3, [0, 5])).toEqual([3, 5, 5, 1, 5, 100]));
  it('up to the second range makes that one ready', () =>
    expect(taken(3, [0, 2], [3, 5])).toEqual([3, 5, 5, 1, 5, 100]));
  it('across a hole', () => expect(taken(4, [0, 2], [3, 5])).toEqual([4, 5, 5, 1, 5, 100]));
  it('beyond everything', () => expect(taken(50, [0, 2], [3, 5])).toEqual([50, 50, 50, 0, 50, 100]));
  it('backwards is nothing', () => {
    const made = received(7);
    made.take(3);
    expect(seen(made)).toEqual(seen(received(7)));
  });
  it('forgetting keeps the place', () => {
    const made = received(7, [9, 12]);
    made.clear();
    expect(seen(made)).toEqual(seen(received(7)));
  });
});

it('agrees with a plain set of offsets', () => {
  const range = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 }), fc.boolean());
  fc.assert(
    fc.property(fc.array(range, { maxLength: 40 }), (steps) => {
      const made = new ReceivedRanges();
      const have = new Set<number>();
      for (const [start, length, take] of steps) {
        if (take) {
          for (let i = made.next; i < made.contiguous; i++) have.add(i);
          made.take(made.contiguous);
        } else {
          const fresh: number[] = [];
          const parts = made.missing(start, start + length);
          for (let i = 0; i < parts.length; i += 2) for (let at = parts[i]; at < parts[i + 1]; at++) fresh.push(at);
          const expected = Array.from({ length }, (_, i) => start + i).filter((at) => !have.has(at));
          expect(fresh).toEqual(expected);
          made.add(start, start + length);
          for (const at of expected) have.add(at);
        }
        let contiguous = made.next;
        while (have.has(contiguous)) contiguous += 1;
        expect(made.contiguous).toBe(contiguous);
      }
    }),
  );
});

it('stays linear over 65,536 alternating holes', () => {
  const made = new ReceivedRanges();
  for (let i = 0; i < 65_536; i++) made.add(2 * i + 1, 2 * i + 2);
  expect(made.count).toBe(65_536);
  for (let i = 0; i < 65_536; i++) made.add(2 * (65_535 - i), 2 * (65_535 - i) + 1);
  expect([made.count, made.contiguous]).toEqual([1, 131_072]);
});
