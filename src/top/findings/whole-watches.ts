// Finds programs of which many instances each watch a whole resource: every change is then delivered to every instance.

import { SeriesTable } from '../../core/collections/series-table.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { queryOf, resourceWords } from '../request-words.js';
import { findingOf, MAX_FINDINGS, Recurrence, type UsageFinding } from './finding.js';

/** Watches of one resource by the instances of one program. */
interface WatchedResource {
  readonly request: Message;
  /** By the id of its participant: the first watch of each instance. */
  readonly instances: Map<number, Message>;
  events: number;
}

export class WholeWatches {
  readonly #threshold: number;
  readonly #resources = new SeriesTable<string, WatchedResource>(MAX_RESOURCES);
  #instances = 0;

  /** @param threshold instances of one program from which on their watches count. */
  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  /** @param request the watch that the event belongs to. */
  observe(request: Message, event: Message): void {
    if (!isWhole(request) || isOwnComponent(request.from)) return;
    // What changed is the cost: the first objects are a list's, and bookmarks hold none.
    if (event.initial === true || !CHANGES.has(event.type ?? '')) return;
    const key = `${request.from.component} ${request.apiGroup}/${request.resource}`;
    const known = this.#resources.of(key, () => ({ request, instances: new Map(), events: 0 }));
    if (known === undefined) return;
    const { id } = request.from;
    if (!known.instances.has(id)) {
      if (this.#instances >= MAX_INSTANCES) return;
      this.#instances += 1;
      known.instances.set(id, request);
    }
    known.events += 1;
  }

  findings(): UsageFinding[] {
    return [...this.#resources.values()]
      .filter(({ instances }) => instances.size >= this.#threshold)
      .slice(0, MAX_FINDINGS)
      .map(({ request, instances, events }) => {
        const watches = [...instances.values()].sort((a, b) => a.seq - b.seq);
        const recurrence = new Recurrence();
        for (const { time, seq } of watches) recurrence.add(time, seq);
        const what = `is one of ${watches.length} instances that each watch all ${resourceWords(request)}: ${events} changes delivered`;
        return findingOf('whole-watch', [watches[0].from], what, recurrence);
      });
  }
}

/** Whether a watch is of all objects of its resource, in all namespaces. */
function isWhole(request: Message): boolean {
  const { verb, resource, namespace, name } = request;
  if (verb !== 'watch' || resource === undefined || namespace !== undefined || name !== undefined) return false;
  return !queryOf(request).some((one) => RESTRICTS.test(one));
}

/**
 * A component of Kubernetes, which has a row in the table of components: what it watches is settled by its release (a kubelet watches all
 * Services), and nobody can give it a selector.
 */
function isOwnComponent({ shortId }: Participant): boolean {
  return shortId !== null;
}

/** Selectors of objects, and of a share of them (ListOptions.shardSelector). */
const RESTRICTS = /^(?:field|label|shard)Selector=./;
const CHANGES: ReadonlySet<string> = new Set(['ADDED', 'MODIFIED', 'DELETED']);
/** Limit: programs by resources that they watch whole. */
const MAX_RESOURCES = 4096;
/** Limit: instances that watch a whole resource, over all programs and resources. */
const MAX_INSTANCES = 65_536;
