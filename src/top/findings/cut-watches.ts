// Finds who ends watches that are idle: one server or proxy ends connections, each time after the same time without a byte.

import { serverOf, withAddress } from '../../core/connection-name.js';
import { type CutInfo, TOLD_SILENCE_MS, wayOf } from '../../core/cut.js';
import { elapsedText } from '../../core/duration.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { findingOf, MAX_FINDINGS, Recurrence, type UsageFinding } from './finding.js';

/** Connections with watches that one server or proxy ended in one way, after one time without a byte. */
interface IdleTimeout {
  /** `proxy 192.0.2.20`. */
  readonly peer: string;
  readonly way: string;
  /** ms without a byte. */
  readonly idle: number;
  readonly clients: Set<Participant>;
  readonly recurrence: Recurrence;
  /** Whether client-go can have sent a PING: of HTTP/2. */
  readonly pings: boolean;
  connection: string;
}

export class CutWatches {
  readonly #timeouts: IdleTimeout[] = [];

  /** @param end of an exchange. */
  observe({ verb, from, to, connection, stream, time, seq }: Message, cut: CutInfo): void {
    const { by, silentMs = 0 } = cut;
    if (verb !== 'watch' || by === 'client' || silentMs < TOLD_SILENCE_MS) return;
    const [peer, way] = [withAddress(from.process.name, serverOf(connection)), wayOf(cut)];
    let known = this.#timeouts.find(
      (one) => one.peer === peer && one.way === way && Math.abs(one.idle - silentMs) <= one.idle * TOLERANCE,
    );
    if (known === undefined) {
      if (this.#timeouts.length >= MAX_FINDINGS) return;
      const recurrence = new Recurrence();
      known = { peer, way, idle: silentMs, clients: new Set(), recurrence, pings: stream !== null, connection: '' };
      this.#timeouts.push(known);
    }
    // All watches of a connection end with it.
    if (known.connection === connection) return;
    known.connection = connection;
    known.clients.add(to);
    known.recurrence.add(time, seq);
  }

  findings(): UsageFinding[] {
    return (
      this.#timeouts
        // What ends at one moment has lost its server.
        .filter(({ recurrence }) => recurrence.seconds >= 1)
        .map(({ peer, way, idle, clients, recurrence, pings }) => {
          const pinged = pings && idle < PING_MS ? '; client-go sends a PING after 30 s' : '';
          const what = `${peer} ends watches after ${elapsedText(idle * 1e6)} without a byte (${way}): ${recurrence.words}${pinged}`;
          return findingOf('cut-watches', [...clients], what, recurrence);
        })
    );
  }
}

/** Share of a time by which timers differ that were set to the same. */
const TOLERANCE = 0.05;
/** ms: k8s.io/apimachinery, pkg/util/net/http.go, readIdleTimeoutSeconds. */
const PING_MS = 30_000;
