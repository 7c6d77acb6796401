import { describe, expect, it } from 'vitest';
import { observed } from '../../test/kit/diagrams.js';
import type { Cause, Message } from '../kubernetes/messages/message.js';
import { compare } from './compare.js';
import type { DiffSide } from './item.js';
import { observedSide } from './observed.js';

describe('an event that comes after the request that it may have triggered', async () => {
  const { messages } = await observed('run-nginx-http1/capture.pcap');
  const patch = messages.findLast(({ from, verb }) => from.name === 'ttl-controller' && verb === 'patch') as Message;
  const event = messages[(patch.causedBy ?? 0) - 1];
  const side = (some: readonly Message[]): DiffSide =>
    observedSide('', { messages: some, notices: [] }, { all: true, by: 'component' });
  const known = (cause: Partial<Cause>): readonly Message[] =>
    messages.map((one) => (one === patch ? { ...patch, cause: { ...(patch.cause as Cause), ...cause } } : one));
  const late = messages.filter((one) => one !== event);
  late.splice(late.indexOf(patch) + 1, 0, event);

  it('is no difference where other events are possible: a verdict must not depend on a guess', () => {
    expect(patch.cause).toMatchObject({ how: 'notification', certain: false, others: [874, 881] });
    const { added, removed, changed } = compare(side(messages), side(late));
    expect([added, removed, changed]).toEqual([[], [], []]);
  });

  it('is one where the capture proves the trigger', () => {
    const { changed } = compare(side(known({ certain: true, others: undefined })), side(late));
    expect(changed).toMatchObject([{ what: 'order', before: { label: patch.label } }]);
  });
});
