// All connections at once, for inputs whose secrets come while they are read (a growing key log, secrets inside the
// capture): connections that wait are looked at again as soon as a secret came, whichever connection speaks next. Knows
// which connections there are.

import type { Notice } from '../core/notice.js';
import { NOTHING, type Stage } from '../core/stage.js';
import type { Connection, StreamEvent } from '../tcp/stream-event.js';
import { tunnelDecrypter } from './connect-tunnel.js';
import { type TlsOptions, tlsDecrypter } from './decrypter.js';
import type { SecretStore } from './key-log.js';
import type { TlsDecrypter } from './tls-decrypter.js';

export interface TlsStage extends Stage<StreamEvent, StreamEvent | Notice> {
  /** Time in ns of the oldest event that waits for its keys; undefined if none waits. */
  heldSince(): bigint | undefined;
  /** Secrets came while nobody speaks: what they open. */
  wake(): readonly (StreamEvent | Notice)[];
  /** As `end`, by connection, in the order in which they began. */
  endings(): Iterable<readonly [Connection, readonly (StreamEvent | Notice)[]]>;
}

/**
 * In: events of any connections. Out: as `tlsDecrypter` for each of them; a connection that closed while it waited comes
 * out when its keys do, or at the end.
 */
export function tlsStage(secrets: SecretStore, options: TlsOptions = {}): TlsStage {
  return new AllConnections(secrets, options);
}

class AllConnections implements TlsStage {
  readonly #secrets: SecretStore;
  readonly #open: (connection: Connection) => TlsDecrypter;
  /** null: nothing was sent so far. Of a flood of SYNs nothing ever is, and a decrypter takes a kilobyte. */
  readonly #decrypters = new Map<Connection, TlsDecrypter | null>();
  /** Connections that wait, the longest waiting first, with the time of their first event that does. */
  readonly #waiting = new Map<Connection, bigint>();
  #seenVersion = 0;

  constructor(secrets: SecretStore, options: TlsOptions) {
    this.#secrets = secrets;
    this.#open = tunnelDecrypter(tlsDecrypter(secrets, options));
  }

  feed(event: StreamEvent): readonly (StreamEvent | Notice)[] {
    const late = this.wake();
    const { connection } = event;
    let decrypter = this.#decrypters.get(connection);
    if (decrypter === undefined && event.kind === 'established') {
      this.#decrypters.set(connection, null);
      return late.length === 0 ? [event] : [...late, event];
    }
    if (decrypter === undefined || decrypter === null) {
      decrypter = this.#open(connection);
      this.#decrypters.set(connection, decrypter);
    }
    const out = decrypter.feed(event);
    if (decrypter.holding) {
      if (!this.#waiting.has(connection)) this.#waiting.set(connection, event.origin.time);
    } else if (this.#waiting.size > 0) this.#waiting.delete(connection);
    if (event.kind === 'closed' && event.from === null && !decrypter.waiting) {
      const rest = decrypter.end();
      this.#decrypters.delete(connection);
      return late.length + rest.length === 0 ? out : [...late, ...out, ...rest];
    }
    return late.length === 0 ? out : [...late, ...out];
  }

  wake(): readonly (StreamEvent | Notice)[] {
    return this.#secrets.version === this.#seenVersion ? NOTHING : this.#retry();
  }

  heldSince(): bigint | undefined {
    for (const time of this.#waiting.values()) return time;
    return undefined;
  }

  *endings(): Iterable<readonly [Connection, readonly (StreamEvent | Notice)[]]> {
    for (const [connection, decrypter] of this.#decrypters) yield [connection, decrypter?.end() ?? NOTHING];
    this.#decrypters.clear();
  }

  end(): readonly (StreamEvent | Notice)[] {
    const out: (StreamEvent | Notice)[] = [];
    for (const [, items] of this.endings()) for (const item of items) out.push(item);
    return out;
  }

  #retry(): readonly (StreamEvent | Notice)[] {
    this.#seenVersion = this.#secrets.version;
    const out: (StreamEvent | Notice)[] = [];
    for (const [connection, decrypter] of this.#decrypters) {
      if (decrypter?.waiting !== true) continue;
      for (const item of decrypter.retry()) out.push(item);
      if (!decrypter.holding) this.#waiting.delete(connection);
      if (decrypter.waiting || !decrypter.over) continue;
      for (const item of decrypter.end()) out.push(item);
      this.#decrypters.delete(connection);
    }
    return out;
  }
}
