// Reads the kernel's tables of TCP sockets (`/proc/PID/net/tcp` and `tcp6`; Documentation/networking/proc_net_tcp.rst).

import type { SocketAddress } from '../core/open-connection.js';
import { ipText } from './record-probe.js';

/** An established connection. */
export interface SocketRow {
  readonly local: SocketAddress;
  readonly remote: SocketAddress;
  /** Number of the socket, as in `/proc/PID/fd`; 0 if no process holds it any more. */
  readonly inode: number;
}

/** @param text one table. */
export function establishedSockets(text: string): SocketRow[] {
  const sockets: SocketRow[] = [];
  //   0: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 12345 …
  for (const line of text.split('\n')) {
    const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
    if (state !== ESTABLISHED) continue;
    const ends = [endOf(local), endOf(remote)];
    if (ends[0] !== null && ends[1] !== null) sockets.push({ local: ends[0], remote: ends[1], inode: Number(inode) });
  }
  return sockets;
}

/** The kernel prints words of four bytes in the machine's byte order, little endian on amd64 and arm64. */
function endOf(text: string): SocketAddress | null {
  const match = /^((?:[0-9A-F]{8}){1,4}):([0-9A-F]{4})$/.exec(text);
  if (match === null || (match[1].length !== 8 && match[1].length !== 32)) return null;
  const words = match[1].toLowerCase().match(/.{8}/g) ?? [];
  const hex = words.map((word) => (word.match(/../g) ?? []).reverse().join('')).join('');
  return { address: ipText(hex), port: Number.parseInt(match[2], 16) };
}

/** TCP_ESTABLISHED (include/net/tcp_states.h). */
const ESTABLISHED = '01';
