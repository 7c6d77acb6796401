// Decrypts all connections, and retries those that wait when new secrets arrive (a growing key log, secrets in the capture).

import type { Notice } from '../core/notice.js';
import { NOTHING, type Stage } from '../core/stage.js';
import type { Connection, StreamEvent } from '../tcp/stream-event.js';
import { tunnelDecrypter } from './connect-tunnel.js';
import { type TlsDecrypter, type TlsOptions, tlsDecrypter } from './decrypter.js';
import type { SecretStore } from './key-log.js';
import { relayedDecrypter } from './relays/relayed-decrypter.js';

export interface TlsStage extends Pick<Stage<StreamEvent, StreamEvent | Notice>, 'feed'> {
  /** ns: time of the oldest event that waits for its keys. */
  heldSince(): bigint | undefined;
  /** @returns what new secrets have opened, if any have arrived. */
  wake(): readonly (StreamEvent | Notice)[];
  /** Ends the connections in order of their beginning, each when the items before were taken: bytes are borrowed until then. */
  end(): Iterable<StreamEvent | Notice>;
}

/**
 * In: events of all connections. Out: like `tlsDecrypter` for each of them; a connection that was closed while it waited is emitted
 * when its keys arrive, or at the end.
 */
export function tlsStage(secrets: SecretStore, options: TlsOptions = {}): TlsStage {
  return new AllConnections(secrets, options);
}

class AllConnections implements TlsStage {
  readonly #secrets: SecretStore;
  readonly #open: (connection: Connection) => TlsDecrypter;
  /** null before the first event behind `established`: connections of a SYN flood have none, and a decrypter takes a kilobyte. */
  readonly #decrypters = new Map<Connection, TlsDecrypter | null>();
  /** Waiting connections, the longest waiting first, with the time (ns) of their first waiting event. */
  readonly #waiting = new Map<Connection, bigint>();
  #seenVersion = 0;

  constructor(secrets: SecretStore, options: TlsOptions) {
    this.#secrets = secrets;
    this.#open = relayedDecrypter(tunnelDecrypter(tlsDecrypter(secrets, options)));
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

  *end(): Iterable<StreamEvent | Notice> {
    for (const decrypter of this.#decrypters.values()) yield* decrypter?.end() ?? NOTHING;
    this.#decrypters.clear();
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
