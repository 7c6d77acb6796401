// Requests that wait for their second hop: what a server was asked, until it is seen asking another for it. Knows in which words
// both hops say the same, as a key, and their order; which server hands on what is for others.

import type { RequestHead } from '../http/http-event.js';
import type { Talk } from './talk.js';

export interface FirstHop {
  readonly talk: Talk;
  readonly seq: number;
}

export class FirstHops {
  /** Those that say the same in their order. */
  readonly #waiting = new Map<string, FirstHop[]>();
  readonly #keys = new Map<Talk, string>();

  /** @param key what both hops say. */
  wait(key: string, talk: Talk, seq: number): void {
    if (this.#keys.size >= MAX_WAITING) this.over(this.#keys.keys().next().value as Talk);
    const same = this.#waiting.get(key);
    if (same === undefined) this.#waiting.set(key, [{ talk, seq }]);
    else {
      if (same.length >= MAX_EQUAL) this.over(same[0].talk);
      same.push({ talk, seq });
    }
    this.#keys.set(talk, key);
  }

  /** @returns the oldest that says the same and fits, which waits no longer; undefined: there is none. */
  take(key: string, fits: (talk: Talk) => boolean): FirstHop | undefined {
    const first = this.#waiting.get(key)?.find(({ talk }) => fits(talk));
    if (first !== undefined) this.over(first.talk);
    return first;
  }

  /** Its exchange is over. */
  over(talk: Talk): void {
    const key = this.#keys.get(talk);
    if (key === undefined) return;
    this.#keys.delete(talk);
    const left = (this.#waiting.get(key) ?? []).filter((one) => one.talk !== talk);
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
  }
}

/** What both hops of a request say that is handed on as it is: its method and target. */
export function wordsOf({ method, target }: RequestHead): string {
  return `${method} ${target}`;
}

/** Requests of one kind without an answer; watches stay. */
export const MAX_WAITING = 10_000;
/** Of those that are equal in all they say. */
export const MAX_EQUAL = 64;
