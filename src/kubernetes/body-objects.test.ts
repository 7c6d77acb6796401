import { expect, it } from 'vitest';
import type { RelatedObjects } from './attributed/related-objects.js';
import type { Webhooks } from './attributed/webhooks/webhooks.js';
import { ObjectObserver } from './body-objects.js';
import type { MessageEmitter } from './emitted/message-emitter.js';
import type { Addresses } from './placed/network/addresses.js';

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
