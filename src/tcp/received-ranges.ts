// Tracks which offsets of one direction have arrived, modelled on smoltcp's `storage/assembler.rs`.
//
//   offset  0 ........ next      s0 ... e0        s1 ... e1
//           [  taken  ) [ hole  )[ arrived )[ hole )[ arrived )
//
// Ranges are sorted, apart from each other (touching ones are merged) and never below `next`. The first may begin at `next`: it
// has arrived and was not taken yet. The owner limits their number.

export class ReceivedRanges {
  #next = 0;
  #starts = NONE;
  #ends = NONE;

  /** The first offset that was not taken. */
  get next(): number {
    return this.#next;
  }

  /** Number of ranges that arrived and were not taken. */
  get count(): number {
    return this.#starts.length;
  }

  /** End of the bytes that can be taken now; `next` if there are none. */
  get contiguous(): number {
    return this.#starts.length !== 0 && this.#starts[0] === this.#next ? this.#ends[0] : this.#next;
  }

  /** Start of the first range behind a hole; `Infinity` if there is none. */
  get afterHole(): number {
    if (this.#starts.length === 0) return Number.POSITIVE_INFINITY;
    if (this.#starts[0] !== this.#next) return this.#starts[0];
    return this.#starts.length > 1 ? this.#starts[1] : Number.POSITIVE_INFINITY;
  }

  /** End of all ranges; `next` if there are none. */
  get end(): number {
    return this.#ends.length === 0 ? this.#next : this.#ends[this.#ends.length - 1];
  }

  /** The parts of [start, end) that have neither arrived nor been taken: [start, end, start, end …), ascending, none empty. */
  missing(start: number, end: number): number[] {
    const parts: number[] = [];
    let at = Math.max(start, this.#next);
    for (let i = this.#firstEndingAfter(at); at < end; i++) {
      const until = i < this.#starts.length ? Math.min(this.#starts[i], end) : end;
      if (until > at) parts.push(at, until);
      if (i >= this.#starts.length) break;
      at = Math.max(at, this.#ends[i]);
    }
    return parts;
  }

  /** Adds [start, end); parts that had arrived before or were taken do not change. */
  add(start: number, end: number): void {
    const from = Math.max(start, this.#next);
    if (end <= from) return;
    if (this.#starts === NONE) {
      this.#starts = [from];
      this.#ends = [end];
      return;
    }
    // Touching ranges are merged, so the search is for the first range that ends at or after `from`.
    const i = this.#firstEndingAfter(from - 1);
    let j = i;
    let low = from;
    let high = end;
    for (; j < this.#starts.length && this.#starts[j] <= end; j++) {
      low = Math.min(low, this.#starts[j]);
      high = Math.max(high, this.#ends[j]);
    }
    if (j - i === 1) {
      this.#starts[i] = low;
      this.#ends[i] = high;
    } else {
      this.#starts.splice(i, j - i, low);
      this.#ends.splice(i, j - i, high);
    }
  }

  /** Marks all offsets below `to` as taken, arrived or not. */
  take(to: number): void {
    if (to <= this.#next) return;
    this.#next = to;
    if (this.#starts.length === 0) return;
    const taken = this.#firstEndingAfter(to);
    if (taken === 1) {
      // By far the most frequent case, for which V8 moves the start of the array instead of its elements.
      this.#starts.shift();
      this.#ends.shift();
    } else if (taken > 1) {
      this.#starts.splice(0, taken);
      this.#ends.splice(0, taken);
    }
    if (this.#starts.length !== 0 && this.#starts[0] < to) this.#starts[0] = to;
  }

  /** Removes all ranges. */
  clear(): void {
    this.#starts = NONE;
    this.#ends = NONE;
  }

  // Index of the first range whose end is greater than `offset`.
  #firstEndingAfter(offset: number): number {
    const ends = this.#ends;
    let high = ends.length;
    if (high === 0 || ends[high - 1] <= offset) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[middle] > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Shared and never changed: most of thousands of connections have no holes. */
const NONE: number[] = [];
