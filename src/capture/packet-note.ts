// Reads the comments in which ptcpdump names the process of a packet (internal/writer/pcapng.go), and decides at which end of the packet
// that process is.
//
// ptcpdump looks for the owner of the packet's socket by its local end: of an outbound packet by the source, then by the destination; of
// an inbound one the other way round (bpf/ptcpdump.c, get_pid_meta). On a network card the first is at home and the second is not, so
// the direction tells the end. On loopback, a bridge or the host's end of a veth both may be at home, so nothing is concluded there.

import type { SocketProcess } from '../core/socket-owner.js';

/** The process that sent a packet, or that it is for. */
export interface PacketNote {
  readonly end: 'source' | 'destination';
  readonly process: SocketProcess;
}

/** Whether an interface is a network card, by its name (systemd.net-naming-scheme(7)); a Pod's own end of a veth is called eth0, too. */
export function isNetworkCard(name: string): boolean {
  return CARD.test(name);
}

/** @param comments of one packet. @param flags epb_flags. @returns null: there is no process, or its end is not known. */
export function packetNoteOf(comments: readonly string[], flags: number): PacketNote | null {
  const direction = flags & 3;
  if (direction !== INBOUND && direction !== OUTBOUND) return null;
  const [, pid, command] = firstMatch(comments, PROCESS);
  if (pid === undefined || command === undefined) return null;
  const [, name, namespace, uid] = firstMatch(comments, POD);
  const pod = name === undefined ? null : { namespace: namespace ?? '', name, uid: uid ?? '' };
  return { end: direction === OUTBOUND ? 'source' : 'destination', process: { pid: Number(pid), command, pod } };
}

function firstMatch(comments: readonly string[], pattern: RegExp): readonly (string | undefined)[] {
  for (const comment of comments) {
    const match = pattern.exec(comment);
    if (match !== null) return match;
  }
  return [];
}

// Arguments, labels and annotations follow, which may hold secrets: they are not read.
const PROCESS = /^PID: ([1-9]\d{0,9})\nCmd: ([^\n]+)/;
const POD = /^PodName: ([a-z\d][a-z\d.-]{0,252})\nPodNamespace: ([a-z\d][a-z\d-]{0,62})\nPodUID: ([\w-]{0,64})/;
const CARD = /^(?:eth\d|em\d|p\d+p\d|en[opsx][0-9a-f]|enP\d|bond\d|team\d|wl[opsx][0-9a-f]|ib\w?\d)/;
/** Bits 0 and 1 of epb_flags. */
const INBOUND = 1;
const OUTBOUND = 2;
