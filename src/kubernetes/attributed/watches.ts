// Finds what a watch resumes: the list or watch that last delivered the version it starts from, or the 410 Expired that forced a relist.

import { flattenString } from '../../core/bytes/bytes.js';
import { RecentMap } from '../../core/collections/bounded.js';
import { resourceOfKind, splitApiVersion } from '../api/kinds.js';
import type { RequestInfo } from '../api/request-info.js';
import type { Draft } from '../messages/draft.js';
import { type ExchangeContext, ExchangeState } from '../messages/exchange-context.js';
import type { Cause } from '../messages/message.js';
import { METADATA } from '../objects/object-info.js';
import { PROGRAMS, type ReflectorTracker, wordsOf } from './reflectors.js';

/** The last version that a program received of a scope. */
interface LastEvent {
  /** `seq` of the message, and the version in it. */
  seq: number;
  version: string;
  /** It came with a list, not with a watch. */
  isList: boolean;
  /** `seq` of the `ERROR` event that ended the watch; undefined: it goes on, or ended in another way. */
  expired: number | undefined;
}

/** A list or a watch, until its exchange ends. */
interface WatchRequest {
  readonly info: RequestInfo;
  /** What it selects, by number. */
  readonly scope: number;
  /** `seq` of what it goes on from; null: nothing that was captured. */
  cause: number | null;
}

const REQUESTS = new ExchangeState<WatchRequest>();

export class Watches {
  readonly #reflectors: ReflectorTracker;
  /** By program and scope: one number, as there are tens of thousands. */
  readonly #lastEvents = new RecentMap<number, LastEvent>(MAX_WATCHES);
  /** What is watched, in words: many programs watch the same. */
  readonly #subjects = new RecentMap<string, number>(MAX_WATCHES);
  #lastSubject = 0;

  constructor(reflectors: ReflectorTracker) {
    this.#reflectors = reflectors;
  }

  /** A request for a list or a watch: finds what it resumes. */
  observeRequest(context: ExchangeContext, message: Draft): void {
    const { info } = context;
    // A person decides what to request.
    if (info === null || context.client.tier === 'people' || (info.verb !== 'list' && info.verb !== 'watch')) return;
    const request = this.#requestOf(context, info);
    const { scope } = request;
    const last = this.#lastEvents.get(keyOf(context, scope));
    const goesOn =
      info.verb === 'watch' &&
      last !== undefined &&
      last.version !== '' &&
      info.query.get('resourceVersion') === last.version;
    if (info.verb === 'watch')
      this.#reflectors.watchOpened(context, scope, message.seq, goesOn && last.isList ? last.seq : undefined);
    if (last === undefined) return;
    if (last.expired !== undefined && (info.verb === 'list' || info.query.get('sendInitialEvents') === 'true')) {
      request.cause = last.expired;
      last.expired = undefined;
    } else if (goesOn) request.cause = last.seq;
  }

  causeOf({ kind }: Draft, context: ExchangeContext): Cause | null {
    const seq = kind === 'request' ? REQUESTS.of(context)?.cause : null;
    return seq == null ? null : { seq, how: 'list', certain: true };
  }

  exchangeEnded(context: ExchangeContext): void {
    this.#reflectors.exchangeEnded(context);
  }

  /** A list response, or a watch event. */
  observeVersion(context: ExchangeContext, message: Draft): void {
    const { info } = context;
    if (context.client.tier === 'people') return;
    if (info === null && this.#reflectors.of(context) === undefined) this.#observeUnknownWatch(context, message);
    if (info === null || (info.verb !== 'list' && info.verb !== 'watch')) return;
    if (message.initial === true && !context.initial) this.#reflectors.initialEventsComplete(context);
    const isError = message.type === 'ERROR';
    const version = message.object?.resourceVersion ?? '';
    if (!isError && version === '') return;
    const { scope } = this.#requestOf(context, info);
    const key = keyOf(context, scope);
    let last = this.#lastEvents.get(key);
    if (last === undefined) {
      last = { seq: 0, version: '', isList: false, expired: undefined };
      this.#lastEvents.set(key, last);
    }
    if (isError) last.expired = message.seq;
    else {
      last.seq = message.seq;
      last.version = version;
      last.isList = info.verb === 'list';
    }
  }

  /** A watch from before the capture has no known selector. */
  #observeUnknownWatch(context: ExchangeContext, { type = '', object }: Draft): void {
    if (!CARRIES_OBJECT.has(type) || object?.apiVersion === undefined || object.kind === METADATA) return;
    const { apiGroup } = splitApiVersion(object.apiVersion);
    const all = { apiGroup, resource: resourceOfKind(object.kind), namespace: undefined, name: undefined };
    this.#reflectors.eventReceived(context, this.#numberOf(flattenString(wordsOf(all, '', ''))));
  }

  #requestOf(context: ExchangeContext, info: RequestInfo): WatchRequest {
    const known = REQUESTS.of(context);
    // What a request is about may still be inferred.
    if (known?.info === info) return known;
    const { query } = info;
    const words = flattenString(wordsOf(info, query.get('fieldSelector') ?? '', query.get('labelSelector') ?? ''));
    const request = { info, scope: this.#numberOf(words), cause: null };
    REQUESTS.set(context, request);
    return request;
  }

  #numberOf(words: string): number {
    let number = this.#subjects.get(words);
    if (number === undefined) {
      this.#lastSubject += 1;
      number = this.#lastSubject;
      this.#subjects.set(words, number);
    }
    return number;
  }
}

/** Informers of one program with one scope share a key; the version that a watch requests decides. */
function keyOf({ client }: ExchangeContext, scope: number): number {
  return scope * PROGRAMS + (client.id % PROGRAMS);
}

const CARRIES_OBJECT = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);
/**
 * Limit: watches whose last version is remembered, to find where the next one continues: what 2,000 nodes watch, some ten resources
 * each, as many as have their connections open at a time.
 */
const MAX_WATCHES = 20_000;
