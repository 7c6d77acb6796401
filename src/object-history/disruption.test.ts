import { describe, expect, it } from 'vitest';
import { KUBECTL, message, SCHEDULER } from '../../test/kit/messages.js';
import type { Message } from '../kubernetes/messages/message.js';
import { disruptionOf } from './disruption.js';
import type { Author, Revision } from './model.js';

const evicts = message({ verb: 'create', subresource: 'eviction', from: KUBECTL });
const by = (request: Message): Author => ({ request, response: undefined, how: 'answer' });
const version = (author: Author | null): Revision =>
  ({ author, first: message({}), changes: null }) as unknown as Revision;
const pod = (reason: string | null, status = 'True') => ({
  spec: { nodeName: 'node-1' },
  status: { conditions: reason === null ? [] : [{ type: 'DisruptionTarget', status, reason }] },
});

describe('why a Pod had to go', () => {
  it.each([
    ['kubectl evicts it', by(evicts), pod('EvictionByEvictionAPI'), 'evicted by a drain of node-1'],
    ['the eviction alone was seen', by(evicts), undefined, 'evicted by a drain of its node'],
    [
      'another program evicts it',
      by({ ...evicts, from: SCHEDULER }),
      pod('EvictionByEvictionAPI'),
      'evicted by kube-scheduler',
    ],
    ['without a captured request', null, pod('EvictionByEvictionAPI'), 'evicted through the Eviction API'],
    ['a preemption', null, pod('PreemptionByScheduler'), 'preempted by the scheduler, for a Pod of a higher priority'],
    ['a reason of later', null, pod('constructor'), 'to be disrupted (constructor)'],
  ])('%s', (_, author, body, words) => {
    expect(disruptionOf([version(author)], [body])?.words).toBe(words);
  });

  it('is left out where nothing shows it', () => {
    const bodies = [pod(null), pod('PreemptionByScheduler', 'False'), undefined, { status: { conditions: 'x' } }];
    const versions = bodies.map(() => version(by(message({ verb: 'delete' }))));
    expect(disruptionOf(versions, bodies)).toBeNull();
  });
});
