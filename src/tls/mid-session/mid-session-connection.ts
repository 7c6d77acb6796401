// Decides when the buffered records of a connection without handshake are tried, and reports whether they were opened.

import { APPLICATION_DATA, CHANGE_CIPHER_SPEC } from '../../core/first-bytes.js';
import { notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Connection } from '../../tcp/stream-event.js';
import { secretsName } from '../handshake-state.js';
import type { SecretStore, SessionSecrets } from '../key-log.js';
import type { MidSessionKeys, TlsOutput, TlsSession } from '../session.js';
import type { UndecryptedRecords } from '../undecrypted-records.js';
import { KeySearch, type KeyTrials, looksLikeTls12 } from './key-trials.js';

export class MidSessionConnection {
  readonly #connection: Connection;
  readonly #secrets: SecretStore;
  readonly #search: KeySearch;
  /** The secrets that opened it, until that was reported. */
  #openedBy: SessionSecrets | null = null;

  constructor(connection: Connection, secrets: SecretStore, trials: KeyTrials) {
    this.#connection = connection;
    this.#secrets = secrets;
    this.#search = new KeySearch(connection, trials);
  }

  /** Whether enough records are buffered to try them. */
  due({ client, server }: TlsSession): boolean {
    return this.#search.due('client', client.bufferedRecords) || this.#search.due('server', server.bufferedRecords);
  }

  /**
   * Tries the buffered records, and gives the connection up when further attempts cannot succeed.
   * @param last whether no more records will come.
   * @param newSecrets whether secrets arrived since the latest attempt.
   * @returns whether the session got keys or was given up: in both cases the caller has to replay the buffered records.
   */
  open(
    session: TlsSession,
    undecrypted: UndecryptedRecords,
    last: boolean,
    newSecrets: boolean,
    out: TlsOutput[],
  ): boolean {
    const first = undecrypted.entries.find(
      (entry) => entry.kind === 'record' && entry.record[0] !== CHANGE_CIPHER_SPEC,
    );
    if (first?.kind !== 'record') return false;
    const search = this.#search;
    const knownClientRandom = session.handshake.clientRandom;
    const waiting = {
      client: undecrypted.records(session.client, APPLICATION_DATA),
      server: undecrypted.records(session.server, APPLICATION_DATA),
    };
    const [client, server] = [waiting.client, waiting.server].map((records) => records.map(({ record }) => record));
    const isTls12 = looksLikeTls12(client) || looksLikeTls12(server);
    // Secrets that a process was observed to use come with their cipher suite and approximate record number, so they are tried first.
    let keys: MidSessionKeys | null = search.attemptObserved(waiting, last, newSecrets);
    if (!isTls12 && keys === null) {
      // These attempts try all secrets of handshakes, but only when enough new records are buffered or no more will come.
      keys =
        search.attempt('client', client, knownClientRandom, last) ??
        search.attempt('server', server, knownClientRandom, last);
      // These attempts try the secrets that no earlier attempt tried, without new records.
      if (newSecrets)
        keys ??=
          search.attemptNew('client', client, knownClientRandom) ??
          search.attemptNew('server', server, knownClientRandom);
    }
    if (keys !== null) {
      this.#openedBy = keys.secrets;
      session.adopt(keys, first.origin, out);
      return true;
    }
    const isHopeless = !session.awaitsSecrets && (isTls12 || search.finished || search.candidates === 0);
    if (last || isHopeless) this.#giveUp(session, isTls12, first.origin, out);
    return session.isOpaque;
  }

  /** Reports, once, that the connection was opened: when the sequence numbers of both sides are known, or at the end (`last`). */
  reportOpened({ client, server }: TlsSession, last: boolean, out: TlsOutput[]): void {
    if (this.#openedBy === null || (!last && (client.isSeqUnknown || server.isSeqUnknown))) return;
    // The capture has the beginning of this connection, so notices about its lost or cut packets say what the TLS handshake lacks.
    if (this.#connection.roles === 'handshake') return;
    const starts = [client, server].map(({ side, firstSeq }) =>
      firstSeq === null ? `nothing read from the ${side}` : `the ${side} from record ${firstSeq} on`,
    );
    const swapped = client.role === 'client' ? '' : '; client and server are the other way round than taken for';
    const detail = `opened with ${secretsName(this.#openedBy, null)}: ${starts.join(', ')}${swapped}`;
    out.push(notice('tls.mid-session', detail, { connection: this.#connection.name }));
    this.#openedBy = null;
  }

  #giveUp(session: TlsSession, isTls12: boolean, origin: Origin, out: TlsOutput[]): void {
    const { candidates, isSearchCut, wasStoppedEarly } = this.#search;
    if (isSearchCut) {
      const detail = wasStoppedEarly
        ? `not all of ${candidates} secrets were tried`
        : `not everything was tried with each of ${candidates} secrets`;
      out.push(notice('limit.trials', detail, { origin, connection: this.#connection.name }));
    }
    const why = isTls12
      ? 'it is TLS 1.2, which without its handshake only its keys open (kubeseq keys, beside the capture)'
      : this.#secrets.size === 0
        ? 'a key log that holds its secrets could open it'
        : `none of the ${candidates} TLS 1.3 secrets in the key log fits${isSearchCut ? ', as far as they were tried' : ''}`;
    if (this.#connection.roles === 'handshake')
      session.giveUp('handshake-cut', `a part of the handshake is not in the capture; ${why}`, origin, out);
    else session.giveUp('no-handshake', `the handshake is not in the capture; ${why}`, origin, out);
  }
}
