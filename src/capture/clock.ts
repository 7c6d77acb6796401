// Time stamps of a pcapng interface → ns since the epoch (draft-ietf-opsawg-pcapng, if_tsresol and if_tsoffset).

export class InterfaceClock {
  /** True where the fraction of a second has more than six digits. */
  readonly fine: boolean;
  readonly #multiply: bigint;
  readonly #divide: bigint;
  readonly #offset: bigint;
  /** ns of one tick where 2^32 of them are a safe integer, else 0: the way of all real files. */
  readonly #tick: number;
  /** The upper half seen last; of microseconds it changes every 71 minutes, of nanoseconds every 4 s. */
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

  /** ns since the epoch of the 64-bit tick count `high` · 2^32 + `low`, held within 1970 … 2262 (63 bits). */
  time(high: number, low: number): bigint {
    if (this.#tick !== 0) {
      if (high === this.#high) return this.#base + BigInt(low * this.#tick);
      const base = (BigInt(high) << 32n) * this.#multiply + this.#offset;
      if (held(base) === base) {
        this.#high = high;
        this.#base = base;
      }
    }
    const ticks = (BigInt(high) << 32n) | BigInt(low);
    return held((ticks * this.#multiply) / this.#divide + this.#offset);
  }
}

/** Room is left for the lower half of a tick count. */
function held(time: bigint): bigint {
  return time < 0n ? 0n : time > LATEST ? LATEST : time;
}

const NS = 1_000_000_000n;
const LATEST = (1n << 63n) - (1n << 53n);
