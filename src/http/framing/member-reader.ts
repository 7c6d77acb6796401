// Members of gzip that come in several pieces, inflated step by step (RFC 1952). Knows bytes, and how much may come out of
// them; node:zlib does this only asynchronously. Their sums are not checked: what came out is passed on before they come.

import { Gunzip } from 'fflate';
import { u32le } from '../../core/bytes/bytes.js';

/** Members that are being read step by step at a time, of all connections: each keeps some 100 KiB, its last 32 among them. */
export const MAX_MEMBER_READERS = 256;

/** How many there are at a time. Who opens one closes it. */
export class MemberReaders {
  #open = 0;

  get size(): number {
    return this.#open;
  }

  /** null: there are too many. */
  open(): MemberReader | null {
    if (this.#open >= MAX_MEMBER_READERS) return null;
    this.#open += 1;
    return new MemberReader();
  }

  close(): void {
    this.#open -= 1;
  }
}

export class MemberReader {
  readonly #gunzip: Gunzip;
  readonly #out: Uint8Array[] = [];
  /** What came out of the member that is being read. */
  #became = 0;
  #tail: Uint8Array = new Uint8Array(TRAILER);

  constructor() {
    this.#gunzip = new Gunzip((inflated) => {
      this.#became += inflated.length;
      this.#out.push(inflated);
    });
    this.#gunzip.onmember = () => {
      this.#became = 0;
    };
  }

  /**
   * @param bytes borrowed. @param room bytes that may come out of them; what STEP can become is passed beyond it.
   * @param pass gets what comes out, its to keep.
   * @returns false: it is broken, or more would come out; nothing more can be read.
   */
  feed(bytes: Uint8Array, room: number, pass: (inflated: Uint8Array) => void): boolean {
    let left = room;
    for (let at = 0; at < bytes.length; at += STEP) {
      const step = bytes.slice(at, at + STEP);
      try {
        this.#gunzip.push(step);
      } catch {
        return false;
      }
      for (const inflated of this.#out.splice(0)) {
        left -= inflated.length;
        pass(inflated);
      }
      if (left <= 0) return false;
    }
    this.#tail = tailOf(this.#tail, bytes);
    return true;
  }

  /** Has all of the member been read? Its last four bytes say how long it is. */
  get isAtEnd(): boolean {
    return u32le(this.#tail, TRAILER - 4) === this.#became >>> 0 && this.#became > 0;
  }
}

/** The last bytes of both. */
function tailOf(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= TRAILER) return bytes.slice(bytes.length - TRAILER);
  const tail = new Uint8Array(TRAILER);
  tail.set(before.subarray(bytes.length));
  tail.set(bytes, TRAILER - bytes.length);
  return tail;
}

/** CRC:4 length:4 */
const TRAILER = 8;
/** Bytes that are inflated at a time: they become at most 1 MiB. */
const STEP = 1024;
