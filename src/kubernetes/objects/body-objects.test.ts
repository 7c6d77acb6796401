import { expect, it } from 'vitest';
import type { RelatedObjects } from '../causality/related-objects.js';
import type { Webhooks } from '../hops/webhooks/webhooks.js';
import type { MessageEmitter } from '../messages/message-emitter.js';
import type { Addresses } from '../network/addresses.js';
import { ObjectObserver } from './body-objects.js';

it.each<[string | undefined, string | undefined, boolean]>([
  ['7', '7', true],
  ['8', '7', false],
  ['8', undefined, false],
  // Bytes of it are lost.
  [undefined, undefined, false],
])('a Pod of version %s, which had ended by version %s', (resourceVersion, since, expected) => {
  const addresses = { endedSince: () => since } as unknown as Addresses;
  const carried = new ObjectObserver(addresses, {} as Webhooks, {} as RelatedObjects, {} as MessageEmitter);
  expect(carried.hasEnded({ apiVersion: 'v1', kind: 'Pod', uid: 'u', resourceVersion })).toBe(expected);
});
