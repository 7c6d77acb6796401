// Makes the ids of spans from a capture's first time and the numbers of its messages, so that one capture always gives the same ids.

export class SpanIds {
  readonly #base: bigint;

  /** @param first ns since the epoch: the first frame. */
  constructor(first: bigint) {
    this.#base = mix(first);
  }

  /** 16 hexadecimal digits. The mix is a bijection: messages never share an id. */
  spanId(seq: number): string {
    return hexOf(mix(this.#base + BigInt(seq) * GOLDEN));
  }

  /** 32 hexadecimal digits. */
  traceId(seq: number): string {
    return hexOf(mix(~this.#base + BigInt(seq) * GOLDEN)) + this.spanId(seq);
  }
}

/** The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). */
function mix(value: bigint): bigint {
  let z = BigInt.asUintN(64, value);
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** An id of zeros alone is invalid (trace.proto). */
function hexOf(id: bigint): string {
  return (id === 0n ? 1n : id).toString(16).padStart(16, '0');
}

/** The step of SplitMix64: 2^64 by the golden ratio. */
const GOLDEN = 0x9e3779b97f4a7c15n;
