// Converts time stamps of a pcapng interface to ns since the epoch (draft-ietf-opsawg-pcapng, if_tsresol and if_tsoffset).

export class InterfaceClock {
  /** Whether the resolution is finer than a microsecond. */
  readonly fine: boolean;
  readonly #multiply: bigint;
  readonly #divide: bigint;
  readonly #offset: bigint;
  /** ns of one tick if 2^32 of them are a safe integer, as in all real files, else 0. */
  readonly #tick: number;
  /** The latest upper half; with microseconds it changes every 71 minutes, with nanoseconds every 4 s. */
  #high = -1;
  #base = 0n;

  /**
   * @param resolution if_tsresol: ticks in a second as a negative power of 10, or of 2 with the upper bit set.
   * @param offsetSeconds if_tsoffset.
   */
  constructor(resolution: number, offsetSeconds: bigint) {
    const exponent = resolution & 0x7f;
    const binary = (resolution & 0x80) !== 0;
    this.#multiply = binary || exponent > 9 ? NS : 10n ** BigInt(9 - exponent);
    this.#divide = binary ? 1n << BigInt(exponent) : exponent > 9 ? 10n ** BigInt(exponent) : 1n;
    this.#offset = offsetSeconds * NS;
    this.#tick = this.#divide === 1n && this.#multiply <= 1_000_000n ? Number(this.#multiply) : 0;
    this.fine = binary ? exponent > 20 : exponent > 6;
  }

  /** ns since the epoch of the 64-bit tick count `high` · 2^32 + `low`, clamped to 1970 … 2262 (63 bits). */
  time(high: number, low: number): bigint {
    if (this.#tick !== 0) {
      if (high === this.#high) return this.#base + BigInt(low * this.#tick);
      const base = (BigInt(high) << 32n) * this.#multiply + this.#offset;
      if (clamped(base) === base) {
        this.#high = high;
        this.#base = base;
      }
    }
    const ticks = (BigInt(high) << 32n) | BigInt(low);
    return clamped((ticks * this.#multiply) / this.#divide + this.#offset);
  }
}

function clamped(time: bigint): bigint {
  return time < 0n ? 0n : time > LATEST ? LATEST : time;
}

const NS = 1_000_000_000n;
/** Leaves room for the lower half of a tick count. */
const LATEST = (1n << 63n) - (1n << 53n);
