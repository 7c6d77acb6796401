// Holds the dynamic table of one direction (RFC 7541, sections 2.3.2 and 4) from the point of view of an observer, which may have missed a
// part. Entries from before the capture may be known from the memory of the receiving process (`observed`).
//
// Every inserted entry has a number, its slot: 0, 1, 2 … from the first captured one, so -1 is the newest entry before the capture. Index
// 62 is the newest entry, so counting insertions gives the slot of every index, even if older entries are unknown. Evictions need no
// proof: an encoder never refers to an evicted entry, and an entry that is too large for the table empties it.
//
//   slot    … -3 -2 -1 | 0  1  2  3  4        index 62 = slot 4, 66 = slot 0, 67 = slot -1 (unknown)
//           unknown    ^   known
//                      oldest

import type { TableEntry } from '../../core/header-table.js';

export class DynamicTable {
  /** The whole content is known, so an index beyond it is an error. */
  complete: boolean;
  // Ring of the kept entries: slot s is at s & mask. A name is null if it is unknown.
  #names: (string | null)[] = [];
  #values: string[] = [];
  /** For an unknown name: the slot of the unknown entry that it refers to. */
  #nameSlots: number[] = [];
  #sizes: number[] = [];
  #mask = -1;
  #oldest = 0;
  #next = 0;
  #size = 0;
  #limit: number;
  /** The limit is that of the encoder. */
  #limitKnown: boolean;
  /** Name and value of observed entries by slot. */
  #observed: Map<number, readonly [string, string]> | null = null;

  constructor(complete: boolean, maxSize: number) {
    this.complete = complete;
    this.#limitKnown = complete;
    this.#limit = complete ? maxSize : KEPT_SIZE;
  }

  /** Slot of an index counted from the newest entry, 0. */
  slotAt(position: number): number {
    return this.#next - 1 - position;
  }

  has(slot: number): boolean {
    return this.#isKept(slot) || (slot < this.#oldest && this.#observed?.has(slot) === true);
  }

  name(slot: number): string | null {
    if (!this.#isKept(slot)) return this.#observed!.get(slot)![0];
    return this.#names[slot & this.#mask] ?? this.#observed?.get(slot)?.[0] ?? null;
  }

  value(slot: number): string {
    return this.#isKept(slot) ? this.#values[slot & this.#mask] : this.#observed!.get(slot)![1];
  }

  /**
   * Sets the entries that the receiving process had in its table; ignores them if one differs from a captured insertion.
   * @param inserted number of the newest entry.
   */
  observed(inserted: number, entries: readonly TableEntry[]): void {
    const known = new Map<number, readonly [string, string]>();
    for (const { number, name, value } of entries) {
      const slot = number - inserted + this.#next - 1;
      if (this.#isKept(slot) && !this.#isAs(slot, name, value)) return;
      known.set(slot, [name, value]);
    }
    this.#observed = known;
  }

  #isKept(slot: number): boolean {
    return slot >= this.#oldest && slot < this.#next;
  }

  #isAs(slot: number, name: string, value: string): boolean {
    const seen = this.#names[slot & this.#mask];
    return (seen === null || seen === name) && this.#values[slot & this.#mask] === value;
  }

  nameSlot(slot: number): number {
    return this.#nameSlots[slot & this.#mask];
  }

  /** Number of entries, and their size by RFC 7541, 4.1. */
  get length(): number {
    return this.#next - this.#oldest;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an entry; of one whose name is not known, the size is taken too small, so that nothing is forgotten early. */
  insert(name: string | null, value: string, nameSlot: number): void {
    const size = (name === null ? 0 : name.length) + value.length + ENTRY_OVERHEAD;
    if (size > this.#limit) {
      // RFC 7541, 4.4: not an error; the table is empty after it.
      this.#evict(0);
      if (this.#limitKnown) this.complete = true;
      else {
        this.#next++;
        this.#oldest = this.#next;
      }
      return;
    }
    this.#evict(this.#limit - size);
    if (this.length > this.#mask) this.#grow();
    const at = this.#next & this.#mask;
    this.#names[at] = name;
    this.#values[at] = value;
    this.#nameSlots[at] = nameSlot;
    this.#sizes[at] = size;
    this.#size += size;
    const slot = this.#next++;
    // An observed entry that differs from its captured insertion proves the others wrong.
    const observed = this.#observed?.get(slot);
    if (observed !== undefined && !this.#isAs(slot, observed[0], observed[1])) this.#observed = null;
  }

  /** A dynamic table size update (RFC 7541, 6.3). */
  resize(maxSize: number): void {
    this.#limitKnown = maxSize <= MAX_TABLE_SIZE;
    this.#limit = Math.min(maxSize, MAX_TABLE_SIZE);
    if (!this.#limitKnown) this.complete = false;
    this.#evict(this.#limit);
    // An emptied table is known, whatever was in it.
    if (maxSize === 0) this.complete = true;
  }

  /** A header block was missed, whose insertions and size updates are unknown. */
  lose(): void {
    this.complete = false;
    this.#limitKnown = false;
    this.#limit = KEPT_SIZE;
    this.#next += SLOTS_LOST;
    this.#oldest = this.#next;
    this.#size = 0;
    this.#mask = -1;
    this.#names = [];
    this.#values = [];
    this.#nameSlots = [];
    this.#sizes = [];
    this.#observed = null;
  }

  #evict(target: number): void {
    while (this.#size > target) {
      const at = this.#oldest & this.#mask;
      this.#size -= this.#sizes[at];
      this.#names[at] = null;
      this.#values[at] = '';
      this.#oldest++;
    }
  }

  #grow(): void {
    const capacity = this.#mask === -1 ? 16 : (this.#mask + 1) * 2;
    const names = new Array<string | null>(capacity).fill(null);
    const values = new Array<string>(capacity).fill('');
    const nameSlots = new Array<number>(capacity).fill(0);
    const sizes = new Array<number>(capacity).fill(0);
    for (let slot = this.#oldest; slot < this.#next; slot++) {
      const from = slot & this.#mask;
      const to = slot & (capacity - 1);
      names[to] = this.#names[from];
      values[to] = this.#values[from];
      nameSlots[to] = this.#nameSlots[from];
      sizes[to] = this.#sizes[from];
    }
    this.#names = names;
    this.#values = values;
    this.#nameSlots = nameSlots;
    this.#sizes = sizes;
    this.#mask = capacity - 1;
  }
}

/** RFC 7541, 4.1. */
const ENTRY_OVERHEAD = 32;

/** Distance between the slots before and after a loss: no index reaches so far (MAX_INTEGER is 2^28), and 2^24 losses remain exact. */
const SLOTS_LOST = 2 ** 29;

/**
 * Limit in bytes: entries kept if the encoder's table size is unknown: curl, nghttp2 and Chrome use 64 KiB at most by default, Go 4
 * KiB.
 */
const KEPT_SIZE = 64 * 1024;

/** Limit in bytes: dynamic table that an encoder may request: more would be an attack on memory; real encoders stay at or below 64 KiB. */
const MAX_TABLE_SIZE = 1024 * 1024;
