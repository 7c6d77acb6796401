// Tracks the API requests that are being served, by object: an API server calls its store for them.

import { BoundedMap, RecentMap } from '../../core/collections/bounded.js';
import { objectKey } from '../api/object-ref.js';
import type { RequestInfo } from '../api/request-info.js';
import { type ExchangeContext, ExchangeState } from '../messages/exchange-context.js';
import type { Participant } from '../messages/message.js';

export interface OpenRequest {
  /** Of its object. */
  readonly key: string;
  readonly seq: number;
  readonly server: Participant;
  readonly writes: boolean;
  /** Calls of the store that read for it. */
  reads: number;
}

export interface FoundRequest {
  readonly request: OpenRequest;
  /** No other request for the object is open. */
  readonly isOnly: boolean;
}

const OPENED = new ExchangeState<OpenRequest>();

export class OpenRequests {
  readonly #byKey = new RecentMap<string, OpenRequest[]>(MAX_KEYS);
  /** By key: how many more requests are open, where there are more than the limit. */
  readonly #beyond = new BoundedMap<string, number>(MAX_KEYS, 'requests beyond those of a key');

  /** A request was sent. @param key of its object. @param writes it changes the object. */
  opened(context: ExchangeContext, key: string, seq: number, writes: boolean): void {
    const open = this.#byKey.get(key);
    const request: OpenRequest = { key, seq, server: context.server.process, writes, reads: 0 };
    if (open === undefined) this.#byKey.set(key, [request]);
    else if (open.length < MAX_OPEN) open.push(request);
    else this.#beyond.set(key, (this.#beyond.get(key) ?? 0) + 1);
    OPENED.set(context, request);
  }

  /** The request was answered, or its exchange ended without a response. */
  closed(context: ExchangeContext): void {
    const request = OPENED.of(context);
    if (request === undefined) return;
    OPENED.set(context, undefined);
    const open = this.#byKey.get(request.key);
    const index = open?.indexOf(request) ?? -1;
    if (open === undefined || index < 0) this.#closedBeyond(request.key);
    else if (open.length === 1) this.#byKey.delete(request.key);
    else open.splice(index, 1);
  }

  /** The request for which an API server reads an object; of several the oldest that nothing was read for. */
  reader(key: string, server: Participant): FoundRequest | undefined {
    const open = this.#servedBy(key, server);
    const request = open.find(({ reads }) => reads === 0) ?? open.at(-1);
    if (request === undefined) return undefined;
    request.reads += 1;
    return { request, isOnly: open.length === 1 && !this.#beyond.has(key) };
  }

  /** The only request by which an API server may be changing an object. */
  writer(key: string, server: Participant): FoundRequest | undefined {
    if (this.#beyond.has(key)) return undefined;
    const [request, ...others] = this.#servedBy(key, server).filter(({ writes }) => writes);
    return request === undefined || others.length > 0 ? undefined : { request, isOnly: true };
  }

  #closedBeyond(key: string): void {
    const more = this.#beyond.get(key) ?? 0;
    if (more > 1) this.#beyond.set(key, more - 1);
    else this.#beyond.delete(key);
  }

  /** Of several API servers that share a store the one that calls it; one of them may be known as two participants. */
  #servedBy(key: string, server: Participant): readonly OpenRequest[] {
    const open = this.#byKey.get(key) ?? NONE;
    const own = open.filter((one) => one.server.id === server.process.id);
    return own.length === 0 ? open : own;
  }
}

/**
 * Key of the object or collection that a request reads from the store. It has one key for an Event, whatever group that is written by (pkg/registry/core/event). For a
 * list or a watch the API server asks for the revision of the whole collection, whatever is selected of it
 * (k8s.io/apiserver pkg/storage/etcd3/store.go: GetCurrentResourceVersion).
 */
export function storeKeyOf({ verb, resource = '', apiGroup = '', namespace }: RequestInfo, name: string): string {
  const group = resource === 'events' ? '' : apiGroup;
  return COLLECTION_VERBS.has(verb)
    ? objectKey(resource, group, undefined, '')
    : objectKey(resource, group, namespace, name);
}

const COLLECTION_VERBS = new Set(['list', 'watch', 'deletecollection']);
const NONE: readonly OpenRequest[] = [];
/** Limit: objects for which requests are open at a time. */
const MAX_KEYS = 10_000;
/** Limit: open requests for one object. */
const MAX_OPEN = 64;
