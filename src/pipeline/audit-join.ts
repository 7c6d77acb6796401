// Joins an audit log with what was captured of the same requests, by their audit ids: each request comes once, and captured ones learn
// what only the log has.
//
//   waiting   [ m1 | m2 | m3 … ]   in the order of time; a request goes when its response is known, or cannot be waited for

import { REQUEST_TIMEOUT_NS } from '../audit/audit-exchanges.js';
import { BoundedSet, LruMap, RecentMap } from '../core/collections/bounded.js';
import { Fifo } from '../core/collections/fifo.js';
import { MAX_TIME } from '../core/origin.js';
import type { Message } from '../kubernetes/messages/message.js';

/** A message and the number of its source. */
export interface SourcedMessage {
  readonly message: Message;
  readonly source: number;
}

/** Takes the messages of captures and logs in the order of time, and gives them in the same order without the log's copies. */
export class AuditJoin {
  readonly #isLog: (source: number) => boolean;
  readonly #waiting = new Fifo<Waiting>();
  /** Requests that wait for their responses, by source and exchange. */
  readonly #open = new RecentMap<string, Waiting>(MAX_WAITING);
  /** By audit id, as long as the other one may come: a captured response, and the log's. */
  readonly #captured = new LruMap<string, Waiting>(MAX_WAITING);
  readonly #logged = new LruMap<string, Waiting>(MAX_WAITING);
  /** Audit ids that were captured. */
  readonly #capturedIds = new BoundedSet<string>(MAX_IDS, 'audit ids of captured requests');
  /** Captured requests by what they ask for, until a log has them: for those whose id is not known on one side. */
  readonly #asked = new LruMap<string, Asked[]>(MAX_ASKED);
  /** Exchanges of logs that are left out, until their responses are. */
  readonly #leftOut = new BoundedSet<string>(MAX_WAITING, 'audit ids of requests that were left out');
  #now = 0n;
  #first: bigint | null = null;
  #last: bigint = MAX_TIME;
  /** Requests of logs that were captured. */
  joined = 0;
  /** Requests of logs before or after the captures. */
  outside = 0;
  /** Requests of logs that no capture has. */
  alone = 0;

  /** @param isLog whether a source is an audit log. */
  constructor(isLog: (source: number) => boolean) {
    this.#isLog = isLog;
  }

  /** @param first ns since the epoch: the first frame of the captures; null: there is none yet. */
  captureBegins(first: bigint | null): void {
    this.#first ??= first;
  }

  /** The captures are over. @param last ns since the epoch: their last frame; null: they have none. */
  captureEnds(last: bigint | null): void {
    this.#last = last ?? -MAX_TIME;
  }

  feed(message: Message, source: number): readonly SourcedMessage[] {
    if (message.time > this.#now) this.#now = message.time;
    const isLog = this.#isLog(source);
    const one: Waiting = { message, source, isLog, request: null, match: null, answered: null, id: null, asked: null };
    const exchange = `${source} ${message.exchange}`;
    if (message.kind === 'request') {
      this.#open.set(exchange, one);
      if (!isLog && message.protocol === 'kubernetes') one.asked = this.#ask(message);
    } else if (message.kind === 'response') {
      one.request = this.#open.get(exchange) ?? null;
      if (one.request !== null) one.request.answered = message.time;
      this.#open.delete(exchange);
      if (message.auditId !== undefined) this.#meet(message.auditId, one);
    }
    this.#waiting.push(one);
    return this.#release();
  }

  end(): readonly SourcedMessage[] {
    this.#now = MAX_TIME;
    return this.#release();
  }

  /** Two responses with one id are one. */
  #meet(id: string, one: Waiting): void {
    one.id = id;
    if (one.request !== null) {
      one.request.id = id;
      if (one.request.asked !== null) one.request.asked.id = id;
    }
    if (!one.isLog) this.#capturedIds.add(id);
    (one.isLog ? this.#logged : this.#captured).set(id, one);
    const match = (one.isLog ? this.#captured : this.#logged).get(id);
    if (match === undefined) return;
    const [captured, logged] = one.isLog ? [match, one] : [one, match];
    captured.match = logged.message;
    if (captured.request === null) return;
    captured.request.match = logged.request?.message ?? null;
    if (captured.request.asked !== null) captured.request.asked.isJoined = true;
  }

  #ask(message: Message): Asked {
    const asked: Asked = { time: message.time, id: null, isJoined: false };
    const key = askedFor(message);
    const same = (this.#asked.get(key) ?? []).filter(({ isJoined }) => !isJoined);
    if (same.length >= MAX_ALIKE) same.shift();
    same.push(asked);
    this.#asked.set(key, same);
    return asked;
  }

  #release(): readonly SourcedMessage[] {
    const out: SourcedMessage[] = [];
    while (this.#waiting.length > 0) {
      const one = this.#waiting.at(0);
      if (this.#waiting.length <= MAX_WAITING && !this.#isDecided(one)) break;
      this.#waiting.shift();
      const message = one.isLog ? this.#ofLog(one) : withLogged(one);
      if (message !== null) out.push({ message, source: one.source });
    }
    return out;
  }

  #isDecided({ message, answered }: Waiting): boolean {
    if (message.kind === 'request' && answered === null) return this.#now > message.time + REQUEST_TIMEOUT_NS;
    return this.#now > (answered ?? message.time) + CLOCK_TOLERANCE_NS;
  }

  /** @returns null: it was captured, or is outside. */
  #ofLog(one: Waiting): Message | null {
    const { message, source } = one;
    const exchange = `${source} ${message.exchange}`;
    if (message.kind !== 'request') return this.#leftOut.has(exchange) ? null : message;
    if (this.#isCaptured(one)) this.joined += 1;
    else if ((this.#first !== null && message.time < this.#first) || message.time > this.#last) this.outside += 1;
    else {
      this.alone += 1;
      return message;
    }
    this.#leftOut.add(exchange);
    return null;
  }

  /** By its id; else a captured request that no id joins asks for the same at the same time: a 101 has none, a cut request neither. */
  #isCaptured({ message, id }: Waiting): boolean {
    if (id !== null && this.#capturedIds.has(id)) return true;
    const asked = this.#asked.get(askedFor(message))?.find((one) => {
      const later = one.time - message.time;
      // A log without ids may have the time at which a watch ended.
      const isNear = -later <= CLOCK_TOLERANCE_NS || (id === null && message.verb === 'watch');
      return !one.isJoined && (id === null || one.id === null) && later <= CLOCK_TOLERANCE_NS && isNear;
    });
    if (asked === undefined) return false;
    asked.isJoined = true;
    return true;
  }
}

interface Waiting {
  readonly message: Message;
  readonly source: number;
  readonly isLog: boolean;
  /** Of a response: its request. */
  request: Waiting | null;
  /** Of a captured message: the log's. */
  match: Message | null;
  /** Of a request, ns since the epoch: when it was answered. */
  answered: bigint | null;
  /** Audit id. */
  id: string | null;
  /** Of a captured request. */
  asked: Asked | null;
}

/** A captured request, as far as a request of a log is compared with it. */
interface Asked {
  /** ns since the epoch. */
  readonly time: bigint;
  id: string | null;
  isJoined: boolean;
}

/** A captured message with what the log has of it. */
function withLogged({ message, match }: Waiting): Message {
  if (match === null) return message;
  if (message.kind === 'response') return { ...message, authorization: match.authorization };
  return message.user === undefined ? { ...message, user: match.user, userFrom: match.userFrom } : message;
}

/** Without its query, which not every log has. */
function askedFor({ verb, target, userAgent }: Message): string {
  return `${verb} ${target?.split('?', 1)[0]} ${userAgent}`;
}

/** Limit in ns: how far apart the clocks of a log and of a capture may be, and how long one message may come after the other. */
const CLOCK_TOLERANCE_NS = 5_000_000_000n;
/** Limit: messages that wait for the other half of their exchange: half a minute of a busy API server, 1 KiB each. */
const MAX_WAITING = 50_000;
/** Limit: audit ids of captured responses, 0.1 KiB each; a log that is later than that has its requests again. */
const MAX_IDS = 1_000_000;
/** Limit: different requests that are remembered by what they ask for, 0.3 KiB each. */
const MAX_ASKED = 50_000;
/** Limit: captured requests that ask for the same and are in no log; the oldest is forgotten. */
const MAX_ALIKE = 100;
