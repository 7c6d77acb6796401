// What was counted once although it was captured more often, by what was in between. Knows counts, no pieces.

import { type Notice, type NoticeCode, notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';

export class DuplicateCounter {
  readonly #code: NoticeCode;
  readonly #word: string;
  #connections = 0;
  #copies = 0;
  #first: Origin | null = null;

  /** @param word what such connections are. */
  constructor(code: NoticeCode, word: string) {
    this.#code = code;
    this.#word = word;
  }

  connection(): void {
    this.#connections += 1;
  }

  copy(first: Origin): void {
    this.#copies += 1;
    this.#first ??= first;
  }

  /** One, where there was anything. */
  notices(): readonly Notice[] {
    if (this.#first === null) return [];
    const messages = `${this.#copies} ${this.#copies === 1 ? 'message was' : 'messages were'} seen again`;
    const connections = `${this.#connections} ${this.#word} ${this.#connections === 1 ? 'connection' : 'connections'}`;
    return [notice(this.#code, `${messages} on ${connections}`, { origin: this.#first })];
  }
}
