// Searches the fields, heads and bodies of messages, as they stand in the page's data.

import { escapeJsonBlock } from '../render/escape/html-escape.js';
import { jsonText } from '../render/escape/json-text.js';
import type { ChartRow } from './model.js';

/** Lines of the data blocks in lower case, converted in small steps so that the page never pauses. */
export class SearchIndex {
  readonly #messages: readonly string[];
  readonly #bodies: readonly string[];
  readonly #lowerMessages: string[] = [];
  readonly #lowerBodies: string[] = [];
  /** Index of each message's body; -1 if it has none. */
  readonly #bodyAt: number[] = [];

  /** @param messages a line for each row. */
  constructor(messages: readonly string[], bodies: readonly string[]) {
    this.#messages = messages;
    this.#bodies = bodies;
  }

  /** Converts at least `budget` characters more. @returns whether any remain. */
  buildSome(budget: number): boolean {
    let spent = 0;
    while (spent < budget && this.#lowerMessages.length < this.#messages.length) {
      const line = this.#messages[this.#lowerMessages.length];
      this.#bodyAt.push(Number(/"bodyAt":(\d+)\}$/.exec(line.slice(-BODY_AT_LENGTH))?.[1] ?? -1));
      this.#lowerMessages.push(line.toLowerCase());
      spent += line.length;
    }
    while (spent < budget && this.#lowerBodies.length < this.#bodies.length) {
      const line = this.#bodies[this.#lowerBodies.length];
      this.#lowerBodies.push(line.toLowerCase());
      spent += line.length;
    }
    return this.#lowerMessages.length < this.#messages.length || this.#lowerBodies.length < this.#bodies.length;
  }

  /** Rows whose message has every word of a text, ignoring case. */
  find(text: string, rows: readonly ChartRow[]): Set<ChartRow> {
    while (this.buildSome(Number.POSITIVE_INFINITY));
    // The lines are JSON, so the words are escaped the same way.
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => escapeJsonBlock(jsonText(word).slice(1, -1)));
    const inBodies = words.map((word) => this.#lowerBodies.map((body) => body.includes(word)));
    return new Set(
      rows.filter(({ index }) =>
        words.every(
          (word, i) => this.#lowerMessages[index]?.includes(word) === true || inBodies[i][this.#bodyAt[index]] === true,
        ),
      ),
    );
  }
}

/** Characters at the end of a line that hold `"bodyAt":N}`. */
const BODY_AT_LENGTH = 24;
