// What of an observation could not be read at all, as notices tell: connections that stayed encrypted or are of other protocols,
// and packets that were skipped. A message that is not there may have been in there.

import { clientOf, serverOf } from '../core/connection-name.js';
import { type Notice, type NoticeCode, UNREADABLE } from '../core/notice.js';

export interface UnreadPlace {
  readonly code: NoticeCode;
  readonly detail: string;
  /** Address and port of both ends; null where packets were skipped that belong to no known connection. */
  readonly ends: { readonly client: string; readonly server: string } | null;
}

/** One for each connection and reason, in the order of the notices. */
export function unreadPlaces(notices: readonly Notice[]): UnreadPlace[] {
  const failed = connectionsThatFailed(notices);
  const places = new Map<string, UnreadPlace>();
  for (const { code, detail, connection } of notices) {
    if (!isUnread(code) || (connection !== undefined && failed.has(connection))) continue;
    const ends = connection === undefined ? null : { client: clientOf(connection), server: serverOf(connection) };
    const key = `${code} ${connection ?? places.size}`;
    if (!places.has(key)) places.set(key, { code, detail, ends });
  }
  return [...places.values()];
}

export function isUnread(code: NoticeCode): boolean {
  return UNREAD.has(code);
}

/** Connections whose TLS ended before anything was said through it: secrets would show nothing. */
export function connectionsThatFailed(notices: readonly Notice[]): ReadonlySet<string> {
  return new Set(
    notices.flatMap(({ code, detail, connection }) =>
      connection !== undefined && ENDED_TLS.has(code) && !detail.includes(UNREADABLE) ? [connection] : [],
    ),
  );
}

const ENDED_TLS: ReadonlySet<NoticeCode> = new Set(['tls.refused', 'tls.unfinished']);
const UNREAD: ReadonlySet<NoticeCode> = new Set([
  'capture.unknown-link',
  'packet.unknown-encapsulation',
  'tls.no-secret',
  'tls.no-handshake',
  'tls.unsupported-suite',
  'tls.bad-tag',
  'tls.malformed',
  'connection.unknown-protocol',
  'limit.undecrypted',
]);
