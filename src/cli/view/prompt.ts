// Edits one line of text that `view` asks for.

import type { PressedKey } from './keys.js';

export class Prompt {
  readonly question: string;
  readonly #use: (text: string) => string | null;
  #text: string;
  #caret: number;
  /** What is wrong with the text; empty: nothing is known. */
  mistake = '';

  /** @param use takes the text; it returns what is wrong with it, or null. */
  constructor(question: string, text: string, use: (text: string) => string | null) {
    this.question = question;
    this.#text = text;
    this.#caret = text.length;
    this.#use = use;
  }

  /** Around the caret. */
  get parts(): readonly [string, string] {
    return [this.#text.slice(0, this.#caret), this.#text.slice(this.#caret)];
  }

  /** @returns true: it is over. */
  press({ name, text }: PressedKey): boolean {
    if (name === 'escape' || name === 'ctrl-c') return true;
    if (name === 'enter') {
      this.mistake = this.#use(this.#text.trim()) ?? '';
      return this.mistake === '';
    }
    this.mistake = '';
    const [before, behind] = this.parts;
    if (name === 'backspace' || name === 'ctrl-h') this.#set(before.slice(0, -1), behind);
    else if (name === 'delete') this.#set(before, behind.slice(1));
    else if (name === 'ctrl-u') this.#set('', behind);
    else if (name === 'ctrl-w') this.#set(before.replace(/\S*\s*$/, ''), behind);
    else if (name === 'left') this.#caret = Math.max(0, this.#caret - 1);
    else if (name === 'right') this.#caret = Math.min(this.#text.length, this.#caret + 1);
    else if (name === 'home' || name === 'ctrl-a') this.#caret = 0;
    else if (name === 'end' || name === 'ctrl-e') this.#caret = this.#text.length;
    else if (text !== '' && this.#text.length + text.length <= MAX_TYPED) this.#set(before + text, behind);
    return false;
  }

  #set(before: string, behind: string): void {
    this.#text = before + behind;
    this.#caret = before.length;
  }
}

/** Limit: characters of a search or filter in `view`: more is a mistaken paste. */
const MAX_TYPED = 1000;
