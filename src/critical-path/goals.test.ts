import { describe, expect, it } from 'vitest';
import { message } from '../../test/kit/messages.js';
import type { FieldChange, Incarnation, Revision, RevisionKind } from '../object-history/model.js';
import { goalOf, readyBefore } from './goals.js';

const AVAILABLE: FieldChange = {
  path: 'status.conditions[Available]',
  after: { type: 'Available', status: 'True' } as unknown as FieldChange['after'],
};
const condition = (before: string, after: string): FieldChange =>
  ({ path: 'status.conditions[Available].status', before, after }) as unknown as FieldChange;

function revision(happened: RevisionKind, ...changes: readonly FieldChange[]): Revision {
  const first = message({ kind: 'response', status: 200 });
  return { kind: 'version', resourceVersion: String(first.seq), happened, first, author: null, managers: [], changes };
}

const deployment = (...steps: readonly Revision[]): Incarnation => ({
  ...{ uid: 'u', apiVersion: 'apps/v1', kind: 'Deployment', owners: [] },
  steps,
});

describe('a goal', () => {
  it('is not reached where the object is first seen, as it may have been so for long', () => {
    const seen = revision('seen', AVAILABLE);
    const old = deployment(seen, revision('changed'));
    expect(goalOf(old, 'deployments', 'ready')).toBeNull();
    expect(readyBefore(old, 'deployments')).toEqual({ words: 'Available', at: seen.first });
  });

  it('is reached when it becomes true again', () => {
    const again = revision('changed', condition('False', 'True'));
    const old = deployment(revision('seen', AVAILABLE), revision('changed', condition('True', 'False')), again);
    expect(goalOf(old, 'deployments', 'ready')).toMatchObject({
      words: 'Available',
      isReached: true,
      end: again.first,
    });
  });

  it('is reached by an object that was created in the capture, or that was not so before', () => {
    const created = deployment(revision('created', AVAILABLE));
    expect(goalOf(created, 'deployments', 'ready')).toMatchObject({ isReached: true });
    expect(readyBefore(created, 'deployments')).toBeUndefined();
    const late = deployment(revision('seen'), revision('changed', AVAILABLE));
    expect(goalOf(late, 'deployments', 'ready')).toMatchObject({ isReached: true });
    expect(goalOf(deployment(revision('seen')), 'deployments', 'ready')).toMatchObject({ words: 'never Available' });
  });
});
