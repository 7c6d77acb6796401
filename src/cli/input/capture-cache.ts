// Reads captures for the blocks of Markdown pages, each one once even if several blocks use it.

import type { Message } from '../../index.js';
import { EXIT_FINE } from '../cli-error.js';
import { reportOutcome } from '../command.js';
import type { CommonOptions } from '../options.js';
import { Session } from './session.js';

export interface CapturedFiles {
  readonly captures: readonly string[];
  readonly keylogs: readonly string[];
  readonly participants: string | undefined;
  /** Reading ends there. */
  readonly until: string | undefined;
  /** Keep heads and bodies. */
  readonly bodies: boolean;
}

/** Messages of captures, and the session that read them. */
export interface CapturedMessages {
  readonly messages: readonly Message[];
  readonly session: Session;
}

/** Keeps what was read last, so that blocks about the same captures read them once. */
export class CaptureCache {
  readonly #options: CommonOptions;
  /** The latest first. */
  readonly #kept: { readonly key: string; readonly bodies: boolean; readonly captured: CapturedMessages }[] = [];

  constructor(options: CommonOptions) {
    this.#options = options;
  }

  async read({ captures, keylogs, participants, until, bodies }: CapturedFiles): Promise<CapturedMessages> {
    const key = JSON.stringify([captures, keylogs, participants, until]);
    const known = this.#kept.find((one) => one.key === key && (one.bodies || !bodies));
    if (known !== undefined) return known.captured;
    const options = { ...this.#options, keylog: keylogs, participants, until, bodies, namedKeysOnly: true };
    const session = new Session(captures, options);
    const captured = { messages: await session.collect(), session };
    this.#kept.unshift({ key, bodies, captured });
    this.#kept.length = Math.min(this.#kept.length, MAX_KEPT);
    if (options.verbose === true) reportOutcome({ remarks: session.remarks(), status: EXIT_FINE }, options);
    return captured;
  }

  /** The user interrupted. */
  get interrupted(): boolean {
    return this.#kept.some(({ captured }) => captured.session.interrupted);
  }
}

/** Limit: observations that are cached while pages are written: most pages are about one capture. */
const MAX_KEPT = 2;
