// Tells the parts of an exchange's time that are long: connecting, sending the request again, waiting, receiving the response.

import { RecentMap } from '../../core/collections/bounded.js';
import { NOTED_LOSS_NS } from '../../core/cut.js';
import type { ExchangeTimes } from '../../core/lost-time.js';
import type { ExchangeEvent } from '../../http/exchange-event.js';
import type { LostTime } from '../../tcp/delivery.js';
import type { TlsEstablished } from '../../tcp/stream-event.js';

/** Remembers, by connection, phases longer than `NOTED_LOSS_NS` until a response takes them. */
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
   * @param requestEnd ns: when the last byte of the request was captured.
   * @returns undefined where nothing worth telling was lost.
   */
  take(connection: string, requestEnd: bigint, response: ResponseSpan): ExchangeTimes | undefined {
    const received = receiving(response, this.#lost.get(connection));
    const lost = this.#lost.size === 0 ? null : this.#beforeResponse(connection, requestEnd, response.first.time);
    return received === null && lost === null ? undefined : { ...lost, ...received };
  }

  /** @param answered ns: first byte of the response. */
  #beforeResponse(connection: string, requestEnd: bigint, answered: bigint): ExchangeTimes | null {
    const known = this.#lost.get(connection);
    if (known === undefined) return null;
    const connecting = known.find((one) => one.of === 'connecting');
    const handshake = known.find((one) => one.of === 'handshake');
    const sending = known.find(
      ({ of, from, until }) => of === 'sending' && from <= requestEnd && until > requestEnd && until <= answered,
    );
    const rest = known.filter((one) => one !== connecting && one !== handshake && one.until > answered);
    if (rest.length === 0) this.#lost.delete(connection);
    else this.#lost.set(connection, rest);
    if (connecting === undefined && handshake === undefined && sending === undefined) return null;
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

/** The captured part of an exchange that its response takes. */
type ResponseSpan = Pick<
  ExchangeEvent & { readonly kind: 'response' },
  'first' | 'last' | 'complete' | 'body' | 'stalls'
>;

/** null: the response is streamed or incomplete, or its parts came within `NOTED_LOSS_NS`. */
function receiving(
  { first: { time: from }, last: { time: until }, complete, body, stalls = [] }: ResponseSpan,
  lost: readonly LostTime[] = [],
): ExchangeTimes | null {
  if (!complete || body === null || until - from < NOTED_LOSS_NS) return null;
  const full = lost.flatMap((one) => (one.of === 'stalled' ? [{ since: one.from, until: one.until }] : []));
  const within = [...stalls, ...full].filter((one) => one.until > from && one.until <= until);
  let stalled = 0n;
  let done = from;
  for (const { since, until: end } of within.sort((a, b) => (a.since < b.since ? -1 : 1))) {
    const begin = since > done ? since : done;
    if (end <= begin) continue;
    stalled += end - begin;
    done = end;
  }
  const receiveMs = msBetween(from, until);
  return stalled < NOTED_LOSS_NS ? { receiveMs } : { receiveMs, stalledMs: Number(stalled) / 1e6 };
}

function msBetween(from: bigint, until: bigint): number {
  return Number(until - from) / 1e6;
}

/** Limit: connections that lost time. */
const MAX_CONNECTIONS = 10_000;
/** Limit: what one connection lost while no response came. */
const MAX_LOST = 64;
