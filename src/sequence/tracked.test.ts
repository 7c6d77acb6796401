import { describe, expect, it } from 'vitest';
import { APISERVER, message, REPLICASETS } from '../../test/messages.js';
import type { Message } from '../kubernetes/message.js';
import { index } from './observation.js';
import { Tracked } from './tracked.js';

const APP = { kind: 'App', namespace: 'default', name: 'shop', uid: 'u-1' };
const PART = { kind: 'ConfigMap', namespace: 'default', name: 'part', uid: 'u-2' };

/** An object is told of, and its controller writes another one, which nobody owns. */
function told(request: Partial<Message>, status: number): { tracked: Tracked; written: Message } {
  const watch = message({ verb: 'watch', resource: 'apps', from: REPLICASETS, to: APISERVER });
  const { exchange } = watch;
  const event = message({ kind: 'event', type: 'ADDED', exchange, from: APISERVER, to: REPLICASETS, object: APP });
  const written = message({
    ...{ resource: 'configmaps', namespace: 'default', name: 'part', from: REPLICASETS, to: APISERVER },
    ...{ causedBy: event.seq, ...request },
  });
  const answered = { kind: 'response', exchange: written.exchange, from: APISERVER, to: REPLICASETS, status } as const;
  const messages = [watch, event, written, message({ ...answered, object: PART })];
  const roots = [{ resource: 'apps', group: null, name: 'shop', namespace: 'default' }];
  return { tracked: new Tracked(index(messages), roots), written };
}

describe('what is made because of a followed object, and not owned by it', () => {
  it.each([
    ['a create', { verb: 'create' }, 201, true],
    ['an apply that makes it', { verb: 'patch' }, 201, true],
    ['an apply of what is there', { verb: 'patch' }, 200, false],
    ['a dry run', { verb: 'patch', dryRun: true }, 201, false],
    ['an Event', { verb: 'create', resource: 'events' }, 201, false],
    ['a status', { verb: 'patch', subresource: 'status' }, 200, false],
  ])('%s', (_, request, status, isFollowed) => {
    const { tracked, written } = told(request, status);
    expect(tracked.isAbout(written)).toBe(isFollowed);
  });
});
