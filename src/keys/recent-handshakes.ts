// Remembers the secrets of handshakes until their connections are observed or closed, so that each file of a ring has those that open it.

/** Lines of a key log that came at one time. */
interface Batch {
  /** ms */
  readonly time: number;
  readonly lines: readonly string[];
}

export class RecentHandshakes {
  /** Since the last look at the open connections. */
  #latest: Batch[] = [];
  /** Before a look, with the connections that were new at it: these handshakes are theirs, or of what was closed. */
  #looks: (Batch & { readonly fresh: readonly string[] })[] = [];
  #before: ReadonlySet<string> = new Set();

  /** @param lines of a key log. @param now ms. */
  add(lines: readonly string[], now: number): void {
    const secrets = lines.filter((line) => TRAFFIC.test(line));
    if (secrets.length > 0) this.#latest.push({ time: now, lines: secrets });
    while (this.#latest.length > 0 && this.#latest[0].time < now - KEPT_MS) this.#latest.shift();
  }

  /** @param awaited names of the connections that are open now and were not observed; null: not all are known. @param now ms. */
  look(awaited: ReadonlySet<string> | null, now: number): void {
    if (awaited === null) return;
    const fresh = [...awaited].filter((name) => !this.#before.has(name));
    this.#looks.push({ time: now, lines: this.#latest.flatMap(({ lines }) => lines), fresh });
    // A connection is open some time before its handshake is reported.
    this.#latest = this.#latest.filter(({ time }) => time > now - HANDSHAKE_MS);
    this.#before = awaited;
  }

  /** @param awaited as of `look`. @param now ms. @returns the lines that may be needed still, the latest first. */
  lines(awaited: ReadonlySet<string> | null, now: number): string[] {
    const isOpen = (name: string): boolean => awaited === null || awaited.has(name);
    this.#looks = this.#looks.filter(({ time, fresh }) => time >= now - KEPT_MS && fresh.some(isOpen));
    return [...new Set([...this.#looks, ...this.#latest].flatMap(({ lines }) => lines).reverse())];
  }
}

/** Lines that open TLS 1.3 connections without their handshake. */
const TRAFFIC = /^(?:CLIENT|SERVER)_TRAFFIC_SECRET_0 /;
/** ms: a connection that says nothing for so long is idle; what it says later is observed. */
const KEPT_MS = 90_000;
/** ms between the begin of a connection and the report of its handshake, at most. */
const HANDSHAKE_MS = 1000;
