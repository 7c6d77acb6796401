import { describe, expect, it } from 'vitest';
import { Causes } from './causes.js';
import { Sweeps } from './sweeps.js';
import type { Write } from './writes.js';

const PLACE = 'pods. team ';
const a = { key: `${PLACE}a`, uid: 'a', resourceVersion: '20' };

function write(seq: number, more: Partial<Write> = {}): Write {
  return { seq, writer: 1, deletes: true, state: 'pending', claimed: false, ...more };
}

function swept(takesAll = true): { causes: Causes; sweep: Write } {
  const causes = new Causes();
  const sweep = write(3);
  causes.swept(PLACE, sweep, takesAll);
  return { causes, sweep };
}

describe('what a deletion of a whole collection took', () => {
  it('is what its answer lists, and nothing else in that place, however long after', () => {
    const { causes, sweep } = swept();
    const fresh = { key: `${PLACE}fresh`, uid: 'fresh', resourceVersion: '40' };
    for (const one of [a, fresh]) expect(causes.ofEvent(one, true)).toBe('waits');
    expect(causes.ofEvent(a, false)).toBeUndefined();
    causes.answered({ key: PLACE }, sweep, true, undefined);
    causes.took(sweep, ['a']);
    expect(causes.ofEvent(a, true)).toEqual({ write: sweep });
    expect(causes.ofEvent({ ...a, uid: 'made anew' }, true)).toBeUndefined();
    expect(causes.ofEvent(fresh, true)).toBeUndefined();
  });

  it('is what goes before it is answered, where it selects nothing and nothing can be waited for', () => {
    for (const [takesAll, expected] of [
      [true, 3],
      [false, undefined],
    ] as const) {
      const { causes, sweep } = swept(takesAll);
      expect(causes.onlyPending(a, true)?.seq).toBe(expected);
      expect(causes.onlyPending(a, false)).toBeUndefined();
      sweep.state = 'failed';
      expect(causes.onlyPending(a, true)).toBeUndefined();
      expect(causes.ofEvent(a, true)).toBeUndefined();
    }
  });

  it('may be that of either, where two are out: then which one, its answer tells', () => {
    const { causes, sweep } = swept();
    const second = write(4, { writer: 2 });
    causes.swept(PLACE, second, true);
    expect(causes.onlyPending(a, true)).toBeUndefined();
    expect(causes.carriedOut({ ...a, uid: undefined }, false)).toEqual([sweep, second]);
    causes.answered({ key: PLACE }, second, true, undefined);
    causes.took(second, []);
    expect(causes.ofEvent(a, true)).toBe('waits');
    expect(causes.onlyPending(a, true)).toBe(sweep);
    causes.answered({ key: PLACE }, sweep, true, undefined);
    causes.took(sweep, ['a']);
    expect(causes.ofEvent(a, true)).toEqual({ write: sweep });
  });

  it('goes with who deletes it after its time to stop', () => {
    const { causes, sweep } = swept();
    causes.answered({ key: PLACE }, sweep, true, undefined);
    causes.took(sweep, ['a']);
    const last = write(9);
    causes.wrote({ key: a.key, uid: 'a' }, last);
    expect(causes.ofEvent(a, true)).toBe('waits');
    causes.answered({ key: a.key }, last, true, { ...a, resourceVersion: '19' });
    expect(causes.ofEvent(a, true)).toEqual({ write: last });
  });

  it.each(['before', 'behind'])('goes with who takes its finalizer, and is answered %s the event', (order) => {
    const { causes, sweep } = swept();
    const going = { ...a, resourceVersion: '10' };
    causes.heard(going, 7, { seq: 4, writer: undefined });
    causes.goes(going, false);
    causes.answered({ key: PLACE }, sweep, true, undefined);
    causes.took(sweep, ['a']);
    const taken = write(9, { deletes: false });
    causes.wrote({ key: a.key }, taken);
    // As it was: with the version in which it was asked to go.
    const answer = () => causes.answered({ key: a.key }, taken, true, going);
    if (order === 'before') answer();
    causes.heard(a, 7, { seq: 10, writer: undefined });
    if (order === 'behind') answer();
    expect(causes.ofEvent(a, true)).toEqual({ write: taken });
  });

  it('asks to go, too, what has finalizers or a grace period', () => {
    const { causes, sweep } = swept();
    const going = { ...a, resourceVersion: '10' };
    const [first, later] = [true, false].map((asks) => ({ asks, atOnce: false }));
    expect(causes.ofEvent(going, false, 5, first)).toBe('waits');
    causes.answered({ key: PLACE }, sweep, true, undefined);
    causes.took(sweep, ['a']);
    expect(causes.ofEvent(going, false, 5, first)).toEqual({ write: sweep });
    expect(causes.ofEvent({ ...going, resourceVersion: '11' }, false, 5, later)).toBeUndefined();
    // The same for one that others wrote before.
    const made = write(1);
    causes.wrote({ key: a.key, uid: 'a' }, made);
    causes.answered({ key: a.key }, made, true, { ...a, resourceVersion: '9' });
    expect(causes.ofEvent(going, false, 5, first)).toEqual({ write: sweep });
    expect(causes.ofEvent({ ...going, resourceVersion: '11' }, false, 5, later)).toBeUndefined();
  });

  it('is known of the last ones', () => {
    const sweeps = new Sweeps();
    const sweep = write(1);
    for (let i = 0; i <= 20_000; i++) sweeps.took(sweep, [`${i}`]);
    expect([sweeps.of('0'), sweeps.of('1')]).toEqual([undefined, sweep]);
  });
});
