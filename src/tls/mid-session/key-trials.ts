// Opens connections that are older than the capture: which secrets of the key log, and which sequence number, make a
// record verify. Knows candidates and work limits; not TCP. TLS 1.3 only: the keys of TLS 1.2 follow from both randoms,
// which only its handshake tells.

import { dictionary } from '../../core/collections/dictionary.js';
import type { Connection, Side } from '../../tcp/stream-event.js';
import type { SecretStore, SessionSecrets } from '../key-log.js';
import { trafficKeys } from '../key-schedule.js';
import { firstNumber, observedCipher, observedDirection } from '../observed-keys.js';
import { type RecordCipher, recordCipher } from '../record-cipher.js';
import type { LateKeys } from '../session.js';
import { type Suite, suiteById } from '../suites.js';
import type { WaitingRecord } from '../undecrypted-records.js';
import { findSequence, findSequenceNear, searchCost } from './sequence-number-search.js';

/** Receives now and then how much of the work limit for late connections is used, both in µs. */
export type TrialProgress = (work: number, limit: number) => void;

/** What all connections of one decrypter share. */
export class KeyTrials {
  readonly #store: SecretStore;
  readonly #progress: TrialProgress | undefined;
  readonly #ciphers = new Map<string, RecordCipher>();
  #spent = 0;
  /** Of it, for what seldom helps. */
  readonly #seldom = { again: 0, counted: 0 };
  #nextReport = REPORT_EVERY;
  /** `order` of the secrets that fitted last, or that were reached: connections that are opened together tell theirs together. */
  #near: number | undefined;

  constructor(store: SecretStore, progress?: TrialProgress) {
    this.#store = store;
    this.#progress = progress;
  }

  /** Handshakes whose secrets could fit, most likely first; `after`: only those with a higher order. */
  candidates(only: string | null, after: number): SessionSecrets[] {
    if (only === null) return this.#store.candidates(after, this.#near);
    const known = this.#store.find(only);
    return known === undefined || (known.clientTraffic === null && known.serverTraffic === null) ? [] : [known];
  }

  /** Observed secrets that could fit, with `order` above `after`: those of this connection's own ends first. */
  observed(connection: Connection, after: number): SessionSecrets[] {
    const own = this.#store.observedOn(connection);
    const all = this.#store.observed(after);
    return own === undefined || own.order <= after ? all : [own, ...all.filter((one) => one !== own)];
  }

  /**
   * Tries secrets that a process was observed using: their suite is known, and about which record it was.
   * @param work bounds what is tried for this connection and is counted down.
   */
  searchObserved(
    connection: Connection,
    waiting: Readonly<Record<Side, readonly WaitingRecord[]>>,
    candidates: readonly SessionSecrets[],
    work: Work,
  ): LateKeys | null {
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
   * Looks for the keys of one record.
   * @param again another record of this direction was tried before.
   * @param work bounds what is tried for this connection and is counted down.
   */
  search(
    record: Uint8Array,
    side: Side,
    candidates: readonly SessionSecrets[],
    rungs: readonly SuiteCandidate[],
    again: boolean,
    work: Work,
  ): LateKeys | null {
    for (const { suite, count } of rungs) {
      const cost = searchCost(suite, count, record.length);
      const share = Number.isFinite(count) ? 'counted' : again ? 'again' : null;
      // Ports say who is the client, and are seldom wrong.
      for (const role of side === 'client' ? CLIENT_FIRST : SERVER_FIRST) {
        for (const secrets of candidates) {
          const secret = role === 'client' ? secrets.clientTraffic : secrets.serverTraffic;
          if (secret === null || secret.length !== HASH_DIGITS[suite.hash]) continue;
          const name = `${suite.id}:${secret}`;
          const known = this.#ciphers.get(name);
          if (!this.#spend(known === undefined ? cost + KEY_COST : cost, share, work)) {
            // The next connection begins where this one ended.
            if (share === null) this.#near = secrets.order;
            return null;
          }
          const cipher = known ?? this.#keep(name, recordCipher(suite, trafficKeys(suite, Buffer.from(secret, 'hex'))));
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
      work.passedOver = true;
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

  #keep(name: string, cipher: RecordCipher): RecordCipher {
    if (this.#ciphers.size >= KEPT_CIPHERS) this.#ciphers.clear();
    this.#ciphers.set(name, cipher);
    return cipher;
  }
}

/** The trials of one connection: which of its records were tried against which secrets. */
export class KeySearch {
  readonly #connection: Connection;
  readonly #trials: KeyTrials;
  readonly #work: Work = { left: CONNECTION_WORK, passedOver: false };
  readonly #seen: Record<Side, number> = { client: 0, server: 0 };
  #newest = 0;
  #newestObserved = 0;
  #observedAt = 0;
  /** Largest number of candidates that were tried. */
  candidates = 0;

  constructor(connection: Connection, trials: KeyTrials) {
    this.#connection = connection;
    this.#trials = trials;
  }

  /** Whether a work limit was reached, so that something was left untried. */
  get limited(): boolean {
    return this.stopped || this.#work.passedOver;
  }

  /** Whether nothing more may be tried. */
  get stopped(): boolean {
    return this.#work.left <= 0;
  }

  /** Whether so many records that wait in a direction make it worth trying it, for the first time or again. */
  due(side: Side, records: number): boolean {
    return !this.stopped && TRY_AT.some((count) => this.#seen[side] < count && records >= count);
  }

  /** Whether nothing more will be tried however many records come. */
  get finished(): boolean {
    return this.stopped || (this.#seen.client >= LAST_TRY && this.#seen.server >= LAST_TRY);
  }

  /**
   * @param records complete records of one direction that wait, in order.
   * @param only the client random, if it is known.
   * @param last whether nothing more will come.
   */
  attempt(side: Side, records: readonly Uint8Array[], only: string | null, last: boolean): LateKeys | null {
    if (records.length === 0 || this.stopped) return null;
    if (!last && !this.due(side, records.length)) return null;
    const again = this.#seen[side] > 0;
    this.#seen[side] = records.length;
    return this.#try(side, records, again, this.#trials.candidates(only, 0));
  }

  /**
   * Tries secrets that a process was observed using, before all others.
   *
   * @param newSecrets secrets came since the last time: those alone, unless there are more records to try them on.
   */
  attemptObserved(
    waiting: Readonly<Record<Side, readonly WaitingRecord[]>>,
    last: boolean,
    newSecrets: boolean,
  ): LateKeys | null {
    const records = waiting.client.length + waiting.server.length;
    const isDue = last || TRY_AT.some((count) => this.#observedAt < count && records >= count);
    if (this.stopped || records === 0 || !(isDue || newSecrets)) return null;
    const candidates = this.#trials.observed(this.#connection, isDue ? 0 : this.#newestObserved);
    if (isDue) this.#observedAt = records;
    for (const { order } of candidates) this.#newestObserved = Math.max(this.#newestObserved, order);
    this.candidates = Math.max(this.candidates, candidates.length);
    return this.#trials.searchObserved(this.#connection, waiting, candidates, this.#work);
  }

  /** More secrets came: tries the new ones only. */
  attemptNew(side: Side, records: readonly Uint8Array[], only: string | null): LateKeys | null {
    if (records.length === 0 || this.stopped) return null;
    return this.#try(side, records, false, this.#trials.candidates(only, this.#newest));
  }

  #try(
    side: Side,
    records: readonly Uint8Array[],
    again: boolean,
    candidates: readonly SessionSecrets[],
  ): LateKeys | null {
    const probe = records[latestShortest(records)];
    this.candidates = Math.max(this.candidates, candidates.length);
    for (const secrets of candidates) this.#newest = Math.max(this.#newest, secrets.order);
    const rungs = again ? AES : [...AES, ...CHACHA];
    return this.#trials.search(probe, side, candidates, rungs, again, this.#work);
  }
}

/** Which of the records is tried: the latest of the shortest is past what may be the handshake's, and cheap. */
function latestShortest(records: readonly Uint8Array[]): number {
  let probe = 0;
  for (let i = 0; i < records.length; i += 1) if (records[i].length <= records[probe].length) probe = i;
  return probe;
}

/** @param straight client and server of TCP are those of the TLS handshake. */
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

/**
 * Whether records look like TLS 1.2 AES-GCM or CCM: their explicit nonces count up (RFC 5288, 3), while TLS 1.3 has
 * ciphertext there.
 */
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

/** What may be tried for one connection. */
interface Work {
  /** µs */
  left: number;
  /** Something that seldom helps was not tried: others had used up what there is for that. */
  passedOver: boolean;
}

/** A suite to try, and how many sequence numbers of it from 0 on; infinite: its number is computed. */
interface SuiteCandidate {
  readonly suite: Suite;
  readonly count: number;
}

const AES: readonly SuiteCandidate[] = [0x1301, 0x1302].map((id) => ({
  suite: suiteById(id)!,
  count: Number.POSITIVE_INFINITY,
}));
// Seen in control planes that had run for minutes to hours: 60 to 1,087.
const CHACHA: readonly SuiteCandidate[] = [{ suite: suiteById(0x1303)!, count: 2_048 }];

/** The hash of the suite is as long as the secret: 32 or 48 bytes, in hexadecimal digits. */
const HASH_DIGITS: Readonly<Record<string, number>> = dictionary({ sha256: 64, sha384: 96 });

const CLIENT_FIRST: readonly Side[] = ['client', 'server'];
const SERVER_FIRST: readonly Side[] = ['server', 'client'];

/** Records of a direction at which it is tried (again): the first ones may be of the handshake. */
const TRY_AT = [1, 3, 8];
const LAST_TRY = 8;

/** Work limits in µs: half a second for one connection, three for all of a capture. */
export const CONNECTION_WORK = 5e5;
export const TOTAL_WORK = 3e6;
/**
 * Of that, for numbers that are tried one by one, and as much for directions of which a record was tried before: what has no
 * secrets in the key log leaves the rest to what has.
 */
export const SELDOM_WORK = 1e6;

/** Numbers that are looked at for an observed record, where they are not known outright: a few, nearly always. */
const SEARCHED_NEAR = 16;

/** Deriving keys. */
const KEY_COST = 20;

const REPORT_EVERY = 1e5;

/** About 2 KiB each. */
const KEPT_CIPHERS = 4_096;
