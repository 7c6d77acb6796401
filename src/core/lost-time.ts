// Says how much of an exchange's time was lost below HTTP, from the field `times` of a message.

import { elapsedText } from './duration.js';

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
  /** From that acknowledgment to the first byte of the response: the rest of the latency. Absent if the response was the acknowledgment. */
  readonly waitMs?: number | undefined;
  /** From the first byte of a whole response to its last; after the latency. */
  readonly receiveMs?: number | undefined;
  /**
   * Of `receiveMs`, what passed while its server could send nothing and then went on: the client's TCP receive window was 0 (RFC 9293,
   * section 3.8.6), or a flow-control window of HTTP/2 full (RFC 9113, section 5.2).
   */
  readonly stalledMs?: number | undefined;
}

/** ms until the server had the request; connecting is no part of the latency. The time of TLS is the server's own. */
export function lostMs({ connectMs = 0, sendMs = 0 }: ExchangeTimes = {}): number {
  return connectMs + sendMs;
}

/**
 * Continues a latency: `, of it 1.7 s until the server had the request (sent 5 times)`; empty: nothing was lost. What receiving took is
 * told where it is longer than the latency. @param latencyMs undefined: it is not known.
 */
export function lostText(
  { sendMs, sent, connectMs, syns, tlsMs, receiveMs = 0, stalledMs = 0 }: ExchangeTimes = {},
  latencyMs = 0,
): string {
  const sending =
    sendMs === undefined
      ? ''
      : `, of it ${elapsedText(sendMs * 1e6)} until the server had the request (sent ${sent} times)`;
  const connecting = connectMs === undefined ? '' : `, after ${elapsedText(connectMs * 1e6)} to connect (${syns} SYNs)`;
  const agreeing =
    tlsMs === undefined ? '' : `, after ${elapsedText(tlsMs * 1e6)} until the server answered TLS's hello`;
  const stalled = stalledMs === 0 ? '' : `, ${elapsedText(stalledMs * 1e6)} of it while the client took nothing`;
  const receiving = receiveMs <= latencyMs ? '' : `, and ${elapsedText(receiveMs * 1e6)} to receive it${stalled}`;
  return sending + connecting + agreeing + receiving;
}
