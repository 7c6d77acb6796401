// Names the tiers into which a diagram sorts its participants.

/** Tiers of participants, from left to right, as a Pod is created: clients, storage, controllers, nodes. */
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
