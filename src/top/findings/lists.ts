// Finds expensive lists: one client lists the same objects again and again, or very many at once.

import { LruMap } from '../../core/collections/bounded.js';
import { entryOf, SeriesTable } from '../../core/collections/series-table.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { objectWords, queryOf, scopeKey } from '../request-words.js';
import { findingOf, MAX_FINDINGS, Recurrence, type UsageFinding } from './finding.js';
import { RecentOccurrences } from './window.js';

interface LargeList {
  readonly request: Message;
  items: number;
  readonly recurrence: Recurrence;
}

export class ExpensiveLists {
  readonly #relists: number;
  readonly #large: number;
  readonly #listed = new LruMap<string, RecentOccurrences>(MAX_SCOPES, 'lists by client');
  readonly #found: { readonly request: Message; readonly recurrence: Recurrence }[] = [];
  readonly #largeLists = new SeriesTable<string, LargeList>(MAX_FINDINGS);

  /** @param relists of the same objects within a minute. @param large objects in a list without a limit. */
  constructor(relists: number, large: number) {
    this.#relists = relists;
    this.#large = large;
  }

  observe(request: Message, { status = 0, object }: Message): void {
    const { verb, resource } = request;
    if (resource === undefined || status >= 400) return;
    const query = queryOf(request);
    // A watch that begins with a streaming list is one, too.
    const isList = verb === 'list' || (verb === 'watch' && query.includes('sendInitialEvents=true'));
    // The next page of a list is no new one.
    if (!isList || query.some((one) => /^continue=./.test(one))) return;
    if (isWatchable(request)) this.#again(request);
    // A list from the API server's cache, as informers send it, has no pages whatever its limit is (KEP-365).
    const isPaged = query.some((one) => /^limit=[1-9]/.test(one)) || query.includes('resourceVersion=0');
    const items = object?.items ?? object?.rows ?? 0;
    if (!isPaged && items >= this.#large) this.#isLarge(request, items);
  }

  findings(): UsageFinding[] {
    return [
      ...this.#found.map(({ request, recurrence }) =>
        findingOf('relists', [request.from], `list ${objectWords(request)} ${recurrence.words}`, recurrence),
      ),
      ...[...this.#largeLists.values()].map(({ request, items, recurrence }) => {
        const what = `list ${objectWords(request)} without a limit: ${items} objects at once`;
        const times = recurrence.count === 1 ? '' : `, ${recurrence.words}`;
        return findingOf('unpaged-list', [request.from], `${what}${times}`, recurrence);
      }),
    ];
  }

  #again(request: Message): void {
    const key = scopeKey(request, 'list');
    const recent = entryOf(this.#listed, key, () => new RecentOccurrences(WINDOW_NS, this.#relists));
    const begun = recent.add(request.time, request.seq);
    if (begun !== null && this.#found.length < MAX_FINDINGS) this.#found.push({ request, recurrence: begun });
  }

  #isLarge(request: Message, items: number): void {
    const key = scopeKey(request);
    const known = this.#largeLists.of(key, () => ({ request, items: 0, recurrence: new Recurrence() }));
    if (known === undefined) return;
    known.items = Math.max(known.items, items);
    known.recurrence.add(request.time, request.seq);
  }
}

/**
 * Whether a client could watch instead of listing again. Metrics and the states of components have no watch (k8s.io/metrics;
 * pkg/registry/core/componentstatus); and an API server that forwards to another one asks as often as its own clients do.
 */
function isWatchable({ apiGroup, resource, from, to }: Message): boolean {
  if ((apiGroup !== undefined && METRICS.test(apiGroup)) || resource === 'componentstatuses') return false;
  return from.component !== 'kube-apiserver' || to.tier !== 'extensions';
}

const METRICS = /^(?:custom\.|external\.)?metrics\.k8s\.io$/;
/** ns: one minute. */
const WINDOW_NS = 60_000_000_000n;
/** Limit: lists whose repetition is observed: clients by resources by namespaces. */
const MAX_SCOPES = 8192;
