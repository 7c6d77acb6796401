// Tells which notices concern what is drawn: a gap in a connection of which nothing is drawn, or an unread connection of a layer
// that is not, is for the summary of the whole capture alone.

import { hostOf, serverOf } from '../core/connection-name.js';
import type { Notice } from '../core/notice.js';
import type { Message, Protocol } from '../kubernetes/messages/message.js';
import { isInLayers } from './selection/visibility.js';
import { isUnread } from './unread-places.js';

export interface DrawnMessages {
  /** All of the observation: it tells who listens where. */
  readonly messages: readonly Message[];
  /** Those that are drawn or printed, of one object or a selection; null: all of the layers. */
  readonly chosen: readonly Message[] | null;
  readonly layers: ReadonlySet<Protocol>;
}

/** @returns whether a notice is about something that is drawn, or could be. */
export function touching({ messages, chosen, layers }: DrawnMessages): (notice: Notice) => boolean {
  // Where nothing is drawn of what was asked for, all that is missing may be why.
  const own = chosen === null || chosen.length === 0 ? null : new Set(chosen.flatMap(connectionsOf));
  let listening: Map<string, boolean> | null = null;
  const isOfOtherLayers = (connection: string): boolean => {
    listening ??= listeningOf(messages, layers);
    const server = serverOf(connection);
    const isEtcd = PORTS_OF_ETCD.has(server.slice(hostOf(server).length + 1));
    return !(listening.get(server) ?? (!isEtcd || layers.has('etcd')));
  };
  return ({ code, connection }) => {
    if (connection === undefined || own?.has(connection) === true) return true;
    // What nobody could read may be about anything.
    return (own === null || isUnread(code)) && !isOfOtherLayers(connection);
  };
}

/** A message that was captured before and after address translation has several. */
function connectionsOf({ connection, translated = [] }: Message): string[] {
  return [connection, ...translated.map((copy) => copy.connection)];
}

/** Address and port of each server, and whether it says anything that is in the layers. */
function listeningOf(messages: readonly Message[], layers: ReadonlySet<Protocol>): Map<string, boolean> {
  const listening = new Map<string, boolean>();
  for (const message of messages) {
    const server = serverOf(message.connection);
    if (listening.get(server) !== true) listening.set(server, isInLayers(message, layers));
  }
  return listening;
}

/** For clients and peers (Kubernetes documentation, "Ports and Protocols"), where nothing that could be read tells it. */
const PORTS_OF_ETCD: ReadonlySet<string> = new Set(['2379', '2380']);
