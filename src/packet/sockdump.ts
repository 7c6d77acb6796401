// Reads what sockdump records of unix sockets: each write as a packet of link type USER0, after the numbers of the two processes.
//
//   process that receives:64 | process that writes:64 | bytes of one write
//
// Source: github.com/mechpen/sockdump, sockdump.py: pcap_output; wireshark/dummy.lua. All that passes between two processes is one
// conversation here: the format does not tell their connections apart.

import { u32be } from '../core/bytes/bytes.js';
import { RecentMap } from '../core/collections/bounded.js';
import type { Origin } from '../core/origin.js';
import { flowBetween, reversed } from './flows.js';
import { ACK, type Flow, type Segment } from './segment.js';

/** LINKTYPE_USER0. */
export const USER0 = 147;

/** One direction between two processes. */
interface Written {
  readonly flow: Flow;
  /** Sequence number of the next byte. */
  next: number;
}

export class SockdumpPackets {
  readonly #written = new RecentMap<string, Written>(MAX_DIRECTIONS);

  /**
   * @param b `at` … `end`: the packet. @param missing bytes of it that are not in the capture.
   * @returns null: it is none of sockdump's.
   */
  read(b: Uint8Array, at: number, end: number, missing: number, origin: Origin): Segment | null {
    if (end - at <= HEADER_BYTES || u32be(b, at) !== 0 || u32be(b, at + 8) !== 0) return null;
    const [to, from] = [u32be(b, at + 4), u32be(b, at + 12)];
    if (from === 0 || from > MAX_PID || to > MAX_PID) return null;
    const [written, back] = [this.#direction(from, to), this.#direction(to, from)];
    const payload = b.subarray(at + HEADER_BYTES, end);
    const { flow, next: seq } = written;
    written.next = (seq + payload.length + missing) >>> 0;
    return { kind: 'segment', origin, flow, seq, ack: back.next, flags: ACK, payload, missing };
  }

  #direction(from: number, to: number): Written {
    const key = `${from} ${to}`;
    let written = this.#written.get(key);
    if (written === undefined) {
      const back = this.#written.get(`${to} ${from}`);
      const flow = back === undefined ? flowBetween(processEnd(from), processEnd(to)) : reversed(back.flow);
      written = { flow, next: 1 };
      this.#written.set(key, written);
    }
    return written;
  }
}

/** Both are on the captured host; the number of the process stands for a port. */
function processEnd(pid: number): Flow['source'] {
  return { address: 'unix', port: pid };
}

const HEADER_BYTES = 16;
/** Limit: the largest number of a process (proc(5), pid_max on 64-bit hosts). */
const MAX_PID = 2 ** 22;
/** Limit: directions between processes whose position is remembered: some hundred programs that use one socket. */
const MAX_DIRECTIONS = 8192;
