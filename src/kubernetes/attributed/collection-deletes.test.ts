import { describe, expect, it } from 'vitest';
import { CollectionDeletes } from './collection-deletes.js';
import { WriteCorrelator } from './write-correlation.js';
import type { Write } from './writes.js';

const PLACE = 'pods. team ';
const a = { key: `${PLACE}a`, uid: 'a', resourceVersion: '20' };

function write(seq: number, more: Partial<Write> = {}): Write {
  return { seq, writer: 1, deletes: true, state: 'pending', claimed: false, ...more };
}

function swept(takesAll = true): { causes: WriteCorrelator; sweep: Write } {
  const causes = new WriteCorrelator();
  const sweep = write(3);
  causes.collectionDeleteRequested(PLACE, sweep, takesAll);
  return { causes, sweep };
}

describe('what a deletion of a whole collection took', () => {
  it('is what its answer lists, and nothing else in that place, however long after', () => {
    const { causes, sweep } = swept();
    const fresh = { key: `${PLACE}fresh`, uid: 'fresh', resourceVersion: '40' };
    for (const one of [a, fresh]) expect(causes.causeOfEvent(one, true)).toBe('waits');
    expect(causes.causeOfEvent(a, false)).toBeUndefined();
    causes.observeResponse({ key: PLACE }, sweep, true, undefined);
    causes.collectionDeleted(sweep, ['a']);
    expect(causes.causeOfEvent(a, true)).toMatchObject({ write: sweep });
    expect(causes.causeOfEvent({ ...a, uid: 'made anew' }, true)).toBeUndefined();
    expect(causes.causeOfEvent(fresh, true)).toBeUndefined();
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
      expect(causes.causeOfEvent(a, true)).toBeUndefined();
    }
  });

  it('may be that of either, where two are pending: its response decides', () => {
    const { causes, sweep } = swept();
    const second = write(4, { writer: 2 });
    causes.collectionDeleteRequested(PLACE, second, true);
    expect(causes.onlyPending(a, true)).toBeUndefined();
    expect(causes.carriedOut({ ...a, uid: undefined }, false)).toEqual([sweep, second]);
    causes.observeResponse({ key: PLACE }, second, true, undefined);
    causes.collectionDeleted(second, []);
    expect(causes.causeOfEvent(a, true)).toBe('waits');
    expect(causes.onlyPending(a, true)).toBe(sweep);
    causes.observeResponse({ key: PLACE }, sweep, true, undefined);
    causes.collectionDeleted(sweep, ['a']);
    expect(causes.causeOfEvent(a, true)).toMatchObject({ write: sweep });
  });

  it('goes with who deletes it after its time to stop', () => {
    const { causes, sweep } = swept();
    causes.observeResponse({ key: PLACE }, sweep, true, undefined);
    causes.collectionDeleted(sweep, ['a']);
    const last = write(9);
    causes.observeWrite({ key: a.key, uid: 'a' }, last);
    expect(causes.causeOfEvent(a, true)).toBe('waits');
    causes.observeResponse({ key: a.key }, last, true, { ...a, resourceVersion: '19' });
    expect(causes.causeOfEvent(a, true)).toMatchObject({ write: last });
  });

  it.each(['before', 'behind'])('goes with who takes its finalizer, and is answered %s the event', (order) => {
    const { causes, sweep } = swept();
    const going = { ...a, resourceVersion: '10' };
    causes.observeDelivery(going, 7, { seq: 4, time: 0, writer: undefined });
    causes.terminating(going, false);
    causes.observeResponse({ key: PLACE }, sweep, true, undefined);
    causes.collectionDeleted(sweep, ['a']);
    const taken = write(9, { deletes: false });
    causes.observeWrite({ key: a.key }, taken);
    // As it was: with the version in which it was asked to go.
    const answer = () => causes.observeResponse({ key: a.key }, taken, true, going);
    if (order === 'before') answer();
    causes.observeDelivery(a, 7, { seq: 10, time: 0, writer: undefined });
    if (order === 'behind') answer();
    expect(causes.causeOfEvent(a, true)).toMatchObject({ write: taken });
  });

  it('asks to go, too, what has finalizers or a grace period', () => {
    const { causes, sweep } = swept();
    const going = { ...a, resourceVersion: '10' };
    const [first, later] = [true, false].map((requested) => ({ requested, graceExpired: false }));
    expect(causes.causeOfEvent(going, false, 5, first)).toBe('waits');
    causes.observeResponse({ key: PLACE }, sweep, true, undefined);
    causes.collectionDeleted(sweep, ['a']);
    expect(causes.causeOfEvent(going, false, 5, first)).toMatchObject({ write: sweep });
    expect(causes.causeOfEvent({ ...going, resourceVersion: '11' }, false, 5, later)).toBeUndefined();
    // The same for one that others wrote before.
    const made = write(1);
    causes.observeWrite({ key: a.key, uid: 'a' }, made);
    causes.observeResponse({ key: a.key }, made, true, { ...a, resourceVersion: '9' });
    expect(causes.causeOfEvent(going, false, 5, first)).toMatchObject({ write: sweep });
    expect(causes.causeOfEvent({ ...going, resourceVersion: '11' }, false, 5, later)).toBeUndefined();
  });

  it('is known of the last ones', () => {
    const sweeps = new CollectionDeletes();
    const sweep = write(1);
    for (let i = 0; i <= 20_000; i++) sweeps.deleted(sweep, [`${i}`]);
    expect([sweeps.of('0'), sweeps.of('1')]).toEqual([undefined, sweep]);
  });
});
