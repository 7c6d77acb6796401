// Reads captures for the blocks of Markdown pages, each one once even if several blocks use it.

import type { Message } from '../../index.js';
import { EXIT_FINE } from '../cli-error.js';
import { sayEnd } from '../command.js';
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

export interface Read {
  readonly messages: readonly Message[];
  readonly session: Session;
}

/** The readings of one run, the latest first. */
export class CachedCapture {
  readonly #options: CommonOptions;
  readonly #read: { readonly key: string; readonly bodies: boolean; readonly read: Read }[] = [];

  constructor(options: CommonOptions) {
    this.#options = options;
  }

  async read({ captures, keylogs, participants, until, bodies }: CapturedFiles): Promise<Read> {
    const key = JSON.stringify([captures, keylogs, participants, until]);
    const known = this.#read.find((one) => one.key === key && (one.bodies || !bodies));
    if (known !== undefined) return known.read;
    const options = { ...this.#options, keylog: keylogs, participants, until, bodies, namedKeysOnly: true };
    const session = new Session(captures, options);
    const read = { messages: await session.collect(), session };
    this.#read.unshift({ key, bodies, read });
    this.#read.length = Math.min(this.#read.length, MAX_KEPT);
    if (options.verbose === true) sayEnd({ remarks: session.remarks(), status: EXIT_FINE }, options);
    return read;
  }

  /** The user interrupted. */
  get interrupted(): boolean {
    return this.#read.some(({ read }) => read.session.interrupted);
  }
}

/** Limit: observations that are cached while pages are written: most pages are about one capture. */
const MAX_KEPT = 2;
