// Captures over HTTP/1.1 that begin late: each watch has a connection of its own, so that nothing names its receiver. What a component
// is known to watch reached it all the same.

import { describe, expect, it } from 'vitest';
import { arrowsOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, parseFollow } from '../../src/index.js';
import { causesIn } from '../kit/causes.js';
import { observed as decoded } from '../kit/diagrams.js';
import { fixture } from '../kit/fixtures.js';
import { filtered, observed, recordsOf } from '../kit/observed.js';

describe('a Deployment comes and goes', async () => {
  const { messages, notices } = await decoded('late-start-mixed/capture.pcap');
  const binding = messages.find(({ kind, subresource }) => kind === 'request' && subresource === 'binding')!;

  it('the scheduler binds a Pod because that was added, which is not certain', () => {
    const cause = causesIn(messages)(binding);
    expect([cause?.type, cause?.object?.name]).toEqual(['ADDED', binding.name]);
    expect(binding.cause?.certain).toBe(false);
  });

  it('a diagram draws the event to the scheduler, before the binding', () => {
    const { steps } = buildSequence({ messages, notices }, { follow: parseFollow('deployment/late', 'default')! });
    const arrows = arrowsOf(steps);
    const at = arrows.findIndex(({ message }) => message === binding);
    const added = arrows.findIndex(({ message }) => message.seq === binding.causedBy);
    expect(added).toBeGreaterThanOrEqual(0);
    expect(added).toBeLessThan(at);
    expect(arrows[added].to).toBe(arrows[at].from);
  });
});

describe('a capture without its beginning', async () => {
  const file = fixture('run-nginx-http1/capture.pcap');
  const { messages } = await decoded('run-nginx-http1/capture.pcap');
  const placeOf = ({ connection, started }: Message): string => `${connection} ${started}`;
  const causeIn = (all: readonly Message[]) => {
    const causeOf = causesIn(all);
    return new Map(
      all.flatMap((one) => {
        const { object } = causeOf(one) ?? {};
        return one.kind !== 'request' || one.cause?.how !== 'notification' || object?.uid == null
          ? []
          : [[placeOf(one), `${object.uid} ${object.resourceVersion}`] as const];
      }),
    );
  };
  const whole = causeIn(messages);

  it.each([0.5, 0.6, 0.7])(
    'requests have the causes that they have in the whole, without %d of its packets',
    async (part) => {
      const skipped = Math.floor(recordsOf(file).length * part);
      let at = 0;
      const cut = filtered(file, () => {
        at += 1;
        return at > skipped;
      });
      const late = causeIn((await observed([cut])).messages);
      const same = [...late].filter(([place]) => whole.has(place));
      expect(same.length).toBeGreaterThan(3);
      expect(same.filter(([place, cause]) => whole.get(place) !== cause)).toEqual([]);
    },
  );
});
