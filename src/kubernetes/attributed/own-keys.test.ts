// What wakes a client whose queue is not modelled: its keys are the objects themselves.
import { describe, expect, it } from 'vitest';
import { ObservedCauses } from '../../../test/kit/causes-kit.js';
import type { ObjectRef } from '../api/object-ref.js';
import { OWN_KEYS } from './controller-table.js';
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

it('is triggered by its own write only where nothing else was captured, and never where that is no news (pkg/kubelet/config)', () => {
  const causes = new ObservedCauses();
  const pod = { key: 'pods. default web', uid: 'u' };
  causes.observeDelivery(pod, ME, { seq: 3, time: 0, writer: ME });
  expect(causes.triggerFor(pod, asker)?.seq).toBe(3);
  expect(causes.triggerFor(pod, asker, { ...OWN_KEYS, ignoresOwnWrites: true })).toBeUndefined();
  causes.observeDelivery(pod, ME, { seq: 4, time: 0, writer: OTHER });
  causes.observeDelivery(pod, ME, { seq: 5, time: 0, writer: ME });
  expect(causes.triggerFor(pod, asker)?.seq).toBe(4);
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

describe('an evicted Pod', () => {
  const node = { key: 'nodes.  n1', uid: 'n', resourceVersion: '4' };

  it('goes for what the same program did to its node', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery(node, ME, { seq: 1, time: 0, writer: ME });
    expect(causes.queues.changeOfDrained(node.key, asker)?.seq).toBe(1);
    causes.observeDelivery({ ...node, resourceVersion: '5' }, ME, { seq: 3, time: 0, writer: ME, ofDelete: true });
    causes.observeDelivery({ ...node, resourceVersion: '6' }, ME, { seq: 4, time: 0, writer: OTHER });
    expect(causes.queues.changeOfDrained(node.key, asker)?.seq).toBe(3);
  });

  it('has no cause where others did that', () => {
    const causes = new ObservedCauses();
    causes.observeDelivery(node, ME, { seq: 1, time: 0, writer: OTHER });
    expect(causes.queues.changeOfDrained(node.key, asker)).toBeUndefined();
    expect(causes.queues.changeOfDrained(node.key, { ...asker, reactsToOwnWrites: true })?.seq).toBe(1);
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
  expect(causes.triggerFor(object, { ...asker, process: [ME, -1] })?.seq).toBe(3);
});
