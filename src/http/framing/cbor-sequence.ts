// Cuts a CBOR sequence (RFC 8742, RFC 8949), the form of watches in CBOR, into its arrays and maps, in one pass over each byte. Empty
// items are skipped, like white space between JSON documents.

import type { Origin } from '../../core/origin.js';
import { type MessageFramer, type MessageSink, PendingItem } from './message-framer.js';

//   d9 d9 f7 | a2 | 44 type | 45 ADDED | 46 object | d9 d9 f7 | a5 …    d9 d9 f7 | a2 …
//   tag        map of 2                                map of 5
//   └────────────────────────── item ──────────────────────────────┘
export class CborSequence implements MessageFramer {
  /** Remaining items of each open array, map, or indefinite string; infinite for indefinite lengths. */
  readonly #open: number[] = [];
  /** Remaining bytes of a head's argument, and its value so far. */
  #argumentLeft = 0;
  #argument = 0;
  /** Major type of the argument. */
  #major = 0;
  /** Remaining bytes of a string. */
  #skip = 0;
  readonly #pending = new PendingItem();
  /** The item is an array or a map that is not empty. */
  #hasContent = false;
  #first: Origin | null = null;
  #last: Origin | null = null;
  #lost: boolean;
  /** Bytes that match the beginning of a watch event, and how many; only while `#lost`. */
  readonly #start = new Uint8Array(START_BYTES);
  #matched = 0;
  /** Origin of the second of them, which may turn out to be the first. */
  #second: Origin | null = null;
  #outcome: 'more' | 'done' | 'broken' = 'more';

  /** @param midway the first bytes may come from the middle of an item. */
  constructor(midway = false) {
    this.#lost = midway;
  }

  feed(bytes: Uint8Array, origin: Origin, sink: MessageSink): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#lost) {
        at = this.#find(bytes, at, origin, sink);
        continue;
      }
      this.#first ??= origin;
      this.#last = origin;
      const end = this.#scan(bytes, at);
      this.#pending.push(bytes.subarray(at, end), origin, sink);
      at = end;
      if (this.#outcome === 'more') continue;
      if (this.#outcome === 'done' && this.#hasContent) {
        if (!this.#finish(sink, !this.#pending.isTooLong)) return;
      } else {
        sink.onSkipped(this.#pending.length, origin);
        this.#clear();
        this.#lost = this.#outcome === 'broken';
      }
    }
  }

  gap(_length: number | null, _origin: Origin, sink: MessageSink): void {
    this.#cut(sink);
    this.#lost = true;
  }

  end(_origin: Origin, sink: MessageSink): void {
    this.#cut(sink);
  }

  #cut(sink: MessageSink): void {
    if (this.#pending.length > 0) this.#finish(sink, false);
    this.#matched = 0;
  }

  /** Reads to the end of the item or of the bytes. @returns the position after it. */
  #scan(bytes: Uint8Array, start: number): number {
    this.#outcome = 'more';
    let at = start;
    while (at < bytes.length && this.#outcome === 'more') {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, bytes.length - at);
        this.#skip -= step;
        at += step;
        if (this.#skip === 0) this.#endItem();
      } else if (this.#argumentLeft > 0) {
        this.#argument = this.#argument * 256 + bytes[at++];
        this.#argumentLeft -= 1;
        if (this.#argumentLeft === 0) this.#head(this.#major, this.#argument);
      } else this.#initial(bytes[at++]);
    }
    return at;
  }

  /** The first byte of a head: three bits of major type, five bits of the argument or its length. */
  #initial(byte: number): void {
    const info = byte & 31;
    this.#major = byte >> 5;
    if (info < 24) this.#head(this.#major, info);
    else if (info < 28) {
      this.#argument = 0;
      this.#argumentLeft = 1 << (info - 24);
    } else if (info < 31) this.#outcome = 'broken';
    else if (byte === BREAK) this.#break();
    else if (this.#major >= BYTES && this.#major <= MAP) this.#enter(Number.POSITIVE_INFINITY, this.#major);
    else this.#outcome = 'broken';
  }

  #head(major: number, argument: number): void {
    if (major === BYTES || major === TEXT) {
      this.#skip = argument;
      if (argument === 0) this.#endItem();
    } else if (major === ARRAY || major === MAP) {
      if (argument === 0) this.#endItem();
      else this.#enter(major === MAP ? 2 * argument : argument, major);
    } else if (major !== TAG) this.#endItem(); // A tag belongs to the item after it.
  }

  #enter(items: number, major: number): void {
    if (major >= ARRAY) this.#hasContent = true;
    this.#open.push(items);
    if (this.#open.length > MAX_OPEN) this.#outcome = 'broken';
  }

  #break(): void {
    if (this.#open.pop() === Number.POSITIVE_INFINITY) this.#endItem();
    else this.#outcome = 'broken';
  }

  /** Ends an item, and all open ones of which it is the last. */
  #endItem(): void {
    const open = this.#open;
    while (open.length > 0) {
      open[open.length - 1] -= 1;
      if (open[open.length - 1] > 0) return;
      open.pop();
    }
    this.#outcome = 'done';
  }

  #finish(sink: MessageSink, complete: boolean): boolean {
    const isWanted = sink.onMessage(this.#pending.take(), this.#first!, this.#last!, complete, false);
    this.#clear();
    return isWanted;
  }

  #clear(): void {
    this.#pending.clear();
    this.#open.length = 0;
    this.#argumentLeft = 0;
    this.#skip = 0;
    this.#hasContent = false;
    this.#first = null;
  }

  // A watch event is a tagged map of two members in any order, so the first key is `type` or `object`.
  #find(bytes: Uint8Array, start: number, origin: Origin, sink: MessageSink): number {
    const before = this.#matched;
    let at = start;
    while (at < bytes.length && this.#matched < START_BYTES) {
      const byte = bytes[at++];
      const matched = matchedWith(this.#start, this.#matched, byte);
      if (matched === 1) this.#first = origin;
      else if (matched === 2) {
        if (this.#matched === 2) this.#first = this.#second;
        this.#second = origin;
      }
      this.#matched = matched;
    }
    const skipped = before + at - start - this.#matched;
    if (skipped > 0) sink.onSkipped(skipped, origin);
    if (this.#matched === 0) this.#first = null;
    if (this.#matched < START_BYTES) return at;
    this.#matched = 0;
    this.#lost = false;
    this.#last = origin;
    this.#scan(this.#start, 0);
    this.#pending.push(this.#start, origin, sink);
    return at;
  }
}

/** Number of bytes that match the beginning of a watch event after one more byte; `start` receives them. */
function matchedWith(start: Uint8Array, matched: number, byte: number): number {
  start[matched] = byte;
  if (matched < TAGGED_MAP.length && byte === TAGGED_MAP[matched]) return matched + 1;
  // Byte strings or text strings of 4 and 6 bytes.
  if (matched === 4 && (byte | 0x22) === 0x66) return 5;
  if (matched === 5 && byte === ((start[4] & 2) === 0 ? LETTER_T : LETTER_O)) return START_BYTES;
  if (byte !== TAGGED_MAP[0]) return 0;
  // If the byte repeats, the last two may begin the event.
  start[0] = byte;
  return matched === 2 ? 2 : 1;
}

const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;
const TAG = 6;
const BREAK = 0xff;
/** The beginning of a watch event: self-described CBOR (RFC 8949, 3.4.6), and a map of two members. */
export const TAGGED_MAP = Uint8Array.of(0xd9, 0xd9, 0xf7, 0xa2);
const START_BYTES = 6;
const LETTER_T = 0x74;
const LETTER_O = 0x6f;
/** Limit: nested arrays and maps: Kubernetes reads 64 (KEP-4222). */
const MAX_OPEN = 64;
