// Tells how much of an exchange's time was lost before its request had arrived: in connecting, and in sending the request again.

import { RecentMap } from '../core/collections/bounded.js';
import { NOTED_LOSS_NS } from '../core/cut.js';
import type { LostTime } from '../tcp/delivery.js';
import type { TlsEstablished } from '../tcp/stream-event.js';

/** Parts of the time of an exchange, as the field `times` has them: ms. */
export interface ExchangeTimes {
  /** From the first SYN to its answer; of the first exchange of its connection. */
  readonly connectMs?: number | undefined;
  /** How often the SYN was sent. */
  readonly syns?: number | undefined;
  /** From the first ClientHello of TLS to the server's answer; of the first exchange of its connection. */
  readonly tlsMs?: number | undefined;
  /** From the last byte of the request to its acknowledgment; part of the latency. */
  readonly sendMs?: number | undefined;
  /** How often that byte was sent. */
  readonly sent?: number | undefined;
  /** From that acknowledgment, if it came by itself, to the first byte of the response: the rest of the latency. */
  readonly waitMs?: number | undefined;
}

export class LostTimes {
  /** Connection → what was lost on it since its latest response. */
  readonly #lost = new RecentMap<string, LostTime[]>(MAX_CONNECTIONS, 'connections that lost time');

  add(lost: LostTime): void {
    const known = this.#lost.get(lost.connection);
    if (known === undefined) this.#lost.set(lost.connection, [lost]);
    else if (known.length < MAX_LOST) known.push(lost);
  }

  onTlsEstablished({ connection, hello, origin }: TlsEstablished): void {
    if (hello === undefined || origin.time - hello.time < NOTED_LOSS_NS) return;
    const [from, until] = [hello.time, origin.time];
    this.add({ kind: 'lost-time', of: 'handshake', connection: connection.name, from, until, sent: 1 });
  }

  /**
   * @param requestEnd ns: when the last byte of the request was captured. @param answered ns: first byte of the response.
   * @returns undefined where nothing worth telling was lost.
   */
  take(connection: string, requestEnd: bigint, answered: bigint): ExchangeTimes | undefined {
    const known = this.#lost.get(connection);
    if (known === undefined) return undefined;
    const connecting = known.find((one) => one.of === 'connecting');
    const handshake = known.find((one) => one.of === 'handshake');
    const sending = known.find(
      ({ of, from, until }) => of === 'sending' && from <= requestEnd && until > requestEnd && until <= answered,
    );
    const rest = known.filter((one) => one !== connecting && one !== handshake && one.until > answered);
    if (rest.length === 0) this.#lost.delete(connection);
    else this.#lost.set(connection, rest);
    if (connecting === undefined && handshake === undefined && sending === undefined) return undefined;
    return {
      ...(connecting === undefined
        ? null
        : { connectMs: msBetween(connecting.from, connecting.until), syns: connecting.sent }),
      ...(handshake === undefined ? null : { tlsMs: msBetween(handshake.from, handshake.until) }),
      ...(sending === undefined
        ? null
        : {
            sendMs: msBetween(requestEnd, sending.until),
            sent: sending.sent,
            // The response may be the acknowledgment.
            ...(sending.until < answered ? { waitMs: msBetween(sending.until, answered) } : null),
          }),
    };
  }
}

function msBetween(from: bigint, until: bigint): number {
  return Number(until - from) / 1e6;
}

/** Limit: connections that lost time. */
const MAX_CONNECTIONS = 10_000;
/** Limit: what one connection lost while no response came. */
const MAX_LOST = 64;
