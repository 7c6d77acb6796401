// Counts packets of which the capture has only the beginning, by who cut them: the capture itself, or something before it.

import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { counted } from '../core/quantity.js';

interface Cuts {
  readonly first: Origin;
  count: number;
  /** Bytes of the longest one. */
  length: number;
}

export class CutPackets {
  /** Frames that were read, cut or not. */
  frames = 0;
  #byCapture: Cuts | null = null;
  #before: Cuts | null = null;

  /**
   * @param byCapture the record of the capture says that the packet was longer (draft-ietf-opsawg-pcap, section 5); otherwise the IP
   *   header says so. @param length captured bytes of the frame.
   */
  add(byCapture: boolean, length: number, origin: Origin): void {
    const cuts = byCapture ? this.#byCapture : this.#before;
    if (cuts !== null) {
      cuts.count += 1;
      if (length > cuts.length) cuts.length = length;
    } else if (byCapture) this.#byCapture = { first: origin, count: 1, length };
    else this.#before = { first: origin, count: 1, length };
  }

  notices(): Notice[] {
    return [
      ...this.#notice(this.#byCapture, 'by the capture (snap length): record with tcpdump -s 0'),
      ...this.#notice(
        this.#before,
        'before they were captured: let the mirror, tap or tool that sends them pass whole packets',
      ),
    ];
  }

  #notice(cuts: Cuts | null, by: string): Notice[] {
    if (cuts === null) return [];
    const { count, length, first } = cuts;
    const detail = `${count} of ${counted(this.frames, 'packet')} ${count === 1 ? 'was' : 'were'} cut at ${length} bytes ${by}`;
    return [notice('packet.cut', detail, { origin: first })];
  }
}
