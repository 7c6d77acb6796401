// The course of a connection without handshake: when its waiting records are tried, what is said when they open or do
// not. Knows the session and what waits; the trials themselves are in late.ts.

import { notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Connection } from '../../tcp/stream-event.js';
import { secretsName } from '../handshake-state.js';
import type { SecretStore, SessionSecrets } from '../key-log.js';
import { APPLICATION_DATA, CHANGE_CIPHER_SPEC } from '../records.js';
import type { LateKeys, TlsOutput, TlsSession } from '../session.js';
import type { UndecryptedRecords } from '../undecrypted-records.js';
import { KeySearch, type KeyTrials, looksLikeTls12 } from './key-trials.js';

export class MidSessionConnection {
  readonly #connection: Connection;
  readonly #secrets: SecretStore;
  readonly #opener: KeySearch;
  /** The secrets that opened it, until that was said. */
  #openedBy: SessionSecrets | null = null;

  constructor(connection: Connection, secrets: SecretStore, trials: KeyTrials) {
    this.#connection = connection;
    this.#secrets = secrets;
    this.#opener = new KeySearch(connection, trials);
  }

  /** Whether enough records wait that trying them is worth it. */
  due({ client, server }: TlsSession): boolean {
    return this.#opener.due('client', client.bufferedRecords) || this.#opener.due('server', server.bufferedRecords);
  }

  /**
   * Tries what waits, and gives the connection up where nothing is left to hope for.
   * @param last whether nothing more will come.
   * @param newSecrets whether secrets came since the last time.
   * @returns whether the session changed, so that what waits can go on.
   */
  open(session: TlsSession, spool: UndecryptedRecords, last: boolean, newSecrets: boolean, out: TlsOutput[]): boolean {
    const shielded = (record: Uint8Array) => record[0] !== CHANGE_CIPHER_SPEC;
    const first = spool.entries.find((entry) => entry.kind === 'record' && shielded(entry.record));
    if (first?.kind !== 'record') return false;
    const opener = this.#opener;
    const only = session.handshake.clientRandom;
    const waiting = {
      client: spool.records(session.client, APPLICATION_DATA),
      server: spool.records(session.server, APPLICATION_DATA),
    };
    const [client, server] = [waiting.client, waiting.server].map((records) => records.map(({ record }) => record));
    const old = looksLikeTls12(client) || looksLikeTls12(server);
    let keys: LateKeys | null = opener.attemptObserved(waiting, last, newSecrets);
    if (!old && keys === null) {
      keys = opener.attempt('client', client, only, last) ?? opener.attempt('server', server, only, last);
      if (newSecrets) keys ??= opener.attemptNew('client', client, only) ?? opener.attemptNew('server', server, only);
    }
    if (keys !== null) {
      this.#openedBy = keys.secrets;
      session.adopt(keys, first.origin, out);
      return true;
    }
    const hopeless = !session.awaitsSecrets && (old || opener.finished || opener.candidates === 0);
    if (last || hopeless) this.#giveUp(session, old, first.origin, out);
    return session.lost;
  }

  /** Once, when both directions were placed or (`last`) the connection is over. */
  sayOpened({ client, server }: TlsSession, last: boolean, out: TlsOutput[]): void {
    if (this.#openedBy === null || (!last && (client.unplaced || server.unplaced))) return;
    const places = [client, server].map(({ side, firstSeq }) =>
      firstSeq === null ? `nothing read from the ${side}` : `the ${side} from record ${firstSeq} on`,
    );
    const turned = client.role === 'client' ? '' : '; client and server are the other way round than taken for';
    const detail = `opened with ${secretsName(this.#openedBy, null)}: ${places.join(', ')}${turned}`;
    out.push(notice('tls.mid-session', detail, { connection: this.#connection.name }));
    this.#openedBy = null;
  }

  #giveUp(session: TlsSession, old: boolean, origin: Origin, out: TlsOutput[]): void {
    const { candidates, limited, stopped } = this.#opener;
    if (limited) {
      const detail = stopped
        ? `not all of ${candidates} secrets were tried`
        : `not everything was tried with each of ${candidates} secrets`;
      out.push(notice('limit.trials', detail, { origin, connection: this.#connection.name }));
    }
    const why = old
      ? 'it is TLS 1.2, which without its handshake only its keys open (kubeseq keys, beside the capture)'
      : this.#secrets.size === 0
        ? 'a key log that holds its secrets could open it'
        : `none of the ${candidates} TLS 1.3 secrets in the key log fits${limited ? ', as far as they were tried' : ''}`;
    session.giveUp('no-handshake', `the handshake is not in the capture; ${why}`, origin, out);
  }
}
