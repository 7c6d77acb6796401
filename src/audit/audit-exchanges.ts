// Makes exchanges of the stages of an audit log, as if their heads had been captured: each request with its response, in the order of
// time.
//
//   RequestReceived ─┐
//   ResponseStarted ─┼─ by audit id ─▶ request · response · end ─▶ waits for older ones ─▶ out
//   ResponseComplete ┘

import { utf8Bytes } from '../core/bytes/bytes.js';
import { LruMap, RecentMap } from '../core/collections/bounded.js';
import { dictionary } from '../core/collections/dictionary.js';
import { ReorderBuffer } from '../core/collections/reorder.js';
import { MAX_TIME, type Origin } from '../core/origin.js';
import {
  type AuditedExchange,
  type Body,
  type ExchangeEvent,
  type MutableExchange,
  newExchange,
} from '../http/exchange-event.js';
import type { Connection } from '../tcp/stream-event.js';
import { type AuditEvent, type LoggedRecord, UNSPECIFIED } from './audit-event.js';

/** Tells what stands before the target of a request. */
export type ReadLoggedHead = (head: NonNullable<MutableExchange['request']>) => NonNullable<MutableExchange['request']>;

export class AuditExchanges {
  readonly #capture: number;
  readonly #readHead: ReadLoggedHead;
  readonly #connections = new LruMap<string, Connection>(MAX_CLIENTS);
  /** Requests whose response is not in the log so far. */
  readonly #unanswered = new RecentMap<string, Received>(MAX_OPEN);
  /** Responses that last: watches. */
  readonly #lasting = new RecentMap<string, MutableExchange>(MAX_OPEN);
  readonly #order = new ReorderBuffer<ExchangeEvent>();
  #clients = 0;
  #latest = 0n;

  /** @param capture index of the log among the captures of a command. */
  constructor(capture: number, readHead: ReadLoggedHead = (head) => head) {
    this.#capture = capture;
    this.#readHead = readHead;
  }

  /** @param line its number in the log, from 1. @returns events that nothing older can precede any more. */
  feed(event: AuditEvent, line: number): readonly ExchangeEvent[] {
    const { id, stage } = event;
    const at: Origin = { capture: this.#capture, frame: line, time: event.reached };
    if (stage === 'RequestReceived') this.#unanswered.set(id, { event, line });
    else {
      const lasting = this.#lasting.get(id);
      if (lasting === undefined) this.#answered(event, at);
      else if (stage !== 'ResponseStarted') {
        this.#lasting.delete(id);
        this.#end(lasting, at, true);
      }
    }
    if (event.reached > this.#latest) this.#latest = event.reached;
    return this.#release(this.#latest - REQUEST_TIMEOUT_NS);
  }

  /** The log is over. */
  end(): readonly ExchangeEvent[] {
    for (const { event, line } of this.#unanswered.values()) {
      const exchange = this.#request(event, line, false);
      this.#end(exchange, { capture: this.#capture, frame: line, time: this.#latest }, false);
    }
    this.#unanswered.clear();
    return this.#release(MAX_TIME);
  }

  #answered(event: AuditEvent, at: Origin): void {
    const { id, stage, status, verb } = event;
    const line = this.#unanswered.get(id)?.line ?? at.frame;
    this.#unanswered.delete(id);
    const hasEnded = stage !== 'ResponseStarted';
    const exchange = this.#request(event, line, hasEnded && LASTING.has(verb));
    exchange.response = {
      kind: 'response-head',
      version: '2',
      status: status ?? null,
      fields: event.isAuditId ? ['Audit-Id', id] : [],
      partial: [],
    };
    const { responseObject, failure } = event;
    const body =
      responseObject ?? (failure === undefined ? undefined : { kind: 'Status', apiVersion: 'v1', ...failure });
    this.#order.push({
      kind: 'response',
      exchange,
      first: at,
      last: at,
      at,
      complete: true,
      body: body === undefined ? null : new AuditedBody(body),
    });
    if (hasEnded) this.#end(exchange, at, true);
    else this.#lasting.set(id, exchange);
  }

  /** @param isUntimed the log does not say when its response began. */
  #request(event: AuditEvent, line: number, isUntimed: boolean): MutableExchange {
    const { verb, uri, userAgent, requestObject, received: time } = event;
    const exchange = newExchange(this.#connectionOf(event), null);
    exchange.audited = audited(event, isUntimed);
    exchange.request = this.#readHead({
      kind: 'request-head',
      version: '2',
      method: METHODS[verb] ?? verb.toUpperCase(),
      target: uri,
      fields: userAgent === undefined ? [] : ['User-Agent', userAgent],
      partial: [],
    });
    const at: Origin = { capture: this.#capture, frame: line, time };
    const body = requestObject === undefined ? null : new AuditedBody(requestObject);
    this.#order.push({ kind: 'request', exchange, first: at, last: at, at, complete: true, body });
    return exchange;
  }

  #end(exchange: MutableExchange, at: Origin, responseSeen: boolean): void {
    this.#order.push({ kind: 'exchange-end', exchange, at, requestSeen: true, responseSeen });
  }

  /** What one program sends for one user is one connection, as no event names its ports. */
  #connectionOf({ address, user, userAgent = '' }: AuditEvent): Connection {
    const key = `${address} ${user} ${userAgent}`;
    let connection = this.#connections.get(key);
    if (connection === undefined) {
      this.#clients += 1;
      connection = {
        id: this.#capture * CONNECTIONS_A_FILE + this.#clients,
        client: { address, port: 0 },
        server: { address: UNSPECIFIED, port: 0, host: 'localhost' },
        name: `${address}:0-${UNSPECIFIED}:0`,
        roles: 'handshake',
      };
      this.#connections.set(key, connection);
    }
    return connection;
  }

  #release(until: bigint): readonly ExchangeEvent[] {
    const out: ExchangeEvent[] = [];
    for (let event = this.#order.next(until); event !== undefined; event = this.#order.next(until)) out.push(event);
    return out;
  }
}

interface Received {
  readonly event: AuditEvent;
  readonly line: number;
}

function audited(event: AuditEvent, isUntimed: boolean): AuditedExchange {
  const { user, impersonated, name, decision, reason, isTimed, isUriInferred, isStatusInferred } = event;
  const authorization = [decision, reason].filter((one) => one !== undefined).join(': ');
  return {
    user: impersonated ?? user,
    isImpersonated: impersonated !== undefined,
    name,
    authorization: authorization === '' ? undefined : authorization,
    isUntimed: isUntimed || !isTimed,
    isTargetInferred: isUriInferred,
    isStatusInferred,
  };
}

/** An object of an event, written as JSON when it is read. */
class AuditedBody implements Body {
  readonly contentType = 'application/json';
  readonly contentEncoding = '';
  readonly complete = true;
  readonly #bytes: Uint8Array;

  constructor(object: LoggedRecord | readonly unknown[]) {
    this.#bytes = utf8Bytes(JSON.stringify(object));
  }

  get length(): number {
    return this.#bytes.length;
  }

  read(): { readonly bytes: Uint8Array; readonly complete: boolean } {
    return { bytes: this.#bytes, complete: true };
  }
}

/** By verb of a resource (k8s.io/apiserver, pkg/endpoints/request/requestinfo.go); other verbs are methods in lower case. */
const METHODS: Readonly<Partial<Record<string, string>>> = dictionary({
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
  '': 'OPTIONS',
});
/** Verbs whose responses go on: stage ResponseComplete is when they ended, not when the client was answered. */
const LASTING: ReadonlySet<string> = new Set(['watch']);
/**
 * Limit in ns: time of the log for which a request waits for older ones: an event is written when the request is done, an API server
 * gives a request a minute (--request-timeout), and those that last have a stage of their beginning.
 */
export const REQUEST_TIMEOUT_NS = 60_000_000_000n;
/** Limit: requests that wait for their response, and responses that last, 1 KiB each: watches of a large cluster. */
const MAX_OPEN = 65_536;
/** Limit: programs of which connections are made: 0.3 KiB each. */
const MAX_CLIENTS = 20_000;
/** Ids only have to differ between files. */
const CONNECTIONS_A_FILE = 2 ** 40;
