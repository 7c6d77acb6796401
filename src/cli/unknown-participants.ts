// What is said where a user asks for a sender or a receiver that is not in the capture: a misspelt name chooses nothing.
// Knows names, not messages' meaning.

import { hasSide, type Message } from '../index.js';
import type { CommonOptions } from './options.js';
import { printError } from './output/print-error.js';

const SIDES = ['from', 'to'] as const;

/** Sees every message of an observation, and says at its end which of the names asked for nobody has. */
export class Nobody {
  readonly #options: CommonOptions;
  #missing: readonly (typeof SIDES)[number][];
  readonly #names = { from: new Set<string>(), to: new Set<string>() };

  constructor(options: CommonOptions) {
    this.#options = options;
    this.#missing = SIDES.filter((side) => options[side] !== undefined);
  }

  see(message: Message): void {
    if (this.#missing.length === 0) return;
    this.#missing = this.#missing.filter((side) => !hasSide(message, side, this.#options[side]!));
    for (const side of this.#missing) if (this.#names[side].size < MAX_NAMES) this.#names[side].add(message[side].name);
  }

  say(): void {
    if (this.#options.quiet === true) return;
    for (const side of this.#missing) {
      const names = [...this.#names[side]].sort();
      const shown = names.slice(0, SHOWN_NAMES).join(', ');
      const more = names.length > SHOWN_NAMES ? ' …' : '';
      const others = names.length === 0 ? 'there are no messages' : `there are: ${shown}${more}`;
      printError(`--${side} ${this.#options[side]}: no participant of that name ${SAID[side]} a message; ${others}`);
    }
  }
}

/** The same of messages that are there already. */
export function sayNobody(options: CommonOptions, messages: readonly Message[]): void {
  const nobody = new Nobody(options);
  for (const message of messages) nobody.see(message);
  nobody.say();
}

const SAID = { from: 'sent', to: 'received' } as const;
/** Names that are kept, and shown: enough to see how the wanted one is written. */
const MAX_NAMES = 200;
const SHOWN_NAMES = 12;
