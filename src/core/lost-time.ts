// Says how much of an exchange's time was lost below HTTP, from the field `times` of a message.

import { elapsedText } from './duration.js';

/** ms; how often it was sent. */
interface TimeParts {
  readonly connectMs?: number | undefined;
  readonly syns?: number | undefined;
  readonly sendMs?: number | undefined;
  readonly sent?: number | undefined;
  readonly tlsMs?: number | undefined;
  readonly receiveMs?: number | undefined;
  readonly stalledMs?: number | undefined;
}

/** ms until the server had the request; connecting is no part of the latency. The time of TLS is the server's own. */
export function lostMs({ connectMs = 0, sendMs = 0 }: TimeParts = {}): number {
  return connectMs + sendMs;
}

/**
 * Continues a latency: `, of it 1.7 s until the server had the request (sent 5 times)`; empty: nothing was lost. What receiving took is
 * told where it is longer than the latency. @param latencyMs undefined: it is not known.
 */
export function lostText(
  { sendMs, sent, connectMs, syns, tlsMs, receiveMs = 0, stalledMs = 0 }: TimeParts = {},
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
