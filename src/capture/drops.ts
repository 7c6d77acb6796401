// Packets that the capturing program says it dropped, of one section of a pcapng file, and what of it is told. Knows
// counts and interface numbers, no bytes.

import type { CaptureLog } from './log.js';

interface Account {
  /** Between packets, as these say (epb_dropcount), added up. */
  between: number;
  /** Since the start of the capture, by the interface (isb_ifdrop) and the system (isb_osdrop), as was said last. */
  byInterface: number;
  bySystem: number;
}

export class Drops {
  readonly #accounts = new Map<number, Account>();

  /** `count` packets were dropped before one of interface `id`. */
  between(id: number, count: number): void {
    if (count > 0) this.#account(id).between += count;
  }

  /** So many since the start of the capture; -1: not said this time, which takes nothing back. */
  sinceStart(id: number, byInterface: number, bySystem: number): void {
    if (byInterface < 0 && bySystem < 0) return;
    const account = this.#account(id);
    if (byInterface >= 0) account.byInterface = byInterface;
    if (bySystem >= 0) account.bySystem = bySystem;
  }

  /** Tells all of them, and begins anew. */
  say(log: CaptureLog): void {
    const accounts = [...this.#accounts].sort(([a], [b]) => a - b);
    for (const [id, { between, byInterface, bySystem }] of accounts) {
      // Two accounts of the same packets.
      const dropped = Math.max(between, byInterface + bySystem);
      if (dropped > 0) log.say('capture.dropped', `${dropped} packets were dropped on interface ${id}`);
    }
    this.#accounts.clear();
  }

  #account(id: number): Account {
    let account = this.#accounts.get(id);
    if (account === undefined) {
      account = { between: 0, byInterface: 0, bySystem: 0 };
      this.#accounts.set(id, account);
    }
    return account;
  }
}
