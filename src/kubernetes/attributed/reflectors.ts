// Tracks reflectors: a program that lists a collection and watches it over a new connection, while no watch of the same goes on, has
// relisted, and what it received before counts no more (client-go tools/cache: Reflector.ListAndWatch).

import { BoundedMap } from '../../core/collections/bounded.js';
import { entryOf } from '../../core/collections/series-table.js';
import { objectKey } from '../api/object-ref.js';
import type { RequestInfo } from '../api/request-info.js';
import { type ExchangeContext, ExchangeState } from '../messages/exchange-context.js';
import type { Reflector } from './deliveries.js';

/** The watches of one process on one scope. */
export interface WatchReflector extends Reflector {
  /** Watches that are open. */
  open: number;
  /** Connection of the last watch. */
  connection: number;
}

interface OpenWatch {
  readonly reflector: WatchReflector;
  /** `seq` of the request of a watch that begins with all objects; undefined: it does not. */
  readonly initialEventsSince: number | undefined;
}

/** Of watches, until they end. */
const WATCHES = new ExchangeState<OpenWatch>();

export class ReflectorTracker {
  readonly #watched = new BoundedMap<number, WatchReflector>(MAX_WATCHED, 'watches');

  /**
   * A watch opens. @param listed `seq` of the list response that it resumes from; undefined: it resumes another watch.
   * @param seq of its request. With `sendInitialEvents` the watch itself begins with all objects.
   */
  watchOpened(context: ExchangeContext, scope: number, seq: number, listed: number | undefined): void {
    const source = this.#of(context, scope);
    let initialEventsSince: number | undefined;
    if (source.open === 0 && source.connection !== context.connection.id) {
      if (listed !== undefined) source.relistedAt = listed;
      else if (context.initial) initialEventsSince = seq;
    }
    this.#open(context, source, initialEventsSince);
  }

  /** An event of a watch from before the capture: its scope is all objects of the kind, as far as is known. */
  eventReceived(context: ExchangeContext, subject: number): void {
    if (!(WATCHES.of(context) !== undefined)) this.#open(context, this.#of(context, subject), undefined);
  }

  /** The initial events of a watch are complete. */
  initialEventsComplete(context: ExchangeContext): void {
    const watch = WATCHES.of(context);
    if (watch?.initialEventsSince !== undefined) watch.reflector.relistedAt = watch.initialEventsSince;
  }

  /** The reflector that a watch belongs to; undefined: it is not known what is watched. */
  of(context: ExchangeContext): WatchReflector | undefined {
    return WATCHES.of(context)?.reflector;
  }

  exchangeEnded(context: ExchangeContext): void {
    const watch = WATCHES.of(context);
    if (watch === undefined) return;
    watch.reflector.open -= 1;
  }

  #open(context: ExchangeContext, reflector: WatchReflector, initialEventsSince: number | undefined): void {
    WATCHES.set(context, { reflector, initialEventsSince });
    reflector.open += 1;
    reflector.connection = context.connection.id;
  }

  #of({ client }: ExchangeContext, subject: number): WatchReflector {
    const key = subject * PROGRAMS + (client.process.id % PROGRAMS);
    return entryOf(this.#watched, key, () => ({ relistedAt: 0, open: 0, connection: -1 }));
  }
}

/** The scope of a list or a watch, in words. */
export function wordsOf(
  { apiGroup, resource, namespace, name }: Pick<RequestInfo, 'apiGroup' | 'resource' | 'namespace' | 'name'>,
  fields: string,
  labels: string,
): string {
  return `${objectKey(resource, apiGroup, namespace, name)} ${fields} ${labels}`;
}

/** Limit: watches that are distinguished, to find which processes relist: what 2,000 nodes watch, some ten resources each. */
const MAX_WATCHED = 20_000;
/** Participant ids that are told apart, so that scope and participant fit into one exact number, below 2^53. */
export const PROGRAMS = 2 ** 26;
