// Tracks reflectors: a program that lists a collection and watches it over a new connection, while no watch of the same goes on, has
// relisted, and what it received before counts no more (client-go tools/cache: Reflector.ListAndWatch).

import { BoundedMap } from '../../core/collections/bounded.js';
import type { RequestInfo } from '../api/request-info.js';
import type { ExchangeContext } from '../exchange-context.js';
import { ExchangeState } from '../exchange-state.js';
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

/** What a program lists. */
interface ListedVersion {
  /** By scope: `seq` of the last response. */
  readonly answers: Map<string, number>;
  /** `seq` before which responses are forgotten: any of them may have been the last about an object. 0: none. */
  forgotten: number;
}

/** Of watches, until they end. */
const WATCHES = new ExchangeState<OpenWatch>();

export class ReflectorTracker {
  readonly #watched = new BoundedMap<number, WatchReflector>(MAX_WATCHED, 'watches');
  /** By participant id: what it listed last without watching it. */
  readonly #listed = new BoundedMap<number, ListedVersion>(MAX_LISTERS, 'lists');

  /**
   * A watch opens. @param listed `seq` of the list response that it resumes from; undefined: it resumes another watch.
   * @param seq of its request. With `sendInitialEvents` the watch itself begins with all objects.
   */
  watchOpened(context: ExchangeContext, { words, number }: WatchScope, seq: number, listed: number | undefined): void {
    const source = this.#of(context, number);
    let initialEventsSince: number | undefined;
    if (listed !== undefined) this.#listed.get(context.client.id)?.answers.delete(words);
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

  /** A list response, of its last page. @param words of the scope. */
  listed({ client }: ExchangeContext, words: string, seq: number): void {
    let known = this.#listed.get(client.id);
    if (known === undefined) {
      known = { answers: new Map(), forgotten: 0 };
      this.#listed.set(client.id, known);
    }
    const { answers } = known;
    if (answers.size === MAX_LISTED && !answers.has(words)) {
      answers.clear();
      known.forgotten = seq;
    }
    answers.set(words, seq);
  }

  /** Whether a participant lists what it does not watch. @param lister participant id. */
  isLister(lister: number): boolean {
    const known = this.#listed.get(lister);
    return known !== undefined && known.answers.size + known.forgotten !== 0;
  }

  /** `seq` of the last response to a participant's list that held an object; 0: none. @param lister participant id. @param node of a Pod. */
  lastOf(lister: number, info: RequestInfo, node: string | undefined): number {
    const known = this.#listed.get(lister);
    if (known === undefined) return 0;
    const selectors = node === undefined ? [''] : ['', `spec.nodeName=${node}`];
    const places = [undefined, info.namespace].flatMap((namespace) =>
      selectors.map((fields) => known.answers.get(wordsOf({ ...info, namespace, name: undefined }, fields, '')) ?? 0),
    );
    return Math.max(known.forgotten, ...places);
  }

  #open(context: ExchangeContext, reflector: WatchReflector, initialEventsSince: number | undefined): void {
    WATCHES.set(context, { reflector, initialEventsSince });
    reflector.open += 1;
    reflector.connection = context.connection.id;
  }

  #of({ client }: ExchangeContext, subject: number): WatchReflector {
    const key = subject * PROGRAMS + (client.process.id % PROGRAMS);
    let source = this.#watched.get(key);
    if (source === undefined) {
      source = { relistedAt: 0, open: 0, connection: -1 };
      this.#watched.set(key, source);
    }
    return source;
  }
}

/** What a list or a watch selects, in words and by number. */
export interface WatchScope {
  readonly words: string;
  readonly number: number;
}

/** The scope of a list or a watch, in words. */
export function wordsOf(
  { apiGroup, resource, namespace, name }: Pick<RequestInfo, 'apiGroup' | 'resource' | 'namespace' | 'name'>,
  fields: string,
  labels: string,
): string {
  return `${apiGroup ?? ''} ${resource ?? ''} ${namespace ?? ''} ${name ?? ''} ${fields} ${labels}`;
}

/** Limit: watches that are distinguished, to find which processes relist: what 2,000 nodes watch, some ten resources each. */
const MAX_WATCHED = 20_000;
/** Limit: participants that list what they do not watch. */
const MAX_LISTERS = 1000;
/** Limit: scopes that one of them lists: its kinds, in some namespaces or for some nodes. */
const MAX_LISTED = 256;
/** Participant ids that are told apart, so that scope and participant fit into one exact number, below 2^53. */
export const PROGRAMS = 2 ** 26;
