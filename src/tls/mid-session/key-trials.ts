// Finds the secrets and the sequence number that open a connection whose handshake was not captured, by trials within work limits.
// Only TLS 1.3 secrets are tried: the keys of TLS 1.2 depend on both randoms, which only the handshake has.

import { hexBytes } from '../../core/bytes/bytes.js';
import { BoundedMap, CACHE } from '../../core/collections/bounded.js';
import { dictionary } from '../../core/collections/dictionary.js';
import type { Connection, Side } from '../../tcp/stream-event.js';
import type { SecretStore, SessionSecrets } from '../key-log.js';
import { trafficKeys } from '../key-schedule.js';
import { firstNumber, observedCipher, observedDirection } from '../observed-keys.js';
import { type RecordCipher, recordCipher } from '../record-cipher.js';
import type { MidSessionKeys } from '../session.js';
import { type Suite, suiteById } from '../suites.js';
import type { WaitingRecord } from '../undecrypted-records.js';
import { findSequence, findSequenceNear, searchCost } from './sequence-number-search.js';

/** Receives the work of key trials so far, and its limit, both in µs. */
export type TrialProgress = (work: number, limit: number) => void;

/** Trials and work limits of all connections of one decrypter. */
export class KeyTrials {
  readonly #store: SecretStore;
  readonly #progress: TrialProgress | undefined;
  readonly #ciphers = new BoundedMap<string, RecordCipher>(MAX_CIPHERS, CACHE);
  #spent = 0;
  /** Part of it for trials that seldom succeed. */
  readonly #seldom = { again: 0, counted: 0 };
  #nextReport = REPORT_EVERY;
  /** `order` of the secrets that succeeded or were reached last: connections that begin together have neighbouring lines. */
  #near: number | undefined;

  constructor(store: SecretStore, progress?: TrialProgress) {
    this.#store = store;
    this.#progress = progress;
  }

  /** Handshakes whose secrets could fit, most likely first. @param only client random, if known. @param after lower bound of `order`. */
  candidates(only: string | null, after: number): SessionSecrets[] {
    if (only === null) return this.#store.candidates(after, this.#near);
    const known = this.#store.find(only);
    return known === undefined || (known.clientTraffic === null && known.serverTraffic === null) ? [] : [known];
  }

  /** Observed secrets with an `order` above `after`, those of the same endpoints first. */
  observed(connection: Connection, after: number): SessionSecrets[] {
    const own = this.#store.observedOn(connection);
    const all = this.#store.observed(after);
    return own === undefined || own.order <= after ? all : [own, ...all.filter((one) => one !== own)];
  }

  /** Tries observed secrets, whose suite and approximate record number are known. @param work of this connection, counted down. */
  searchObserved(
    connection: Connection,
    waiting: Readonly<Record<Side, readonly WaitingRecord[]>>,
    candidates: readonly SessionSecrets[],
    work: Work,
  ): MidSessionKeys | null {
    const own = this.#store.observedOn(connection);
    for (const secrets of candidates) {
      const suite = suiteById(secrets.observed?.suite ?? 0);
      if (suite === undefined || suite.version !== secrets.observed?.version) continue;
      for (const side of CLIENT_FIRST) {
        if (waiting[side].length === 0) continue;
        for (const role of side === 'client' ? CLIENT_FIRST : SERVER_FIRST) {
          const probe = latestShortest(waiting[side].map(({ record }) => record));
          const cost = searchCost(suite, SEARCHED_NEAR, waiting[side][probe].record.length) + KEY_COST;
          if (!this.#spend(cost, secrets === own ? null : 'again', work)) break;
          const cipher = observedCipher(secrets, role, suite);
          if (cipher === null) continue;
          const first = firstNumbers(secrets, waiting, side === role);
          if (findSequenceNear(cipher, waiting[side][probe].record, first[side] + probe) < 0) continue;
          return { secrets, suite, side, role, first };
        }
      }
    }
    return null;
  }

  /**
   * Searches the keys of one record.
   * @param again another record of this direction was tried before.
   * @param work of this connection, counted down.
   */
  search(
    record: Uint8Array,
    side: Side,
    candidates: readonly SessionSecrets[],
    suites: readonly SuiteCandidate[],
    again: boolean,
    work: Work,
  ): MidSessionKeys | null {
    for (const { suite, count } of suites) {
      const cost = searchCost(suite, count, record.length);
      const share = Number.isFinite(count) ? 'counted' : again ? 'again' : null;
      // The role by ports is seldom wrong.
      for (const role of side === 'client' ? CLIENT_FIRST : SERVER_FIRST) {
        for (const secrets of candidates) {
          const secret = role === 'client' ? secrets.clientTraffic : secrets.serverTraffic;
          if (secret === null || secret.length !== HASH_DIGITS[suite.hash]) continue;
          const name = `${suite.id}:${secret}`;
          const cached = this.#ciphers.get(name);
          if (!this.#spend(cached === undefined ? cost + KEY_COST : cost, share, work)) {
            // The next connection begins where this one ended.
            if (share === null) this.#near = secrets.order;
            return null;
          }
          const cipher = cached ?? this.#cache(name, recordCipher(suite, trafficKeys(suite, hexBytes(secret))));
          if (findSequence(cipher, record, 0, count) < 0) continue;
          this.#near = secrets.order;
          return { secrets, suite, side, role };
        }
      }
    }
    return null;
  }

  #spend(cost: number, share: 'again' | 'counted' | null, work: Work): boolean {
    if (share !== null && this.#seldom[share] + cost > SELDOM_WORK) {
      work.isIncomplete = true;
      return false;
    }
    if (work.left < cost || this.#spent + cost > TOTAL_WORK) {
      work.left = 0;
      return false;
    }
    work.left -= cost;
    this.#spent += cost;
    if (share !== null) this.#seldom[share] += cost;
    if (this.#progress !== undefined && this.#spent >= this.#nextReport) {
      this.#nextReport = this.#spent + REPORT_EVERY;
      this.#progress(this.#spent, TOTAL_WORK);
    }
    return true;
  }

  #cache(name: string, cipher: RecordCipher): RecordCipher {
    this.#ciphers.set(name, cipher);
    return cipher;
  }
}

/** The trials of one connection. */
export class KeySearch {
  readonly #connection: Connection;
  readonly #trials: KeyTrials;
  readonly #work: Work = { left: CONNECTION_WORK, isIncomplete: false };
  /** Buffered records of each side at the latest attempt. */
  readonly #triedAt: Record<Side, number> = { client: 0, server: 0 };
  /** The largest `order` of tried secrets. */
  #newest = 0;
  #newestObserved = 0;
  #observedTriedAt = 0;
  /** The largest number of candidates of an attempt. */
  candidates = 0;

  constructor(connection: Connection, trials: KeyTrials) {
    this.#connection = connection;
    this.#trials = trials;
  }

  /** Whether a work limit left something untried. */
  get isSearchCut(): boolean {
    return this.wasStoppedEarly || this.#work.isIncomplete;
  }

  /** Whether the work limit of the connection is used up. */
  get wasStoppedEarly(): boolean {
    return this.#work.left <= 0;
  }

  /** Whether an attempt is worthwhile with so many buffered records of a side. */
  due(side: Side, records: number): boolean {
    return !this.wasStoppedEarly && TRY_AT.some((count) => this.#triedAt[side] < count && records >= count);
  }

  /** Whether there will be no more attempts, however many records come. */
  get finished(): boolean {
    return this.wasStoppedEarly || (this.#triedAt.client >= LAST_TRY && this.#triedAt.server >= LAST_TRY);
  }

  /**
   * @param records buffered records of one side, in order.
   * @param only the client random, if it is known.
   * @param last whether no more records will come.
   */
  attempt(side: Side, records: readonly Uint8Array[], only: string | null, last: boolean): MidSessionKeys | null {
    if (records.length === 0 || this.wasStoppedEarly) return null;
    if (!last && !this.due(side, records.length)) return null;
    const again = this.#triedAt[side] > 0;
    this.#triedAt[side] = records.length;
    return this.#try(side, records, again, this.#trials.candidates(only, 0));
  }

  /**
   * Tries observed secrets, before all others.
   * @param newSecrets secrets arrived since the latest attempt; only those are tried, unless there are enough new records.
   */
  attemptObserved(
    waiting: Readonly<Record<Side, readonly WaitingRecord[]>>,
    last: boolean,
    newSecrets: boolean,
  ): MidSessionKeys | null {
    const records = waiting.client.length + waiting.server.length;
    const isDue = last || TRY_AT.some((count) => this.#observedTriedAt < count && records >= count);
    if (this.wasStoppedEarly || records === 0 || !(isDue || newSecrets)) return null;
    const candidates = this.#trials.observed(this.#connection, isDue ? 0 : this.#newestObserved);
    if (isDue) this.#observedTriedAt = records;
    for (const { order } of candidates) this.#newestObserved = Math.max(this.#newestObserved, order);
    this.candidates = Math.max(this.candidates, candidates.length);
    return this.#trials.searchObserved(this.#connection, waiting, candidates, this.#work);
  }

  /** Tries only the secrets that are new since the latest attempt. */
  attemptNew(side: Side, records: readonly Uint8Array[], only: string | null): MidSessionKeys | null {
    if (records.length === 0 || this.wasStoppedEarly) return null;
    return this.#try(side, records, false, this.#trials.candidates(only, this.#newest));
  }

  #try(
    side: Side,
    records: readonly Uint8Array[],
    again: boolean,
    candidates: readonly SessionSecrets[],
  ): MidSessionKeys | null {
    const probe = records[latestShortest(records)];
    this.candidates = Math.max(this.candidates, candidates.length);
    for (const secrets of candidates) this.#newest = Math.max(this.#newest, secrets.order);
    return this.#trials.search(probe, side, candidates, again ? AES : [...AES, ...CHACHA], again, this.#work);
  }
}

/** Index of the record to try: the latest of the shortest ones is probably not of the handshake, and cheap. */
function latestShortest(records: readonly Uint8Array[]): number {
  let probe = 0;
  for (let i = 0; i < records.length; i += 1) if (records[i].length <= records[probe].length) probe = i;
  return probe;
}

/** @param straight the client of TCP is the client of TLS. */
function firstNumbers(
  secrets: SessionSecrets,
  waiting: Readonly<Record<Side, readonly WaitingRecord[]>>,
  straight: boolean,
): Record<Side, number> {
  const first = { client: 0, server: 0 };
  for (const side of CLIENT_FIRST) {
    const role = straight ? side : CLIENT_FIRST.find((one) => one !== side)!;
    const keys = observedDirection(secrets, role);
    if (keys !== null)
      first[side] = firstNumber(
        waiting[side].map(({ origin }) => origin.time),
        keys,
      );
  }
  return first;
}

/** Whether records are probably TLS 1.2 AES-GCM or CCM, whose explicit nonces count up (RFC 5288, 3); TLS 1.3 has ciphertext there. */
export function looksLikeTls12(records: readonly Uint8Array[]): boolean {
  for (let i = 1; i < records.length; i += 1) {
    const [a, b] = [records[i - 1], records[i]];
    if (a.length < 13 || b.length < 13) continue;
    let same = 5;
    while (same < 11 && a[same] === b[same]) same += 1;
    const step = ((b[11] << 8) | b[12]) - ((a[11] << 8) | a[12]);
    if (same === 11 && (step === 1 || step === -65_535)) return true;
  }
  return false;
}

/** Work limit of one connection. */
interface Work {
  /** µs */
  left: number;
  /** Trials that seldom succeed were omitted, because other connections had used up their limit. */
  isIncomplete: boolean;
}

/** A suite to try, and how many sequence numbers from 0 on; infinite if the number is computed. */
interface SuiteCandidate {
  readonly suite: Suite;
  readonly count: number;
}

const AES: readonly SuiteCandidate[] = [0x1301, 0x1302].map((id) => ({
  suite: suiteById(id)!,
  count: Number.POSITIVE_INFINITY,
}));
// Numbers in control planes that had run for minutes to hours: 60 to 1,087.
const CHACHA: readonly SuiteCandidate[] = [{ suite: suiteById(0x1303)!, count: 2_048 }];

/** Hexadecimal digits of a secret, which is as long as the hash of the suite: 32 or 48 bytes. */
const HASH_DIGITS: Readonly<Record<string, number>> = dictionary({ sha256: 64, sha384: 96 });

const CLIENT_FIRST: readonly Side[] = ['client', 'server'];
const SERVER_FIRST: readonly Side[] = ['server', 'client'];

/** Numbers of records at which an attempt is made: the first ones may be of the handshake. */
const TRY_AT = [1, 3, 8];
/** Limit: records of a direction after which no more is tried. */
const LAST_TRY = 8;

/** Limit in µs: estimated work of trials to open one connection without a handshake. */
export const CONNECTION_WORK = 5e5;
/** Limit in µs: estimated work of such trials for all connections of a capture. */
export const TOTAL_WORK = 3e6;
/**
 * Limit in µs: part of that work for ChaCha20-Poly1305, whose sequence numbers are tried one by one, and as much for further records of
 * a direction: connections whose secrets no key log holds leave the rest to others.
 */
export const SELDOM_WORK = 1e6;

/** Sequence numbers usually tried for an observed record whose number is not known exactly. */
const SEARCHED_NEAR = 16;

/** µs to derive keys. */
const KEY_COST = 20;

/** µs of work between two progress reports. */
const REPORT_EVERY = 1e5;

/** Limit: cached ciphers of tried keys, about 2 KiB each. */
const MAX_CIPHERS = 4_096;
