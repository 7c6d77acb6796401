// Reads which process a packet belongs to where the capturing program noted it before the packet: macOS's PKTAP.
//
//   0 length | 8 link type | 36 flags: 1 in, 2 out | 52 process id | 56 its name, 17 bytes | …        all little-endian
//
// Source: tcpdump.org/linktypes/LINKTYPE_PKTAP.html.

import type { Frame } from '../capture/frame.js';
import type { PacketNote } from '../capture/packet-note.js';
import { latin1, u32le } from '../core/bytes/bytes.js';
import { RecentMap } from '../core/collections/bounded.js';
import { PKTAP, PKTAP_HEADER } from './link.js';
import { ACK, type Segment, SYN } from './segment.js';

/** Limit: directions of connections of which the other one was not seen so far. */
const MAX_DIRECTIONS = 10_000;

/** Which end of a connection is at home is known when both of its directions were seen. */
export class PktapProcesses {
  readonly #flags = new RecentMap<string, number>(MAX_DIRECTIONS);
  /** Who began connections, by the direction from the client on. */
  readonly #begun = new RecentMap<string, true>(MAX_DIRECTIONS);

  /** @returns null: there is no process, or its end is not known. */
  noteOf({ linkType, data }: Frame, { flow, flags: tcp }: Segment): PacketNote | null {
    if (linkType !== PKTAP || data.length < PKTAP_HEADER) return null;
    const pid = u32le(data, PID_AT);
    const name = latin1(data, NAME_AT, NAME_AT + NAME_BYTES).split('\0', 1)[0];
    const flags = u32le(data, FLAGS_AT) & (IN | OUT);
    this.#flags.set(flow.key, flags);
    if ((tcp & (SYN | ACK)) === SYN) this.#begun.set(flow.key, true);
    const other = this.#flags.get(flow.reverseKey);
    if (other === undefined || pid === 0 || pid > MAX_PID || !PROGRAM.test(name)) return null;
    // A kernel sets one direction for each; where both are alike, nobody set them, and a process that has a note is a client's.
    const isSource = flags === other ? this.#begun.has(flow.key) : flags === OUT;
    if (flags === other && !isSource && !this.#begun.has(flow.reverseKey)) return null;
    return { end: isSource ? 'source' : 'destination', process: { pid, command: name, pod: null, by: 'PKTAP' } };
  }
}

const FLAGS_AT = 36;
const PID_AT = 52;
const NAME_AT = 56;
const NAME_BYTES = 17;
const IN = 1;
const OUT = 2;
/** Process ids are signed: -1 is none. */
const MAX_PID = 0x7fffffff;
/** A name of 16 characters may have been cut. */
const PROGRAM = /^[A-Za-z0-9][\w.+-]{0,14}$/;
