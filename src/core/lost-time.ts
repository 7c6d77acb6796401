// Says how much of an exchange's time was lost below HTTP, from the field `times` of a message.

import { elapsedText } from './duration.js';

/** ms; how often it was sent. */
interface TimeParts {
  readonly connectMs?: number | undefined;
  readonly syns?: number | undefined;
  readonly sendMs?: number | undefined;
  readonly sent?: number | undefined;
  readonly tlsMs?: number | undefined;
}

/** ms until the server had the request; connecting is no part of the latency. The time of TLS is the server's own. */
export function lostMs({ connectMs = 0, sendMs = 0 }: TimeParts = {}): number {
  return connectMs + sendMs;
}

/** Continues a time: `, of it 1.7 s until the server had the request (sent 5 times)`; empty: nothing was lost. */
export function lostText({ sendMs, sent, connectMs, syns, tlsMs }: TimeParts = {}): string {
  const sending =
    sendMs === undefined
      ? ''
      : `, of it ${elapsedText(sendMs * 1e6)} until the server had the request (sent ${sent} times)`;
  const connecting = connectMs === undefined ? '' : `, after ${elapsedText(connectMs * 1e6)} to connect (${syns} SYNs)`;
  const agreeing =
    tlsMs === undefined ? '' : `, after ${elapsedText(tlsMs * 1e6)} until the server answered TLS's hello`;
  return sending + connecting + agreeing;
}
