// Defines what becomes of a message in a diagram: drawn, or folded away for a reason.

import type { Message, Protocol } from '../kubernetes/messages/message.js';

/** Of messages outside of the layers that are drawn. */
const LAYER_WORDS = {
  'layer-kubernetes': 'layer kubernetes',
  'layer-kubelet': 'layer kubelet',
  'layer-etcd': 'layer etcd',
  'layer-cri': 'layer cri',
  'layer-registry': 'layer registry',
  'layer-docker': 'layer docker',
  'layer-http': 'layer http',
  'layer-grpc': 'layer grpc',
} as const satisfies Readonly<Record<`layer-${Protocol}`, string>>;

/** Messages that say nothing about a story: selection/noise.ts has a row for each. */
const NOISE_WORDS = {
  bookmarks: 'bookmarks',
  'initial-lists': 'initial lists',
  leases: 'leases',
  'health-and-version': 'health and version',
  discovery: 'discovery',
  'tokens-and-accounts': 'tokens and service accounts',
  'node-status': 'node status',
  events: 'Events',
  'runtime-polls': 'runtime polls',
  'etcd-reads': 'etcd reads',
  'etcd-housekeeping': 'etcd housekeeping',
  probes: 'probes',
  conversions: 'conversions',
  'pull-progress': 'pull progress',
} as const;

/** The words that users see for each reason: in the summary note, in JSON, in explorer pages. */
const REASON_WORDS = {
  ...LAYER_WORDS,
  ...NOISE_WORDS,
  'not-selected': 'not selected',
  'no-reaction': 'delivered without reaction',
  'other-objects': 'about other objects',
  'other-watches': 'other watches',
  'reads-without-cause': 'reads without a cause',
  'renewed-watches': 'renewed watches',
  'own-address': 'own address',
  'expired-watches': 'of expired watches',
  'resumed-watches': 'of resumed watches',
  'refused-watches': 'of refused watches',
  'similar-objects': 'of similar objects, same steps',
  'status-updates': 'status updates in between',
  'unchanged-writes': 'writes that change nothing',
  'repeated-errors': 'with the same error as the one drawn',
  'reads-before-writes': 'reads just before a write',
  repeats: 'repeats',
} as const;

export type NoiseReason = keyof typeof NOISE_WORDS;
export type FoldReason = keyof typeof REASON_WORDS;
export type Disposition = 'drawn' | FoldReason;
export type Dispositions = Map<Message, Disposition>;

/** In the order in which equal numbers of them are listed. */
export const FOLD_REASONS = Object.keys(REASON_WORDS) as readonly FoldReason[];

export function reasonWords(reason: FoldReason): string {
  return REASON_WORDS[reason];
}

/** Outside of what the user selected. */
export function isUnselected(reason: FoldReason): boolean {
  return reason === 'not-selected' || reason in LAYER_WORDS;
}
