// Texts that come again and again (field names, user agents, types) are sent once and then by number.

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

  /** What the other side must know before it reads the numbers that were given since the last time. */
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
  /** Numbers begin anew. */
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

/** Half of them are audit ids and targets, which do not come again. */
const MAX_TEXTS = 16_384;
/** Characters; targets and tokens are longer than most. */
const MAX_TEXTS_LENGTH = 2_000_000;
