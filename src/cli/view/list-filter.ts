// Reads what a user types as a filter of the list of `view`.

import { compileWhere, type Message, Selector, shortWords } from '../../index.js';
import type { FilterReader } from './viewer.js';

/**
 * Words are looked for in participants and labels; anything else is an expression of CEL. A request and
 * its answer stay together. The reader returns the messages, or why the text is no expression.
 */
export function filterOver(messages: readonly Message[], captures: readonly string[] | undefined): FilterReader {
  return (text) => {
    try {
      const selector = new Selector({ where: WORDS.test(text) ? hasWords(text) : compileWhere(text, () => captures) });
      return new Set([...messages.flatMap((message) => selector.feed(message)), ...selector.end()]);
    } catch (error) {
      return (error as Error).message;
    }
  };
}

function hasWords(text: string): (message: Message) => boolean {
  const words = text.toLowerCase().split(/\s+/);
  return (message) => {
    const { from, to, label } = message;
    const all = `${from.name} ${to.name} ${label} ${shortWords(message)}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
}

/** Texts of these characters are searched for as words: an expression has others, such as quotes or `=`. */
const WORDS = /^[\p{L}\p{N}\s_./:-]+$/u;
