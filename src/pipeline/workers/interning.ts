// Sends what recurs between two threads once, and from then on by number: texts, such as field names, user agents and media types, and
// connections. Both threads forget at the same place.

import type { Connection } from '../../tcp/stream-event.js';

/** Numbers of texts, for as long as both sides remember them. */
export class TextPacker {
  readonly #numbers = new Map<string, number>();
  #fresh: string[] = [];
  #length = 0;
  #forgets = true;

  /** @returns -1 for null. */
  number(text: string | null): number {
    if (text === null) return -1;
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(text, number);
      this.#fresh.push(text);
      this.#length += text.length;
    }
    return number;
  }

  /** The texts that the other side needs to read the numbers issued since the last call. */
  take(): FreshTexts {
    const fresh = { forgets: this.#forgets, texts: this.#fresh };
    this.#fresh = [];
    this.#forgets = this.#numbers.size > MAX_TEXTS || this.#length > MAX_TEXTS_LENGTH;
    if (this.#forgets) {
      this.#numbers.clear();
      this.#length = 0;
    }
    return fresh;
  }
}

export interface FreshTexts {
  /** Numbering starts over. */
  readonly forgets: boolean;
  readonly texts: readonly string[];
}

export class TextUnpacker {
  #texts: string[] = [];

  add({ forgets, texts }: FreshTexts): void {
    if (forgets) this.#texts = [...texts];
    else for (const text of texts) this.#texts.push(text);
  }

  /** Only for numbers of texts that were not null. */
  text(number: number): string {
    return this.#texts[number];
  }

  textOrNull(number: number): string | null {
    return number < 0 ? null : this.#texts[number];
  }
}

/** Connections that were sent to another thread as objects, so that each remains one object there. */
export class KnownConnections {
  readonly #known = new Map<number, Connection>();
  #closing = -1;

  get(id: number): Connection | undefined {
    return this.#known.get(id);
  }

  add(connection: Connection): void {
    this.#known.set(connection.id, connection);
  }

  /** The bytes of a connection were counted. It stays known until another one closes, as its last exchanges are still to come. */
  closes(id: number): void {
    if (this.#closing !== id) this.#known.delete(this.#closing);
    this.#closing = id;
  }
}

/** Limit: texts that two threads remember to send them by number: half of the texts are audit ids and targets, which do not recur. */
const MAX_TEXTS = 16_384;
/** Limit: characters of these texts; targets and tokens are longer than most. */
const MAX_TEXTS_LENGTH = 2_000_000;
