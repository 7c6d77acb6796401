// One connection: plaintext passes by untouched, TLS comes out as its plaintext, and what cannot be read is said to be
// opaque, once, with the reason. Knows which of these it is and what has to wait; keys and records are the session's.

import { notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { NOTHING } from '../core/stage.js';
import type { Connection, StreamEvent } from '../tcp/stream-event.js';
import { Detector, type Verdict } from './detect.js';
import type { SecretStore } from './key-log.js';
import { KeyTrials, type TrialProgress } from './mid-session/key-trials.js';
import { MidSessionConnection } from './mid-session/mid-session-connection.js';
import { APPLICATION_DATA } from './records.js';
import { type TlsOutput, TlsSession } from './session.js';
import type { TlsDecrypter } from './tls-decrypter.js';
import type { TlsDirection } from './tls-direction.js';
import { type BufferedRecord, UndecryptedRecords, type UndecryptedTally } from './undecrypted-records.js';

export interface TlsOptions {
  /** Receives the work of opening connections without handshake. */
  readonly progress?: TrialProgress;
}

/**
 * Makes the TLS stage of each connection. In: the events of that connection. Out: the same, with TLS replaced by its
 * plaintext (`origin`: the frame in which a record was complete), `secured` before it, or one `opaque`.
 * Notices: `tls.*`, `limit.undecrypted`, `limit.trials`.
 */
export function tlsDecrypter(secrets: SecretStore, options: TlsOptions = {}): (connection: Connection) => TlsDecrypter {
  const shared: Shared = {
    secrets,
    trials: new KeyTrials(secrets, options.progress),
    tally: { bytes: 0 },
    one: [],
    out: [],
  };
  return (connection) => new Decrypter(connection, shared);
}

interface Shared {
  readonly secrets: SecretStore;
  readonly trials: KeyTrials;
  readonly tally: UndecryptedTally;
  // Reused: whoever is given a list reads it before the next call. One for all connections: a list of its own would keep
  // the chunk alive that the connection spoke in last.
  readonly one: StreamEvent[];
  readonly out: TlsOutput[];
}

class Decrypter implements TlsDecrypter {
  over = false;
  readonly #connection: Connection;
  readonly #shared: Shared;
  #mode: 'detecting' | 'plain' | 'tls' | 'opaque' = 'detecting';
  #detector: Detector | null;
  #session: TlsSession | null = null;
  // What plaintext never needs.
  #spool: UndecryptedRecords | null = null;
  #late: MidSessionConnection | null = null;
  #seenVersion = 0;
  #seenChanges = 0;

  constructor(connection: Connection, shared: Shared) {
    this.#connection = connection;
    this.#shared = shared;
    this.#detector = new Detector(connection);
  }

  get holding(): boolean {
    return this.waiting || this.#detector?.holdsBytes === true;
  }

  get waiting(): boolean {
    return this.#spool !== null && this.#spool.length > 0;
  }

  feed(event: StreamEvent): readonly TlsOutput[] {
    if (this.#mode === 'plain') return this.#pass(event);
    const { out } = this.#shared;
    out.length = 0;
    if (this.#mode === 'opaque') this.#watch(event, out);
    else if (this.#mode === 'tls') this.#take(event, out);
    else this.#detect(event, out);
    return out.length === 0 ? NOTHING : out;
  }

  retry(): readonly TlsOutput[] {
    const out: TlsOutput[] = [];
    if (this.#session !== null && this.waiting) this.#unblock(out);
    return out;
  }

  end(): readonly TlsOutput[] {
    const out: TlsOutput[] = [];
    if (this.#mode === 'detecting') this.#decide('plain', out);
    if (this.#session === null) return out;
    this.#session.giveUpWaiting();
    this.#replay(out);
    if (this.#session.late && !this.#session.lost) this.#openLate(true, out);
    this.#late!.sayOpened(this.#session, true, out);
    // What still waits is the end of a connection that never sent anything protected.
    for (const entry of this.#spool!.drain()) if (entry.kind === 'event') this.#watch(entry.event, out);
    return out;
  }

  /** What cannot be read can still be seen to fail. */
  #watch(event: StreamEvent, out: TlsOutput[]): void {
    const session = this.#session!;
    const { outcome } = session;
    if (event.kind === 'data') {
      if (outcome.over) return;
      const half = session.half(event.from);
      half.records.push(event.bytes);
      this.#watchRecords(half, event.origin, out);
    } else if (event.kind === 'gap') outcome.lost();
    else {
      if (event.kind === 'closed') outcome.closed(event, out);
      out.push(event);
    }
  }

  #watchRecords(half: TlsDirection, origin: Origin, out: TlsOutput[]): void {
    const { outcome } = this.#session!;
    while (!outcome.over && half.records.next()) outcome.see(half, origin, out);
    if (half.records.malformed) outcome.malformed(half.side, out);
  }

  #pass(event: StreamEvent): readonly StreamEvent[] {
    const { one } = this.#shared;
    one[0] = event;
    return one;
  }

  #detect(event: StreamEvent, out: TlsOutput[]): void {
    if (event.kind === 'established') {
      out.push(event);
      return;
    }
    const verdict = this.#detector!.look(event);
    if (verdict !== 'unsure') this.#decide(verdict, out);
  }

  #decide(verdict: Verdict, out: TlsOutput[]): void {
    const held = this.#detector!.held;
    const late = this.#detector!.late;
    this.#detector = null;
    if (verdict === 'plain') {
      this.#mode = 'plain';
      for (const event of held) out.push(event);
      return;
    }
    this.#mode = 'tls';
    this.#spool = new UndecryptedRecords(this.#shared.tally);
    this.#late = new MidSessionConnection(this.#connection, this.#shared.secrets, this.#shared.trials);
    this.#session = new TlsSession(this.#connection, this.#shared.secrets);
    if (late) {
      this.#session.client.records.startAnywhere();
      this.#session.server.records.startAnywhere();
    }
    for (const event of held) this.#take(event, out);
  }

  #take(event: StreamEvent, out: TlsOutput[]): void {
    const session = this.#session!;
    if (session.lost) {
      this.#watch(event, out);
      return;
    }
    if (event.kind === 'data') {
      const half = session.half(event.from);
      half.records.push(event.bytes);
      while (!session.lost && half.records.next()) this.#record(half, event.origin, out);
      // Given up in the middle of a segment: its rest is still seen.
      if (session.lost) this.#watchRecords(half, event.origin, out);
      else if (half.records.malformed) this.#malformed(half, event.origin, out);
    } else if (event.kind === 'gap') {
      session.half(event.from).records.gap(event.length);
      session.outcome.lost();
    } else if (event.kind === 'closed') this.#closed(event, out);
    else out.push(event);
    if (this.waiting) this.#unblock(out);
    this.#late!.sayOpened(session, false, out);
    if (session.lost) this.#becomeOpaque(out);
  }

  #record(half: TlsDirection, origin: Origin, out: TlsOutput[]): void {
    const { record, lost } = half.records;
    this.#session!.outcome.see(half, origin, out);
    if (!half.waiting && this.#session!.take(half, record, lost, origin, out)) return;
    this.#park({ kind: 'record', half, record: new Uint8Array(record), lost, origin });
  }

  #park(entry: BufferedRecord): void {
    if (entry.half !== null) entry.half.waiting = true;
    if (entry.kind === 'record' && entry.record[0] === APPLICATION_DATA) entry.half.bufferedRecords += 1;
    this.#spool!.add(entry);
  }

  #closed(event: StreamEvent & { kind: 'closed' }, out: TlsOutput[]): void {
    const session = this.#session!;
    if (event.from === null) this.over = true;
    const half = event.from === null ? null : session.half(event.from);
    if (half === null ? this.waiting : half.waiting) {
      this.#park({ kind: 'event', half, event });
    } else this.#sayClosed(event, half, out);
  }

  #sayClosed(event: StreamEvent & { kind: 'closed' }, half: TlsDirection | null, out: TlsOutput[]): void {
    const session = this.#session!;
    for (const each of half === null ? [session.client, session.server] : [half]) {
      session.finish(each, event.origin, out);
    }
    if (half === null) this.#late!.sayOpened(session, true, out);
    session.outcome.closed(event, out);
    // close_notify may have said it already.
    if (half?.closed !== true) out.push(event);
    if (half !== null) half.closed = true;
  }

  /** Tries what waits again, if anything changed that it may have waited for. */
  #unblock(out: TlsOutput[]): void {
    const session = this.#session!;
    const { version } = this.#shared.secrets;
    const newSecrets = version !== this.#seenVersion;
    this.#seenVersion = version;
    const mayRead = newSecrets && !session.late && session.handshake.secrets !== undefined;
    if (mayRead || session.changes !== this.#seenChanges) this.#replay(out);
    if (session.late && !session.lost && (newSecrets || this.#late!.due(session)))
      this.#openLate(false, out, newSecrets);
    if (!this.#spool!.withinLimits && !session.lost) this.#overflow(out);
    if (session.lost) this.#becomeOpaque(out);
  }

  /** Too much waits: it is decided with what is known. */
  #overflow(out: TlsOutput[]): void {
    const session = this.#session!;
    const detail = `${this.#spool!.bytes} bytes of this connection were waiting`;
    out.push(notice('limit.undecrypted', detail, { connection: this.#connection.name }));
    session.giveUpWaiting();
    this.#replay(out);
    if (session.late && !session.lost) this.#openLate(true, out);
    const [rest] = this.#spool!.entries;
    if (rest === undefined || session.lost) return;
    const origin = rest.kind === 'record' ? rest.origin : rest.event.origin;
    session.giveUp('no-handshake', 'the handshake is not in the capture', origin, out);
  }

  #replay(out: TlsOutput[]): void {
    const session = this.#session!;
    let before: number;
    do {
      before = session.changes;
      for (const half of [session.client, session.server]) {
        half.waiting = false;
        half.bufferedRecords = 0;
      }
      for (const entry of this.#spool!.drain()) {
        const stuck = entry.half === null ? this.waiting : entry.half.waiting;
        if (stuck) this.#park(entry);
        else if (entry.kind === 'event') this.#replayEvent(entry.event, entry.half, out);
        else if (!session.lost && !session.take(entry.half, entry.record, entry.lost, entry.origin, out)) {
          this.#park(entry);
        }
      }
    } while (session.changes !== before && this.waiting);
    this.#late!.sayOpened(session, false, out);
    this.#seenChanges = session.changes;
  }

  #replayEvent(event: StreamEvent, half: TlsDirection | null, out: TlsOutput[]): void {
    if (event.kind === 'closed' && !this.#session!.lost) this.#sayClosed(event, half, out);
    else this.#watch(event, out);
  }

  #openLate(last: boolean, out: TlsOutput[], newSecrets = false): void {
    if (this.#late!.open(this.#session!, this.#spool!, last, newSecrets, out)) this.#replay(out);
  }

  #malformed(half: TlsDirection, origin: Origin, out: TlsOutput[]): void {
    if (half.saidMalformed) return;
    half.saidMalformed = true;
    this.#session!.outcome.malformed(half.side, out);
    const detail = `the ${half.side} sent bytes that are no TLS records`;
    if (half.epoch === 'clear' && !half.waiting) this.#session!.giveUp('not-tls', detail, origin, out);
    else out.push(notice('tls.malformed', detail, { origin, connection: this.#connection.name }));
  }

  #becomeOpaque(out: TlsOutput[]): void {
    this.#mode = 'opaque';
    for (const entry of this.#spool!.drain()) if (entry.kind === 'event') this.#watch(entry.event, out);
  }
}
