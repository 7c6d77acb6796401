// Determines which traffic could not be decoded (encrypted connections, other protocols, skipped packets), and which
// notices concern the drawn messages.

import { clientOf, hostOf, serverOf } from '../core/connection-name.js';
import { type Notice, type NoticeCode, UNREADABLE } from '../core/notice.js';
import type { Message, Protocol } from '../kubernetes/messages/message.js';
import type { TrafficFacts } from './remainder.js';
import { isInLayers } from './selection/visibility.js';

export interface UnreadPlace {
  readonly code: NoticeCode;
  readonly detail: string;
  /** Address and port of both ends; null for skipped packets of unknown connections. */
  readonly ends: { readonly client: string; readonly server: string } | null;
}

/** One for each connection and code, in the order of the notices. */
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

/** Connections whose TLS handshake failed: secrets would reveal nothing. */
export function connectionsThatFailed(notices: readonly Notice[]): ReadonlySet<string> {
  return new Set(
    notices.flatMap(({ code, detail, connection }) =>
      connection !== undefined && ENDED_TLS.has(code) && !detail.includes(UNREADABLE) ? [connection] : [],
    ),
  );
}

const ENDED_TLS: ReadonlySet<NoticeCode> = new Set(['tls.refused', 'tls.unfinished']);
const UNREAD: ReadonlySet<NoticeCode> = new Set([
  'audit.requests-only',
  'capture.unknown-link',
  'packet.unknown-encapsulation',
  'tls.no-secret',
  'tls.no-handshake',
  'tls.handshake-cut',
  'tls.unsupported-suite',
  'tls.bad-tag',
  'tls.malformed',
  'connection.unknown-protocol',
  'limit.undecrypted',
]);

export interface DrawnMessages {
  /** The whole observation: shows which servers listen where. */
  readonly messages: readonly Message[];
  /** If messages were left out. */
  readonly remainder?: TrafficFacts;
  /** The messages that are drawn or printed; null: all of the layers. */
  readonly chosen: readonly Message[] | null;
  readonly layers: ReadonlySet<Protocol>;
}

/** Tests whether a notice concerns messages that are drawn: not a gap in another connection, nor a connection of another layer. */
export function touching({ messages, remainder, chosen, layers }: DrawnMessages): (notice: Notice) => boolean {
  // If nothing is drawn, any missing data may be the reason.
  const own = chosen === null || chosen.length === 0 ? null : new Set(chosen.flatMap(connectionsOf));
  let listening: ReadonlyMap<string, boolean> | null = remainder?.servers ?? null;
  const isOfOtherLayers = (connection: string): boolean => {
    listening ??= listeningOf(messages, layers);
    const server = serverOf(connection);
    const isEtcd = PORTS_OF_ETCD.has(server.slice(hostOf(server).length + 1));
    return !(listening.get(server) ?? (!isEtcd || layers.has('etcd')));
  };
  return ({ code, connection }) => {
    if (connection === undefined || own?.has(connection) === true) return true;
    // An unread connection may concern anything.
    return (own === null || isUnread(code)) && !isOfOtherLayers(connection);
  };
}

/** A message captured before and after address translation has several connections. */
function connectionsOf({ connection, translated = [] }: Message): string[] {
  return [connection, ...translated.map((copy) => copy.connection)];
}

/** Address and port of a server → whether it has messages in the layers. */
function listeningOf(messages: readonly Message[], layers: ReadonlySet<Protocol>): Map<string, boolean> {
  const listening = new Map<string, boolean>();
  for (const message of messages) observeServer(listening, message, layers);
  return listening;
}

export function observeServer(listening: Map<string, boolean>, message: Message, layers: ReadonlySet<Protocol>): void {
  const server = serverOf(message.connection);
  if (listening.get(server) !== true) listening.set(server, isInLayers(message, layers));
}

/** Ports for clients and peers (Kubernetes documentation, "Ports and Protocols"), for connections that could not be decoded. */
const PORTS_OF_ETCD: ReadonlySet<string> = new Set(['2379', '2380']);
