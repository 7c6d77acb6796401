// Lists what differs between any two runs of one script, and is no difference by default: a table with reasons and sources.

import type { FoldReason } from '../diagram/disposition.js';
import { WRITES } from '../diagram/selection/follow.js';
import { isDiscovery, isManualChange, isPerson, isTool } from '../diagram/selection/noise.js';
import type { ItemChange } from './changes.js';
import type { Item, ItemSource } from './item.js';

/** One difference: an exchange or a message that one side has more often, or two that changed. */
export interface DifferingItem {
  readonly what: 'more' | ItemChange['what'];
  /** Which side has more; of a change the first. */
  readonly side: 'before' | 'after';
  readonly item: Item;
  /** Its response, where one side has more of both. */
  readonly answer?: Item;
  /** Of the second side, if it changed. */
  readonly other?: Item;
  readonly earlier?: Item;
  /** Both sides have such an item, one of them more often. */
  readonly isOnBoth: boolean;
  /** Some write of this label lost against another one, on either side. */
  readonly isContended: boolean;
  /** One of the sides does not know who received events like this one. */
  readonly isOfUnknownReceiver: boolean;
}

interface OrdinaryRow {
  /** What is left out, for one and for several. */
  readonly words: readonly [one: string, many: string];
  readonly why: string;
  /** In kubernetes/kubernetes or its staging repositories, if none is named. */
  readonly source: string;
  readonly background?: readonly FoldReason[];
  /** People's requests are differences where only programs' are not; default: false. */
  readonly ofPeople?: true;
  readonly holds?: (difference: DifferingItem, source: ItemSource) => boolean;
}

/** The first row that holds gives the words. No row holds for what failed otherwise than by a conflict or because it was gone. */
export const ORDINARY: readonly OrdinaryRow[] = [
  {
    words: ['lease', 'leases'],
    why: 'Leader election and nodes renew Leases by the clock.',
    source: 'client-go tools/leaderelection/leaderelection.go (RetryPeriod); component-helpers apimachinery/lease',
    background: ['leases'],
    ofPeople: true,
    holds: (_, { request }) => request === undefined || !(isTool(request.from) || isManualChange(request)),
  },
  {
    words: ['bookmark', 'bookmarks'],
    why: 'A watch gets them by the clock.',
    source: 'apiserver pkg/storage/cacher/cacher.go (defaultBookmarkFrequency)',
    background: ['bookmarks'],
    ofPeople: true,
  },
  {
    words: ['Event', 'Events'],
    why: 'Recorders drop, merge and delay Events.',
    source: 'client-go tools/record/events_cache.go (EventAggregator, EventSourceObjectSpamFilter)',
    holds: (_, { background, request }) => background === 'events' || request?.resource === 'events',
  },
  {
    words: ['discovery or health request', 'discovery and health requests'],
    why: 'Clients cache discovery, and some ask again by the clock.',
    source: 'client-go discovery/cached/disk/cached_discovery.go (ttl); pkg/controller/garbagecollector (Sync)',
    background: ['discovery', 'health-and-version'],
    ofPeople: true,
    holds: (_, { request }) => request !== undefined && (!isPerson(request.from) || isDiscovery(request)),
  },
  {
    words: ['token or account request', 'token and account requests'],
    why: 'Tokens and reviews are cached until they expire, with jitter.',
    source: 'pkg/kubelet/token/token_manager.go (requiresRefresh); apiserver pkg/authentication/token/cache',
    background: ['tokens-and-accounts'],
  },
  {
    words: ['node status', 'node statuses'],
    why: 'A kubelet reports by the clock.',
    source: 'pkg/kubelet/kubelet_node_status.go (syncNodeStatus)',
    background: ['node-status'],
  },
  {
    words: ['probe, poll or conversion', 'probes, polls and conversions'],
    why: 'They repeat by the clock, or as often as an object is read in another version.',
    source:
      'pkg/kubelet/pleg/generic.go; pkg/kubelet/prober; apiextensions-apiserver pkg/apiserver/conversion; moby distribution',
    background: ['probes', 'runtime-polls', 'conversions', 'pull-progress'],
  },
  {
    words: ['housekeeping call of etcd', 'housekeeping calls of etcd'],
    why: 'Compaction and reads around a write depend on the state of caches.',
    source: 'apiserver pkg/storage/etcd3/compact.go, store.go (GuaranteedUpdate)',
    background: ['etcd-reads', 'etcd-housekeeping'],
  },
  {
    words: ['list or watch', 'lists and watches'],
    why: 'Reflectors end each watch after a random time, and begin again; others began before the capture.',
    source: 'client-go tools/cache/reflector.go (minWatchTimeout)',
    holds: ({ item }, { background, request }) =>
      RENEWALS.has(background) || (item.kind !== 'event' && request?.verb === 'watch' && request.from.shortId !== null),
  },
  {
    words: ['retry after a conflict', 'retries after conflicts'],
    why: 'Who writes an object first is a race; the loser (409) reads again and repeats its write.',
    source: 'client-go util/retry/util.go (RetryOnConflict); util/workqueue/rate_limiting_queue.go',
    holds: ({ what, isContended }, { request }) =>
      isContended && (what === 'more' || what === 'status' || what === 'fields') && WRITES.has(request?.verb ?? ''),
  },
  {
    words: ['request for what was gone', 'requests for what was gone'],
    why: 'Several programs clean up one object; only one of them finds it.',
    source:
      'pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem); pkg/kubelet/status/status_manager.go (syncPod)',
    holds: (difference, { request }) =>
      answersOf(difference).includes(GONE) &&
      (request?.verb === 'delete' ||
        (request?.verb === 'get' && (difference.what === 'status' || difference.isOnBoth))),
  },
  {
    words: ['read of the garbage collector', 'reads of the garbage collector'],
    why: 'Workers take owners and dependents from a queue in any order, and read each before they delete it.',
    source: 'pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem), graph_builder.go',
    holds: (_, { request }) => request?.from.component === 'generic-garbage-collector' && request.verb === 'get',
  },
  {
    words: ['status update', 'status updates'],
    why: 'A work queue merges what happens while its item waits: one status tells of several changes.',
    source: 'client-go util/workqueue/queue.go (Add); pkg/kubelet/status/status_manager.go (needsUpdate)',
    holds: ({ what, isOnBoth }, { request }) => what === 'more' && isOnBoth && request?.subresource === 'status',
  },
  {
    words: ['repeated update', 'repeated updates'],
    why: 'For the same reason, one update of a derived object carries several changes.',
    source: 'client-go util/workqueue/queue.go (Add); pkg/controller/endpointslice (syncService)',
    holds: ({ what, isOnBoth }, { request }) =>
      what === 'more' && isOnBoth && request?.subresource === undefined && UPDATES.has(request?.verb ?? ''),
  },
  {
    words: ['repeated read', 'repeated reads'],
    why: 'Programs read before they write, and poll.',
    source: 'pkg/kubelet/status/status_manager.go (syncPod); apimachinery pkg/util/wait/loop.go',
    holds: ({ what, isOnBoth }, { request }) =>
      what === 'more' && isOnBoth && ['get', 'list', 'watch'].includes(request?.verb ?? ''),
  },
  {
    words: ['delivery of a watch', 'deliveries of watches'],
    why: 'A watch delivers each version that was written; how many, and whether a new watch lists it, follows from the rest.',
    source: 'apiserver pkg/storage/cacher/cache_watcher.go; client-go tools/cache/shared_informer.go',
    ofPeople: true,
    holds: ({ item, isOnBoth, isOfUnknownReceiver }, { message }) =>
      item.kind === 'event' && (message.type === 'MODIFIED' || isOnBoth || isOfUnknownReceiver),
  },
  {
    words: ['call of a webhook, store or runtime', 'calls of webhooks, stores and runtimes'],
    why: 'They serve requests, as often as those and their retries need them.',
    source: 'apiserver pkg/storage/etcd3/store.go (GuaranteedUpdate); pkg/kubelet/kuberuntime',
    holds: ({ what, isOnBoth }, { message }) => what === 'more' && isOnBoth && message.protocol !== 'kubernetes',
  },
  {
    words: ['race', 'races'],
    why: 'Programs that act at the same time do so in any order.',
    source: 'pkg/controller/deployment/deployment_controller.go (Run: several workers)',
    ofPeople: true,
    // The order of one client's own requests is no race.
    holds: ({ what, item, earlier }, { message }) =>
      what === 'order' &&
      !(isPerson(message.from) && earlier?.from === item.from && earlier.kind === 'request' && item.kind === 'request'),
  },
  {
    words: ['request of another node or replica', 'requests of other nodes and replicas'],
    why: 'The scheduler takes any of the best nodes, and any replica may lead.',
    source:
      'pkg/scheduler/schedule_one.go (selectHost); client-go tools/leaderelection/leaderelection.go (JitterFactor)',
    ofPeople: true,
    holds: ({ what }) => what === 'instance',
  },
  {
    words: ['computed field', 'computed fields'],
    why: "Kubernetes' own programs fill in nodes, hashes and times.",
    source: 'pkg/scheduler/schedule_one.go (bind); pkg/controller/deployment/util/deployment_util.go',
    holds: ({ what }, { message }) => what === 'fields' && message.from.shortId !== null,
  },
  {
    words: ['message without effect', 'messages without effect'],
    why: 'A diagram leaves them out: nothing follows from them.',
    source: 'client-go tools/cache/shared_informer.go (every informer gets every version)',
    background: [
      'no-reaction',
      'other-objects',
      'other-watches',
      'reads-without-cause',
      'reads-before-writes',
      'own-address',
      'unchanged-writes',
    ],
    // What only one side writes has an effect.
    holds: ({ what, isOnBoth }, { request }) =>
      what !== 'more' || isOnBoth || !WRITES.has(request?.verb ?? '') || request?.subresource === 'status',
  },
];

/** @returns words of the row that holds; null: it is a difference. */
export function ordinaryWords(difference: DifferingItem): OrdinaryRow['words'] | null {
  const { source } = difference.item;
  if (source === undefined || hasFailed(difference)) return null;
  const { request, message, background } = source;
  const isOfPeople = isPerson((request ?? message).from);
  const row = ORDINARY.find(
    (row) =>
      (row.ofPeople === true || !isOfPeople) &&
      (row.background === undefined || (background !== undefined && row.background.includes(background))) &&
      (row.holds === undefined || row.holds(difference, source)),
  );
  return row?.words ?? null;
}

/** Was a request refused, and not because another one came first? */
export function hasFailed(difference: DifferingItem): boolean {
  const request = difference.item.source?.request;
  return answersOf(difference).some(
    (status) => status >= 400 && status !== CONFLICT && !(status === GONE && READ_OR_DELETE.has(request?.verb ?? '')),
  );
}

function answersOf({ item, other }: DifferingItem): readonly number[] {
  return [item, other].flatMap((one) => one?.source?.response?.status ?? []);
}

const RENEWALS: ReadonlySet<FoldReason | undefined> = new Set([
  'initial-lists',
  'renewed-watches',
  'expired-watches',
  'resumed-watches',
  'refused-watches',
]);
const UPDATES: ReadonlySet<string> = new Set(['update', 'patch', 'apply']);
const READ_OR_DELETE: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'delete']);
const CONFLICT = 409;
const GONE = 404;
