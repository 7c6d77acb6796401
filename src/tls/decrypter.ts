// Decrypts one connection: plaintext passes unchanged, TLS is replaced by its content, and an unreadable connection becomes opaque,
// with the reason.

import { APPLICATION_DATA } from '../core/first-bytes.js';
import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { NOTHING, type Stage } from '../core/stage.js';
import type { Connection, StreamEvent } from '../tcp/stream-event.js';
import { Detector, type Verdict } from './detect.js';
import type { SecretStore } from './key-log.js';
import { KeyTrials, type TrialProgress } from './mid-session/key-trials.js';
import { MidSessionConnection } from './mid-session/mid-session-connection.js';
import { type TlsOutput, TlsSession } from './session.js';
import type { TlsDirection } from './tls-direction.js';
import { type BufferedRecord, UndecryptedRecords, type UndecryptedTally } from './undecrypted-records.js';

export interface TlsDecrypter extends Stage<StreamEvent, StreamEvent | Notice> {
  /** Whether records wait for secrets that may still arrive. */
  readonly waiting: boolean;
  /** Whether bytes wait for secrets, or for the detection of TLS. */
  readonly holding: boolean;
  /** Whether the connection was closed; while it waits, its `closed` was not emitted yet. */
  readonly over: boolean;
  /** Called when secrets have arrived. @returns what can be read now. */
  retry(): readonly (StreamEvent | Notice)[];
}

export interface TlsOptions {
  /** Receives the progress of key trials for connections without handshake. */
  readonly progress?: TrialProgress;
}

/**
 * Creates the TLS stage of each connection. In: the events of that connection. Out: the same, with TLS replaced by its plaintext
 * (`origin`: the frame that completed a record) after one `tls-established`, or one `opaque`.
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
  // Reused lists, which callers read before the next call. They are shared by all connections, because a list of each would keep the
  // chunk with its latest bytes alive.
  readonly one: StreamEvent[];
  readonly out: TlsOutput[];
}

type PlacedBytes = StreamEvent & { readonly kind: 'data' };

class Decrypter implements TlsDecrypter {
  over = false;
  readonly #connection: Connection;
  readonly #shared: Shared;
  #mode: 'detecting' | 'plain' | 'tls' | 'opaque' = 'detecting';
  #detector: Detector | null;
  #session: TlsSession | null = null;
  // Not needed for plaintext.
  #undecrypted: UndecryptedRecords | null = null;
  #midSession: MidSessionConnection | null = null;
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
    return this.#undecrypted !== null && this.#undecrypted.length > 0;
  }

  feed(event: StreamEvent): readonly TlsOutput[] {
    if (this.#mode === 'plain') return this.#pass(event);
    const { out } = this.#shared;
    out.length = 0;
    if (this.#mode === 'opaque') this.#observe(event, out);
    else if (this.#mode === 'tls') this.#decrypt(event, out);
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
    if (this.#session.isMidSession && !this.#session.isOpaque) this.#tryKeys(true, out);
    this.#midSession!.reportOpened(this.#session, true, out);
    // The remaining entries are the end of a connection that never sent protected records.
    for (const entry of this.#undecrypted!.drain()) if (entry.kind === 'event') this.#observe(entry.event, out);
    return out;
  }

  /** Observes an unreadable connection, which can still be seen to fail. */
  #observe(event: StreamEvent, out: TlsOutput[]): void {
    const session = this.#session!;
    const { outcome } = session;
    if (event.kind === 'data') {
      if (outcome.over) return;
      const half = session.direction(event.from);
      half.records.push(event.bytes);
      this.#observeRecords(half, event, out);
    } else if (event.kind === 'gap') outcome.onLoss();
    else {
      if (event.kind === 'closed') outcome.onClosed(event, out);
      out.push(event);
    }
  }

  #observeRecords(half: TlsDirection, { origin, bytes }: PlacedBytes, out: TlsOutput[]): void {
    const { outcome } = this.#session!;
    while (!outcome.over && half.records.next()) outcome.observe(half, origin, out);
    if (half.records.malformed) outcome.onMalformed(half.side, bytes, out);
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
    const isMidStream = this.#detector!.isMidStream;
    this.#detector = null;
    if (verdict === 'plain') {
      this.#mode = 'plain';
      for (const event of held) out.push(event);
      return;
    }
    this.#mode = 'tls';
    this.#undecrypted = new UndecryptedRecords(this.#shared.tally);
    this.#midSession = new MidSessionConnection(this.#connection, this.#shared.secrets, this.#shared.trials);
    this.#session = new TlsSession(this.#connection, this.#shared.secrets);
    if (isMidStream) {
      this.#session.client.records.startAnywhere();
      this.#session.server.records.startAnywhere();
    }
    for (const event of held) this.#decrypt(event, out);
  }

  #decrypt(event: StreamEvent, out: TlsOutput[]): void {
    const session = this.#session!;
    if (session.isOpaque) {
      this.#observe(event, out);
      return;
    }
    if (event.kind === 'data') {
      const half = session.direction(event.from);
      half.records.push(event.bytes);
      while (!session.isOpaque && half.records.next()) this.#record(half, event.origin, out);
      // If the session was given up in the middle of a segment, the rest of it is still observed.
      if (session.isOpaque) this.#observeRecords(half, event, out);
      else if (half.records.malformed) this.#malformed(half, event, out);
    } else if (event.kind === 'gap') {
      session.direction(event.from).records.gap(event.length);
      session.outcome.onLoss();
    } else if (event.kind === 'closed') this.#closed(event, out);
    else out.push(event);
    if (this.waiting) this.#unblock(out);
    this.#midSession!.reportOpened(session, false, out);
    if (session.isOpaque) this.#becomeOpaque(out);
  }

  #record(half: TlsDirection, origin: Origin, out: TlsOutput[]): void {
    const { record, lost } = half.records;
    this.#session!.outcome.observe(half, origin, out);
    if (!half.waiting && this.#session!.process(half, record, lost, origin, out)) return;
    this.#buffer({ kind: 'record', half, record: new Uint8Array(record), lost, origin });
  }

  #buffer(entry: BufferedRecord): void {
    if (entry.half !== null) entry.half.waiting = true;
    if (entry.kind === 'record' && entry.record[0] === APPLICATION_DATA) entry.half.bufferedRecords += 1;
    this.#undecrypted!.add(entry);
  }

  #closed(event: StreamEvent & { kind: 'closed' }, out: TlsOutput[]): void {
    const session = this.#session!;
    if (event.from === null) this.over = true;
    const half = event.from === null ? null : session.direction(event.from);
    if (half === null ? this.waiting : half.waiting) this.#buffer({ kind: 'event', half, event });
    else this.#emitClosed(event, half, out);
  }

  #emitClosed(event: StreamEvent & { kind: 'closed' }, half: TlsDirection | null, out: TlsOutput[]): void {
    const session = this.#session!;
    for (const each of half === null ? [session.client, session.server] : [half]) {
      session.finish(each, event.origin, out);
    }
    if (half === null) this.#midSession!.reportOpened(session, true, out);
    session.outcome.onClosed(event, out);
    // A close_notify may have closed the direction already.
    if (half?.closed !== true) out.push(session.outcome.isBegun ? { ...event, isTlsBegun: true } : event);
    if (half !== null) half.closed = true;
  }

  /** Retries the buffered records if anything changed for which they may have waited. */
  #unblock(out: TlsOutput[]): void {
    const session = this.#session!;
    const { version } = this.#shared.secrets;
    const newSecrets = version !== this.#seenVersion;
    this.#seenVersion = version;
    const mayRead = newSecrets && !session.isMidSession && session.handshake.secrets !== undefined;
    if (mayRead || session.changes !== this.#seenChanges) this.#replay(out);
    if (session.isMidSession && !session.isOpaque && (newSecrets || this.#midSession!.due(session)))
      this.#tryKeys(false, out, newSecrets);
    if (!this.#undecrypted!.withinLimits && !session.isOpaque) this.#overflow(out);
    if (session.isOpaque) this.#becomeOpaque(out);
  }

  /** Decides with the secrets at hand, because the limit of buffered bytes was reached. */
  #overflow(out: TlsOutput[]): void {
    const session = this.#session!;
    const detail = `${this.#undecrypted!.bytes} bytes of this connection were waiting`;
    out.push(notice('limit.undecrypted', detail, { connection: this.#connection.name }));
    session.giveUpWaiting();
    this.#replay(out);
    if (session.isMidSession && !session.isOpaque) this.#tryKeys(true, out);
    const [rest] = this.#undecrypted!.entries;
    if (rest === undefined || session.isOpaque) return;
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
      for (const entry of this.#undecrypted!.drain()) {
        const isStuck = entry.half === null ? this.waiting : entry.half.waiting;
        if (isStuck) this.#buffer(entry);
        else if (entry.kind === 'record') {
          if (!session.isOpaque && !session.process(entry.half, entry.record, entry.lost, entry.origin, out))
            this.#buffer(entry);
        } else if (entry.event.kind === 'closed' && !session.isOpaque) this.#emitClosed(entry.event, entry.half, out);
        else this.#observe(entry.event, out);
      }
    } while (session.changes !== before && this.waiting);
    this.#midSession!.reportOpened(session, false, out);
    this.#seenChanges = session.changes;
  }

  #tryKeys(last: boolean, out: TlsOutput[], newSecrets = false): void {
    if (this.#midSession!.open(this.#session!, this.#undecrypted!, last, newSecrets, out)) this.#replay(out);
  }

  #malformed(half: TlsDirection, { origin, bytes }: PlacedBytes, out: TlsOutput[]): void {
    if (half.hasMalformedNotice) return;
    half.hasMalformedNotice = true;
    this.#session!.outcome.onMalformed(half.side, bytes, out);
    const detail = `the ${half.side} sent bytes that are no TLS records`;
    if (half.epoch === 'clear' && !half.waiting) this.#session!.giveUp('not-tls', detail, origin, out);
    else out.push(notice('tls.malformed', detail, { origin, connection: this.#connection.name }));
  }

  #becomeOpaque(out: TlsOutput[]): void {
    this.#mode = 'opaque';
    for (const entry of this.#undecrypted!.drain()) if (entry.kind === 'event') this.#observe(entry.event, out);
  }
}
