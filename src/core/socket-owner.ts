// Defines what a capturing program may note beside packets: the process that owns a socket.

import type { Origin } from './origin.js';

export interface SocketProcess {
  /** Who noted it; absent: ptcpdump. */
  readonly by?: string;
  readonly pid: number;
  /** Path of its executable. */
  readonly command: string;
  /** null: it belongs to none, or that is not noted. */
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string } | null;
}

/** A process on one end of a connection. */
export interface SocketOwner {
  readonly kind: 'socket-owner';
  readonly address: string;
  readonly port: number;
  readonly process: SocketProcess;
  /** Frame with the note. */
  readonly origin: Origin;
}
