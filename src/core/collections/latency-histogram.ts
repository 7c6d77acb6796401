// Holds durations in buckets that grow by a fiftieth, so that percentiles of any number of them take little memory.

export class LatencyHistogram {
  count = 0;
  /** ms. */
  total = 0;
  #max = 0;
  #slowest = 0;
  readonly #buckets = new Map<number, number>();

  /** @param seq of the response that took so long. */
  add(milliseconds: number, seq: number): void {
    // A response that began before the request ended took no time.
    const took = Math.max(milliseconds, SHORTEST_MS);
    this.count += 1;
    this.total += took;
    if (took > this.#max) {
      this.#max = took;
      this.#slowest = seq;
    }
    const bucket = Math.ceil(Math.log(took / SHORTEST_MS) / GROWTH);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  /** Adds everything that another one holds. */
  merge(other: LatencyHistogram): void {
    this.count += other.count;
    this.total += other.total;
    if (other.#max > this.#max) {
      this.#max = other.#max;
      this.#slowest = other.#slowest;
    }
    for (const [bucket, count] of other.#buckets) this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
  }

  /** In ms, exact. */
  get max(): number {
    return rounded(this.#max);
  }

  /** `seq` of the slowest response, the first of them. */
  get slowest(): number {
    return this.#slowest;
  }

  /** @param shares each from 0 to 1. @returns ms for each, at most 2 % too high. */
  percentiles(...shares: readonly number[]): number[] {
    const sorted = [...this.#buckets].sort(([a], [b]) => a - b);
    return shares.map((share) => {
      let left = Math.ceil(this.count * share);
      for (const [bucket, count] of sorted) {
        left -= count;
        if (left <= 0) return rounded(Math.min(SHORTEST_MS * Math.exp(bucket * GROWTH), this.#max));
      }
      return rounded(this.#max);
    });
  }
}

function rounded(milliseconds: number): number {
  return Number(milliseconds.toPrecision(4));
}

const SHORTEST_MS = 0.001;
const GROWTH = Math.log(1.02);
