import { describe, expect, it } from 'vitest';
import { ObservedCauses } from '../../../test/kit/causes-kit.js';
import type { ObjectRef } from '../api/object-ref.js';
import type { TriggerQuery } from './trigger-query.js';
import type { Write } from './writes.js';

const KEY = 'nodeclaims.karpenter.sh  one';
const ME = 7;
const OTHER = 8;
/** Hears, and writes, as one program. */
const asker: TriggerQuery = { process: [ME], writer: ME, resources: null, reactsToOwnWrites: false };

function write(seq: number, more: Partial<Write> = {}): Write {
  return { seq, writer: ME, deletes: false, state: 'pending', claimed: false, ...more };
}

/** A program made an object, whose owner was told before. */
function born(): { causes: ObservedCauses; object: ObjectRef } {
  const causes = new ObservedCauses();
  const object = { key: KEY, uid: 'u', resourceVersion: '10', owners: ['pool'] };
  causes.observeDelivery({ key: 'nodepools.karpenter.sh  pool', uid: 'pool' }, ME, { seq: 1, time: 0, writer: OTHER });
  const made = write(2, { creates: true });
  causes.observeWrite({ key: KEY, owners: ['pool'] }, made);
  causes.observeResponse({ key: KEY }, made, true, object);
  return { causes, object };
}

it('is not triggered by its own write where that is no news to it, also where nothing else was captured (pkg/kubelet/config)', () => {
  const causes = new ObservedCauses();
  causes.observeDelivery({ key: 'pods. default web', uid: 'u' }, ME, { seq: 3, time: 0, writer: ME });
  expect(causes.triggerFor({ key: 'pods. default web', uid: 'u' }, asker)?.seq).toBe(3);
  expect(
    causes.triggerFor({ key: 'pods. default web', uid: 'u' }, { ...asker, ignoresOwnWrites: true })?.seq,
  ).toBeUndefined();
});

it('goes on once an object is gone, whoever wrote it last (karpenter: the NodeClaim of a Node whose finalizer it removed)', () => {
  const causes = new ObservedCauses();
  const claim: ObjectRef = { key: KEY, uid: 'u', related: { uids: [], keys: ['nodes.  one'] } };
  causes.observeDelivery({ key: 'nodes.  one', uid: 'n' }, ME, { seq: 3, time: 0, writer: OTHER, resource: 'nodes' });
  const gone = { seq: 5, time: 0, writer: ME, resource: 'nodes', transition: 'removed' } as const;
  causes.observeDelivery({ key: 'nodes.  one', uid: 'n' }, ME, gone);
  expect(causes.triggerFor(claim, asker)?.seq).toBe(5);
  expect(causes.triggerFor(claim, { ...asker, resources: new Set(['nodes']) })?.seq).toBe(3);
});

it('does not change an object because it is gone: a cache does not have it any more (controller-runtime: client.IgnoreNotFound)', () => {
  const causes = new ObservedCauses();
  causes.observeDelivery({ key: KEY, uid: 'u' }, ME, { seq: 3, time: 0, writer: OTHER });
  causes.observeDelivery({ key: KEY, uid: 'u' }, ME, { seq: 5, time: 0, writer: OTHER, transition: 'removed' });
  expect(causes.triggerFor({ key: KEY, uid: 'u' }, { ...asker, needsObject: true })?.seq).toBe(3);
  expect(causes.triggerFor({ key: KEY, uid: 'u' }, asker)?.seq).toBe(5);
  // The endpoints controller deletes what is gone: its handler adds the key (pkg/controller/endpoint: onEndpointsDelete).
  const known = { ...asker, needsObject: true, resources: new Set<string>() };
  expect(causes.triggerFor({ key: KEY, uid: 'u' }, known)?.seq).toBe(5);
});

describe('what a program does to an object that it made', () => {
  it('is because of what others did to it since', () => {
    const { causes, object } = born();
    causes.observeDelivery(object, ME, { seq: 4, time: 0, writer: ME });
    causes.observeDelivery({ ...object, resourceVersion: '11' }, ME, { seq: 5, time: 0, writer: OTHER });
    causes.observeDelivery({ ...object, resourceVersion: '12' }, ME, { seq: 6, time: 0, writer: ME });
    expect(causes.triggerFor({ key: KEY }, asker)?.seq).toBe(5);
  });

  it('is because of its own delete, which waits for finalizers', () => {
    const { causes, object } = born();
    causes.observeDelivery({ ...object, resourceVersion: '11' }, ME, { seq: 5, time: 0, writer: OTHER });
    causes.observeDelivery({ ...object, resourceVersion: '12' }, ME, { seq: 6, time: 0, writer: ME, ofDelete: true });
    expect(causes.triggerFor({ key: KEY }, asker)?.seq).toBe(6);
    // Whose handlers are known listens to its table.
    expect(causes.triggerFor({ key: KEY }, { ...asker, resources: new Set() })?.seq).toBe(5);
  });
});

describe('an update that is made from a version', () => {
  const told = (causes: ObservedCauses, version: number, writer: number): void =>
    causes.observeDelivery({ key: KEY, uid: 'u', resourceVersion: `${version}` }, ME, {
      seq: version,
      time: 0,
      writer,
      resource: 'pods',
      version,
    });
  const made = (version: number): TriggerQuery => ({ ...asker, had: { resource: 'pods', version } });

  it('is not because of what is newer', () => {
    const causes = new ObservedCauses();
    told(causes, 10, OTHER);
    told(causes, 12, 9);
    expect(causes.triggerFor({ key: KEY }, made(12))?.seq).toBe(12);
    expect(causes.triggerFor({ key: KEY }, made(10))?.seq).toBe(10);
    expect(causes.triggerFor({ key: KEY }, asker)?.seq).toBe(12);
  });

  it('has the event of its version as its trigger, though a later one of the same writer was delivered', () => {
    const causes = new ObservedCauses();
    for (const version of [10, 12]) told(causes, version, OTHER);
    expect(causes.triggerFor({ key: KEY }, made(10))?.seq).toBe(10);
  });

  it('has no trigger if later events took the place of what it may have been', () => {
    const causes = new ObservedCauses();
    told(causes, 8, 9);
    for (let version = 100; version < 120; version++) told(causes, version, OTHER);
    expect(causes.triggerFor({ key: KEY }, made(10))?.seq).toBeUndefined();
  });

  it('can have an event of what it owns as its trigger', () => {
    const causes = new ObservedCauses();
    for (const version of [10, 12]) told(causes, version, OTHER);
    causes.observeDelivery({ key: 'pods. default a', owners: ['u'] }, ME, {
      seq: 14,
      time: 0,
      writer: 9,
      resource: 'pods',
      version: 14,
    });
    told(causes, 15, 9);
    expect(causes.triggerFor({ key: KEY }, made(12))?.seq).toBe(14);
  });

  it('is because of what was before its own change, though that event waits for its place in the order', () => {
    const causes = new ObservedCauses();
    told(causes, 10, OTHER);
    const own = write(11);
    causes.observeWrite({ key: KEY }, own);
    const event = { seq: 12, time: 0, writer: undefined, resource: 'pods', version: 12 };
    causes.observeDelivery({ key: KEY, uid: 'u', resourceVersion: '12' }, ME, event);
    causes.observeResponse({ key: KEY }, own, true, { key: KEY, uid: 'u', resourceVersion: '12' });
    expect(causes.triggerFor({ key: KEY }, made(10))?.seq).toBe(10);
  });

  it('can be triggered by another object that was delivered later', () => {
    const causes = new ObservedCauses();
    told(causes, 10, OTHER);
    causes.observeMissing('u', ME, 'configmaps. default c');
    causes.observeDelivery({ key: 'configmaps. default c' }, ME, {
      seq: 12,
      time: 0,
      writer: 9,
      resource: 'configmaps',
      version: 12,
    });
    expect(causes.triggerFor({ key: KEY }, made(10))?.seq).toBe(12);
  });
});

describe('an evicted Pod', () => {
  const pod = { key: 'pods. default web', uid: 'p', resourceVersion: '3' };
  const node = { key: 'nodes.  n1', uid: 'n', resourceVersion: '4' };

  it('goes for what the same program did to its node', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery(node, ME, { seq: 1, time: 0, writer: ME });
    causes.observeDelivery(pod, ME, { seq: 2, time: 0, writer: OTHER });
    const evicted = { ...pod, related: { uids: [], keys: [], evictedFrom: node.key } };
    expect(causes.triggerFor(evicted, asker)?.seq).toBe(1);
    causes.observeDelivery({ ...node, resourceVersion: '5' }, ME, { seq: 3, time: 0, writer: ME, ofDelete: true });
    causes.observeDelivery({ ...node, resourceVersion: '6' }, ME, { seq: 4, time: 0, writer: OTHER });
    expect(causes.triggerFor(evicted, asker)?.seq).toBe(3);
  });

  it('has no cause where others did that, or its node is not known', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery(node, ME, { seq: 1, time: 0, writer: OTHER });
    causes.observeDelivery(pod, ME, { seq: 2, time: 0, writer: OTHER });
    for (const leaves of [node.key, null])
      expect(
        causes.triggerFor({ ...pod, related: { uids: [], keys: [], evictedFrom: leaves } }, asker)?.seq,
      ).toBeUndefined();
  });
});

describe('the status of a node', () => {
  const node = { key: 'nodes.  n1', uid: 'n', resourceVersion: '2' };
  const attachment = { key: 'volumeattachments.storage.k8s.io  csi-1', uid: 'v', resourceVersion: '3' };
  const patched = { ...node, related: { uids: [], keys: [], attachments: [attachment.key] } };

  it('has what was attached since it was written last, whatever the node reports then', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery(attachment, ME, { seq: 3, time: 0, writer: OTHER });
    causes.observeDelivery(node, ME, { seq: 4, time: 0, writer: OTHER });
    expect(causes.triggerFor(patched, asker)?.seq).toBe(3);
    causes.observeDelivery({ ...node, resourceVersion: '5' }, ME, { seq: 5, time: 0, writer: ME });
    expect(causes.triggerFor(patched, asker)?.seq).toBe(4);
  });

  it('is not written for what is let go', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery(node, ME, { seq: 1, time: 0, writer: OTHER });
    causes.observeDelivery(attachment, ME, { seq: 3, time: 0, writer: OTHER });
    causes.terminating(attachment, false);
    expect(causes.triggerFor(patched, asker)?.seq).toBe(1);
  });
});

describe('a new node', () => {
  const pod = { key: 'pods. default web', uid: 'p', resourceVersion: '3' };

  it('is created for the unschedulable Pod that was delivered last, until it has a node', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery(pod, ME, { seq: 1, time: 0, writer: OTHER });
    expect(causes.causeOfNodeClaim(ME)?.seq).toBeUndefined();
    causes.noteUnschedulable(pod, 2);
    causes.observeDelivery({ ...pod, resourceVersion: '4' }, ME, { seq: 3, time: 0, writer: OTHER });
    expect(causes.causeOfNodeClaim(ME)?.seq).toBe(3);
    expect(causes.causeOfNodeClaim(OTHER)).toBeUndefined();
    causes.observeBinding(pod);
    expect(causes.causeOfNodeClaim(ME)?.seq).toBeUndefined();
  });
});

describe('an object that is delivered without its kind first', () => {
  it('is the one that has its uid, and what was done under its name is done to it', () => {
    const causes = new ObservedCauses();
    const change = write(1, { writer: OTHER });
    causes.observeWrite({ key: KEY }, change);
    causes.observeDelivery({ key: '', uid: 'u', resourceVersion: '10' }, OTHER, { seq: 2, time: 0, writer: undefined });
    causes.observeDelivery({ key: KEY, uid: 'u', resourceVersion: '10' }, ME, { seq: 3, time: 0, writer: OTHER });
    expect(causes.triggerFor({ key: KEY }, asker)?.seq).toBe(3);
    causes.observeResponse({ key: KEY }, change, true, { key: KEY, uid: 'u', resourceVersion: '10' });
    expect(causes.causeOfEvent({ key: KEY, uid: 'u', resourceVersion: '10' }, false)).toEqual({ write: change });
  });

  it('has the name that another one had before', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery({ key: KEY, uid: 'old', resourceVersion: '1' }, ME, { seq: 1, time: 0, writer: OTHER });
    causes.observeDelivery({ key: '', uid: 'new', resourceVersion: '2' }, OTHER, { seq: 2, time: 0, writer: OTHER });
    causes.observeDelivery({ key: KEY, uid: 'new', resourceVersion: '2' }, ME, { seq: 3, time: 0, writer: OTHER });
    causes.observeDelivery({ key: KEY, uid: 'old', resourceVersion: '1' }, ME, { seq: 4, time: 0, writer: OTHER });
    expect(causes.triggerFor({ key: KEY }, asker)?.seq).toBe(3);
  });

  it('is no other one that is told so', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery({ key: '', uid: 'a' }, ME, { seq: 1, time: 0, writer: OTHER });
    causes.observeDelivery({ key: '', uid: 'b' }, ME, { seq: 2, time: 0, writer: OTHER });
    expect(causes.triggerFor({ key: '', uid: 'a' }, asker)?.seq).toBe(1);
    expect(causes.triggerFor({ key: KEY }, asker)?.seq).toBeUndefined();
  });
});

it('knows what a connection of the process received before it was identified there, the newest first', () => {
  const causes = new ObservedCauses();
  const object = { key: 'pods. default web', uid: 'u' };
  causes.observeDelivery(object, -1, { seq: 3, time: 0, writer: OTHER });
  causes.observeDelivery(object, -2, { seq: 4, time: 0, writer: OTHER });
  expect(causes.triggerFor(object, asker)?.seq).toBeUndefined();
  expect(causes.triggerFor(object, { ...asker, process: [ME, -1] })?.seq).toBe(3);
  causes.observeDelivery(object, ME, { seq: 5, time: 0, writer: OTHER });
  expect(causes.triggerFor(object, { ...asker, process: [ME, -1] })?.seq).toBe(5);
});

it('takes no write of its own for news that it sent on a connection on which it was identified later', () => {
  const causes = new ObservedCauses();
  const object = { key: 'pods. default web', uid: 'u' };
  causes.observeDelivery(object, -1, { seq: 3, time: 0, writer: OTHER });
  causes.observeDelivery(object, -1, { seq: 4, time: 0, writer: -1 });
  const kubelet = { ...asker, ignoresOwnWrites: true };
  expect(causes.triggerFor(object, { ...kubelet, process: [ME, -1] })?.seq).toBe(3);
});
