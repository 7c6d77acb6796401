// The names that an expectation may give to participants: those of an observation, those of a user's own file, and those that
// programs of Kubernetes have. A name that none of them has is a mistake, and the nearest of them is what was meant.

import { nearestName } from '../core/nearest-name.js';
import { isNameOfCluster, KNOWN_PROGRAMS } from '../kubernetes/identity/known-programs.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { plainText, SOFT } from './syntax/markup.js';
import { compilePattern } from './syntax/pattern.js';

export class Roster {
  /** Of participants, their components and processes. */
  readonly #seen = new Set<string>();

  /** @param own names that the user's file declares; nobody of this observation need have them. */
  constructor(messages: readonly Message[], own: Iterable<string> = []) {
    const participants = new Set<Participant>();
    for (const { from, to, via = [] } of messages) for (const one of [from, to, ...via]) participants.add(one);
    for (const { name, component, process: whole } of participants)
      for (const one of [name, component, whole.name, whole.component]) this.#seen.add(one);
    for (const name of own) this.#seen.add(name);
  }

  /** @param marked as markup.ts gives it, with the wildcards of labels. */
  has(marked: string): boolean {
    const pattern = compilePattern(marked.replaceAll(SOFT, ' '), []);
    if (isNameOfCluster(plainText(marked))) return true;
    for (const names of [this.#seen, KNOWN_PROGRAMS]) for (const name of names) if (pattern.fits(name)) return true;
    return false;
  }

  /** What is wrong with a name that nobody has, in one sentence. */
  mistake(marked: string): string {
    const name = plainText(marked);
    return `no participant is called ${name}, in the capture or in Kubernetes; ${this.#meant(name)}`;
  }

  #meant(name: string): string {
    // Of two that are as near, the one that was seen.
    const nearest = nearestName(name, [...this.#seen, ...KNOWN_PROGRAMS]);
    if (nearest !== null) return `nearest: ${nearest}`;
    const names = [...this.#seen].sort();
    const more = names.length > SHOWN_NAMES ? ' …' : '';
    const there = names.slice(0, SHOWN_NAMES).join(', ');
    return `there are: ${there}${more}; --participants names others`;
  }
}

const SHOWN_NAMES = 12;
