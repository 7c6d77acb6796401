// Tracks reflectors: a program that lists a collection and watches it over a new connection, while no watch of the same goes on, has
// relisted, and what it received before counts no more (client-go tools/cache: Reflector.ListAndWatch).

import { keep } from '../../core/collections/bounded.js';
import type { RequestInfo } from '../api/request-info.js';
import type { ExchangeContext } from '../exchange-context.js';
import type { Reflector } from './deliveries.js';

/** The watches of one process of one subject. */
export interface WatchReflector extends Reflector {
  /** How many of them go on. */
  open: number;
  /** Over which the last one went. */
  connection: number;
}

interface OpenWatch {
  readonly reflector: WatchReflector;
  /** `seq` of the request of a watch that begins with all objects; undefined: it does not. */
  readonly initialEventsSince: number | undefined;
}

/** What a program lists. */
interface ListedVersion {
  /** By what it is about: message that answered it last. */
  readonly answers: Map<string, number>;
  /** Message before which answers are forgotten: any of them may have been the last about an object. 0: none is. */
  forgotten: number;
}

export class ReflectorTracker {
  /** Of watches, until they end. */
  readonly #watches = new Map<ExchangeContext, OpenWatch>();
  readonly #watched = new Map<number, WatchReflector>();
  /** By speaker id of who listed: what it listed last without watching it. */
  readonly #listed = new Map<number, ListedVersion>();

  /**
   * A watch begins. @param subject of it, and its number. @param listed message that answered the list that it goes on from;
   * undefined: it goes on from another watch. @param seq of its request. With `sendInitialEvents` it tells all itself.
   */
  watches(context: ExchangeContext, { words, number }: WatchScope, seq: number, listed: number | undefined): void {
    const source = this.#of(context, number);
    let initialEventsSince: number | undefined;
    if (listed !== undefined) this.#listed.get(context.client.id)?.answers.delete(words);
    if (source.open === 0 && source.connection !== context.connection.id) {
      if (listed !== undefined) source.relistedAt = listed;
      else if (context.initial) initialEventsSince = seq;
    }
    this.#open(context, source, initialEventsSince);
  }

  /** An event came over a watch that began before the capture: of all of its kind, as far as is known. */
  hears(context: ExchangeContext, subject: number): void {
    if (!this.#watches.has(context)) this.#open(context, this.#of(context, subject), undefined);
  }

  /** All was told that a watch begins with. */
  told(context: ExchangeContext): void {
    const watch = this.#watches.get(context);
    if (watch?.initialEventsSince !== undefined) watch.reflector.relistedAt = watch.initialEventsSince;
  }

  /** The reflector that a watch belongs to; undefined: it is not known what is watched. */
  of(context: ExchangeContext): WatchReflector | undefined {
    return this.#watches.get(context)?.reflector;
  }

  exchangeEnded(context: ExchangeContext): void {
    const watch = this.#watches.get(context);
    if (watch === undefined) return;
    watch.reflector.open -= 1;
    this.#watches.delete(context);
  }

  /** A list was answered, to its end. @param words of what it lists. */
  listed({ client }: ExchangeContext, words: string, seq: number): void {
    let known = this.#listed.get(client.id);
    if (known === undefined) {
      known = { answers: new Map(), forgotten: 0 };
      keep(this.#listed, client.id, known, MAX_LISTERS);
    }
    const { answers } = known;
    if (answers.size === MAX_LISTED && !answers.has(words)) {
      answers.clear();
      known.forgotten = seq;
    }
    answers.set(words, seq);
  }

  /** Does somebody list what it does not watch? @param lister its speaker id. */
  isLister(lister: number): boolean {
    const known = this.#listed.get(lister);
    return known !== undefined && known.answers.size + known.forgotten !== 0;
  }

  /** The last answer that had an object, to a list of somebody's. @param lister its speaker id. @param node of a Pod. @returns 0: there was none. */
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
    this.#watches.set(context, { reflector, initialEventsSince });
    reflector.open += 1;
    reflector.connection = context.connection.id;
  }

  #of({ client }: ExchangeContext, subject: number): WatchReflector {
    const key = subject * PROGRAMS + (client.process.id % PROGRAMS);
    let source = this.#watched.get(key);
    if (source === undefined) {
      source = { relistedAt: 0, open: 0, connection: -1 };
      keep(this.#watched, key, source, MAX_WATCHED);
    }
    return source;
  }
}

/** What a list or a watch is about, in words and by its number. */
export interface WatchScope {
  readonly words: string;
  readonly number: number;
}

/** What is listed or watched, in words. */
export function wordsOf(
  { apiGroup, resource, namespace, name }: Pick<RequestInfo, 'apiGroup' | 'resource' | 'namespace' | 'name'>,
  fields: string,
  labels: string,
): string {
  return `${apiGroup ?? ''} ${resource ?? ''} ${namespace ?? ''} ${name ?? ''} ${fields} ${labels}`;
}

/** Watches that are told apart, as in watches.ts. */
const MAX_WATCHED = 20_000;
/** Programs that list what they do not watch. */
const MAX_LISTERS = 1000;
/** What one of them lists: its kinds, in some namespaces or for some nodes. */
const MAX_LISTED = 256;
/** Speaker ids that are told apart, so that both numbers fit into one that is exact: below 2^53. */
export const PROGRAMS = 2 ** 26;
