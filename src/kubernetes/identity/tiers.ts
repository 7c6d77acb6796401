// Names the tiers into which a diagram sorts its participants.

/** Where components stand, from left to right. A Pod's way, as it is told: who asks, who keeps, who decides, who runs. */
export const TIERS = [
  'people',
  'proxies',
  'apiserver',
  'etcd',
  'extensions',
  'controllers',
  'scheduler',
  'nodes',
  'runtimes',
  'registries',
  'others',
] as const;

export type Tier = (typeof TIERS)[number];
