import { describe, expect, it } from 'vitest';
import { ObservedCauses } from '../../../test/kit/causes-kit.js';
import type { TriggerQuery } from './trigger-query.js';
import type { Write } from './writes.js';

const KEY = 'pods. default nginx';
const ASKS = { requested: true, graceExpired: false };

function asker(process: number, writer: number, more: Partial<TriggerQuery> = {}): TriggerQuery {
  return { process: [process], writer, resources: null, reactsToOwnWrites: false, ...more };
}

function write(seq: number, more: Partial<Write> = {}): Write {
  return { seq, writer: 1, deletes: false, state: 'pending', claimed: false, ...more };
}

describe('which write an event reports', () => {
  it('the one that made its version', () => {
    const causes = new ObservedCauses();
    const [a, b] = [write(1), write(2)];
    for (const [one, version] of [
      [a, '10'],
      [b, '11'],
    ] as const) {
      causes.observeWrite({ key: KEY }, one);
      causes.observeResponse({ key: KEY }, one, true, { key: KEY, uid: 'u', resourceVersion: version });
    }
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '11' }, false)).toMatchObject({ write: b });
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '10' }, false)).toMatchObject({ write: a });
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '12' }, false)).toBeUndefined();
  });

  it('waits while a response is pending, then decides', () => {
    const causes = new ObservedCauses();
    const a = write(1);
    causes.observeWrite({ key: KEY }, a);
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '10' }, false)).toBe('waits');
    causes.observeResponse({ key: KEY }, a, true, { key: KEY, uid: 'u', resourceVersion: '10' });
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '10' }, false)).toMatchObject({ write: a });
  });

  it('of two objects that had one name, the one that made it', () => {
    const causes = new ObservedCauses();
    const [first, second] = [write(1), write(4)];
    for (const [one, uid, version] of [
      [first, 'u1', '10'],
      [second, 'u2', '20'],
    ] as const) {
      causes.observeWrite({ key: KEY }, one);
      const told = { key: KEY, uid, resourceVersion: version };
      for (const process of [7, 8]) {
        expect(causes.causeOfEvent(told, false)).toBe('waits');
        causes.observeDelivery(told, process, { seq: one.seq + 1, time: 0, writer: undefined });
      }
      causes.observeResponse({ key: KEY }, one, true, told);
      expect(causes.causeOfEvent(told, false)).toMatchObject({ write: one });
    }
  });

  it('both versions of an eviction, where there is one', () => {
    const causes = new ObservedCauses();
    const told = (resourceVersion: string) => ({ key: KEY, uid: 'u', resourceVersion });
    const evict = (seq: number, resourceVersion: string): Write => {
      const one = write(seq, { evicts: true });
      causes.observeWrite({ key: KEY }, one);
      causes.observeResponse({ key: KEY }, one, true, undefined);
      expect(causes.causeOfEvent(told(resourceVersion), false)).toMatchObject({ write: one });
      one.resourceVersion = resourceVersion;
      return one;
    };
    const first = evict(1, '10');
    expect(causes.causeOfEvent(told('11'), false, undefined, ASKS)).toMatchObject({ write: first });
    expect(causes.causeOfEvent(told('11'), false)).toBeUndefined();
    expect(causes.causeOfEvent(told('9'), false, undefined, ASKS)).toBeUndefined();
    evict(2, '12');
    expect(causes.causeOfEvent(told('13'), false, undefined, ASKS)).toBeUndefined();
  });

  it('of a Pod without time to stop, all that an eviction or a deletion makes of it', () => {
    const atOnce = { requested: true, graceExpired: true };
    const told = (resourceVersion: string) => ({ key: KEY, uid: 'u', resourceVersion });
    for (const one of [write(1, { evicts: true, resourceVersion: '10' }), write(1, { deletes: true })]) {
      const causes = new ObservedCauses();
      causes.observeWrite({ key: KEY }, one);
      expect(causes.causeOfEvent(told('11'), false, undefined, atOnce)).toBe(one.deletes ? 'waits' : undefined);
      causes.observeResponse({ key: KEY }, one, true, one.deletes ? told('12') : undefined);
      expect(causes.causeOfEvent(told('11'), false, undefined, atOnce)).toMatchObject({ write: one });
      expect(
        causes.causeOfEvent(told('13'), false, undefined, { requested: false, graceExpired: false }),
      ).toBeUndefined();
      expect(causes.causeOfEvent(told('12'), true)).toMatchObject({ write: one });
    }
  });

  it('an evicted Pod with a grace period is removed by the kubelet that confirms it', () => {
    const causes = new ObservedCauses();
    const told = (resourceVersion: string) => ({ key: KEY, uid: 'u', resourceVersion });
    const one = write(1, { evicts: true, resourceVersion: '10', state: 'done' });
    causes.observeWrite({ key: KEY }, one);
    expect(causes.causeOfEvent(told('11'), false, undefined, ASKS)).toMatchObject({ write: one });
    expect(causes.causeOfEvent(told('12'), true)).toBeUndefined();
  });

  it('not one that failed', () => {
    const causes = new ObservedCauses();
    const a = write(1);
    causes.observeWrite({ key: KEY }, a);
    causes.observeResponse({ key: KEY }, a, false, undefined);
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '10' }, false)).toBeUndefined();
  });

  it('not one that changed nothing: its response has a version that was delivered before', () => {
    const causes = new ObservedCauses();
    const [made, same] = [write(1), write(2)];
    causes.observeWrite({ key: KEY }, made);
    causes.observeResponse({ key: KEY }, made, true, { key: KEY, uid: 'u', resourceVersion: '10' });
    causes.observeDelivery({ key: KEY, uid: 'u', resourceVersion: '10' }, 1, { seq: 3, time: 0, writer: 1 });
    causes.observeWrite({ key: KEY }, same);
    causes.observeResponse({ key: KEY }, same, true, { key: KEY, uid: 'u', resourceVersion: '10' });
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '11' }, false)).toBeUndefined();
  });

  it('one whose answer does not carry the object, where it is the only one (a binding)', () => {
    const causes = new ObservedCauses();
    const [binding, other] = [write(1), write(2)];
    causes.observeWrite({ key: KEY }, binding);
    causes.observeResponse({ key: KEY }, binding, true, undefined);
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '10' }, false)).toEqual({
      write: binding,
      isOnly: true,
    });
    causes.observeWrite({ key: KEY }, other);
    causes.observeResponse({ key: KEY }, other, true, undefined);
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '10' }, false)).toBeUndefined();
  });

  it('waits for a create whose object is named by the server', () => {
    const causes = new ObservedCauses();
    const made = write(1);
    causes.observeNamelessWrite('pods. default ', made);
    const event = { key: 'pods. default web-x7', uid: 'u', resourceVersion: '10' };
    expect(causes.causeOfEvent(event, false)).toBe('waits');
    causes.observeWrite({ key: event.key, uid: 'u' }, made);
    causes.observeResponse({ key: event.key }, made, true, event);
    expect(causes.causeOfEvent(event, false)).toMatchObject({ write: made });
  });

  it('waits for it too where somebody writes to what it made before it is answered', () => {
    const causes = new ObservedCauses();
    const [made, bound] = [write(1), write(3)];
    const told = { key: KEY, uid: 'u', resourceVersion: '10' };
    causes.observeNamelessWrite('pods. default ', made);
    expect(causes.causeOfEvent(told, false, 2)).toBe('waits');
    causes.observeDelivery(told, 7, { seq: 2, time: 0, writer: undefined });
    causes.observeWrite({ key: KEY, uid: 'u' }, bound);
    causes.observeResponse({ key: KEY }, bound, true, undefined);
    expect(causes.causeOfEvent(told, false, 2)).toBe('waits');
    // Delivered before the answer to the create.
    causes.observeDelivery({ ...told, resourceVersion: '11' }, 7, { seq: 4, time: 0, writer: 1 });
    made.creates = true;
    causes.observeWrite({ key: KEY, uid: 'u' }, made);
    causes.observeResponse({ key: KEY }, made, true, told);
    expect(causes.causeOfEvent(told, false, 2)).toMatchObject({ write: made });
  });

  it('one under the name of an object that was told before by its uid alone', () => {
    const causes = new ObservedCauses();
    const made = write(1);
    const told = { key: KEY, uid: 'u', resourceVersion: '10' };
    causes.observeWrite({ key: KEY }, made);
    causes.observeDelivery({ ...told, key: '' }, 7, { seq: 2, time: 0, writer: undefined });
    expect(causes.causeOfEvent(told, false, 3)).toBe('waits');
    causes.observeDelivery(told, 8, { seq: 3, time: 0, writer: undefined });
    causes.observeResponse({ key: KEY }, made, true, told);
    expect(causes.causeOfEvent(told, false, 3)).toMatchObject({ write: made });
  });

  it('a deletion that waited for a finalizer: the update that took it, whose answer is as it was', () => {
    const causes = new ObservedCauses();
    const [made, taken] = [write(1), write(5)];
    const asked = write(3, { deletes: true });
    const told = (version: string) => ({ key: KEY, uid: 'u', resourceVersion: version });
    for (const [one, version] of [
      [made, '10'],
      [asked, '11'],
      [taken, '11'],
    ] as const) {
      causes.observeWrite({ key: KEY }, one);
      if (one === taken) expect(causes.causeOfEvent(told('12'), true)).toBe('waits');
      causes.observeResponse({ key: KEY }, one, true, told(version));
      if (one !== taken) expect(causes.causeOfEvent(told(version), false)).toMatchObject({ write: one });
      causes.observeDelivery(told(version), 7, { seq: one.seq + 1, time: 0, writer: 1 });
    }
    expect(causes.causeOfEvent(told('12'), true)).toMatchObject({ write: taken });
    expect(causes.causeOfEvent(told('12'), false)).toBeUndefined();
  });

  it('a deletion: the last delete', () => {
    const causes = new ObservedCauses();
    const [first, last] = [write(1, { deletes: true }), write(2, { deletes: true })];
    for (const [one, version] of [
      [first, '10'],
      [last, '12'],
    ] as const) {
      causes.observeWrite({ key: KEY }, one);
      causes.observeResponse({ key: KEY }, one, true, { key: KEY, uid: 'u', resourceVersion: version });
    }
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '13' }, true)).toMatchObject({ write: last });
  });
});

describe('who deletes', () => {
  it('not who asked for it with a grace period, if the last word was not seen', () => {
    const causes = new ObservedCauses();
    const asked = write(1, { deletes: true });
    causes.observeWrite({ key: KEY }, asked);
    causes.observeResponse({ key: KEY }, asked, true, { key: KEY, uid: 'u', resourceVersion: '10' });
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '10' }, false)).toMatchObject({ write: asked });
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '12' }, true)).toBeUndefined();
  });

  it('a write after which a watch selects the object no more: it tells of that as of a deletion', () => {
    const causes = new ObservedCauses();
    const [asked, status] = [write(1, { deletes: true }), write(2)];
    for (const [one, version] of [
      [asked, '10'],
      [status, '11'],
    ] as const) {
      causes.observeWrite({ key: KEY }, one);
      causes.observeResponse({ key: KEY }, one, true, { key: KEY, uid: 'u', resourceVersion: version });
    }
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '11' }, true)).toMatchObject({ write: status });
  });
});

describe('which event triggered a request', () => {
  it("the last one that its process received, but not the echo of the writer's own change", () => {
    const causes = new ObservedCauses();
    causes.observeDelivery({ key: KEY, uid: 'u' }, 7, { seq: 3, time: 0, writer: 1 });
    causes.observeDelivery({ key: KEY, uid: 'u' }, 7, { seq: 5, time: 0, writer: 2 });
    expect(causes.triggerFor({ key: KEY }, asker(7, 9))?.seq).toBe(5);
    expect(causes.triggerFor({ key: KEY }, asker(7, 2))?.seq).toBe(3);
    expect(causes.triggerFor({ key: KEY }, asker(8, 9))?.seq).toBeUndefined();
  });

  it('its own echo where it received nothing else', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery({ key: KEY, uid: 'u' }, 7, { seq: 3, time: 0, writer: 2 });
    expect(causes.triggerFor({ key: KEY }, asker(7, 2))?.seq).toBe(3);
  });

  it('an event about the owner, or about what it owns', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery({ key: 'replicasets.apps default web', uid: 'rs' }, 7, { seq: 3, time: 0, writer: 2 });
    expect(causes.triggerFor({ key: 'pods. default ', owners: ['rs'] }, asker(7, 9))?.seq).toBe(3);
    causes.observeDelivery({ key: 'pods. default web-1', uid: 'p', owners: ['rs'] }, 7, { seq: 6, time: 0, writer: 4 });
    expect(causes.triggerFor({ key: 'replicasets.apps default web' }, asker(7, 9))?.seq).toBe(6);
  });

  it("not its own change, though that was not known to be its own when it was heard, and hides another's no more", () => {
    const causes = new ObservedCauses();
    const own = [4, 6].map((seq) => ({ seq, time: 0, writer: undefined as number | undefined }));
    causes.observeDelivery({ key: KEY, uid: 'u' }, 7, { seq: 3, time: 0, writer: 1 });
    for (const heard of own) {
      causes.observeDelivery({ key: KEY, uid: 'u' }, 7, heard);
      heard.writer = 2;
    }
    expect(causes.triggerFor({ key: KEY }, asker(7, 2))?.seq).toBe(3);
    expect(causes.triggerFor({ key: KEY }, asker(7, 9))?.seq).toBe(6);
  });

  it('not its own change, which its response shows while the event still waits', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery({ key: KEY, uid: 'u', resourceVersion: '9' }, 7, { seq: 3, time: 0, writer: 1, version: 9 });
    const own = write(4, { writer: 2 });
    causes.observeWrite({ key: KEY }, own);
    const told = { key: KEY, uid: 'u', resourceVersion: '10' };
    causes.observeDelivery(told, 7, { seq: 5, time: 0, writer: undefined, version: 10 });
    expect(causes.triggerFor({ key: KEY }, asker(7, 2))?.seq).toBe(5);
    causes.observeResponse({ key: KEY }, own, true, told);
    expect(causes.triggerFor({ key: KEY }, asker(7, 2))?.seq).toBe(3);
    expect(causes.triggerFor({ key: KEY }, asker(7, 9))?.seq).toBe(5);
  });

  it('knows which Pod has a node, and that another one of its name has none yet', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery({ key: KEY, uid: 'old' }, 7, { seq: 3, time: 0, writer: 2 });
    expect(causes.isBound({ key: KEY })).toBe(false);
    causes.observeBinding({ key: KEY });
    expect(causes.isBound({ key: KEY })).toBe(true);
    causes.observeDelivery({ key: KEY, uid: 'new' }, 7, { seq: 9, time: 0, writer: 2 });
    expect(causes.isBound({ key: KEY })).toBe(false);
  });

  it('a Pod that no node would do for: what came after that, about itself, its node, or a Pod that left there', () => {
    const causes = new ObservedCauses();
    const node = 'nodes.  node-1';
    const binding = { key: KEY, related: { uids: [], keys: [], node } };
    causes.observeDelivery({ key: node }, 7, { seq: 1, time: 0, writer: 5, resource: 'nodes' });
    causes.observeDelivery({ key: KEY, uid: 'u' }, 7, { seq: 3, time: 0, writer: 1, resource: 'pods' });
    expect(causes.triggerFor(binding, asker(7, 2))?.seq).toBe(3);
    causes.noteUnschedulable({ key: KEY }, 4);
    causes.observeDelivery({ key: KEY, uid: 'u' }, 7, { seq: 5, time: 0, writer: 2, resource: 'pods' });
    // Its own change of the Pod, a node's heartbeat, and what nobody is known to have changed, wake no scheduler.
    causes.observeDelivery({ key: node }, 7, { seq: 6, time: 0, writer: 8, ofStatus: true, resource: 'nodes' });
    causes.observeDelivery({ key: node }, 7, { seq: 7, time: 0, writer: undefined, resource: 'nodes' });
    expect(causes.triggerFor(binding, asker(7, 2))?.seq).toBeUndefined();
    causes.observeDelivery({ key: node }, 7, { seq: 8, time: 0, writer: 1, resource: 'nodes' });
    expect(causes.triggerFor(binding, asker(7, 2))?.seq).toBe(8);
    causes.podLeftNode(node, 7, { seq: 9, time: 0, writer: 6, resource: 'pods' });
    expect(causes.triggerFor(binding, asker(7, 2))?.seq).toBe(9);
    causes.observeDelivery({ key: 'persistentvolumeclaims. default data', uid: 'c' }, 7, {
      seq: 10,
      time: 0,
      writer: 6,
    });
    expect(causes.triggerFor({ key: KEY, related: { uids: ['c'], keys: [], node } }, asker(7, 2))?.seq).toBe(10);
  });

  it('that it is there what the object lacked, as its program said: once, to that program', () => {
    const causes = new ObservedCauses();
    const settings = 'configmaps. default settings';
    const trigger = (process: number) => causes.triggerFor({ key: KEY, uid: 'u' }, asker(process, process))?.seq;
    for (const process of [7, 8])
      causes.observeDelivery({ key: KEY, uid: 'u' }, process, { seq: 1, time: 0, writer: 2, resource: 'pods' });
    causes.observeDelivery({ key: settings, uid: 'c' }, 7, { seq: 2, time: 0, writer: 1, resource: 'configmaps' });
    expect(trigger(7)).toBe(1);
    causes.observeMissing('u', 7, settings);
    causes.observeMissing('another', 7, settings);
    causes.observeDelivery({ key: settings, uid: 'c' }, 8, { seq: 4, time: 0, writer: 1, resource: 'configmaps' });
    expect([trigger(7), trigger(8)]).toEqual([1, 1]);
    causes.observeDelivery({ key: settings, uid: 'c' }, 7, { seq: 5, time: 0, writer: 1, resource: 'configmaps' });
    expect([trigger(7), trigger(8)]).toEqual([5, 1]);
    causes.observeDelivery({ key: settings, uid: 'c' }, 7, { seq: 6, time: 0, writer: 1, resource: 'configmaps' });
    expect([trigger(7), trigger(8)]).toEqual([5, 1]);
  });

  it('not one about an object of the same name that is another one', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery({ key: KEY, uid: 'old' }, 7, { seq: 3, time: 0, writer: 2 });
    causes.observeDelivery({ key: KEY, uid: 'new' }, 8, { seq: 9, time: 0, writer: 2 });
    expect(causes.triggerFor({ key: KEY, uid: 'new' }, asker(7, 9))?.seq).toBeUndefined();
  });

  it('forgets the oldest objects, and counts them', () => {
    const causes = new ObservedCauses();
    for (let i = 0; i < 60_000; i++)
      causes.observeDelivery({ key: `pods. default p${i}`, uid: `u${i}` }, 7, { seq: i, time: 0, writer: 2 });
    expect(causes.forgotten).toBeGreaterThan(0);
    expect(causes.triggerFor({ key: 'pods. default p0' }, asker(7, 9))?.seq).toBeUndefined();
    expect(causes.triggerFor({ key: 'pods. default p59999' }, asker(7, 9))?.seq).toBe(59_999);
  });

  it('remembers what had the name before for a while, and then does not', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery({ key: 'services. default web', uid: 'owner' }, 7, { seq: 1, time: 0, writer: 2 });
    for (let i = 0; i < 3_000; i++)
      causes.observeDelivery({ key: KEY, uid: `u${i}` }, 7, { seq: 10 + i, time: 0, writer: 2 });
    const told = (uid: string) => causes.triggerFor({ key: 'events. default x', owners: [uid] }, asker(7, 9))?.seq;
    expect([told('u2999'), told('u2998'), told('u2500')]).toEqual([3009, 3008, 2510]);
    expect(told('u1000')).toBeUndefined();
    expect(told('owner')).toBe(1);
  });
});

it('of a version that is not known, nothing tells whether it is the first that is being deleted', () => {
  const causes = new ObservedCauses();
  const pod = { key: 'pods. default web', uid: 'u' };
  expect(
    ['7', undefined, '7'].map((resourceVersion) => causes.terminating({ ...pod, resourceVersion }, false).requested),
  ).toEqual([true, false, true]);
  expect(causes.terminating({ ...pod, uid: 'v' }, true)).toEqual({ requested: false, graceExpired: false });
});
