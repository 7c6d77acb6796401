// Reads packed values, or skips them and finds which texts they mention.

import type { BlockTexts } from './block-texts.js';
import { TAG } from './value-tags.js';

/** Texts that are searched for, by their numbers in a block. */
export interface WantedTexts {
  /** 1: wanted as any text but a namespace. */
  readonly names: Uint8Array;
  /** 1: wanted as a namespace. */
  readonly namespaces: Uint8Array;
}

export class ValueUnpacker {
  readonly #bytes: Uint8Array;
  readonly #texts: BlockTexts;
  #at = 0;

  constructor(bytes: Uint8Array, texts: BlockTexts) {
    this.#bytes = bytes;
    this.#texts = texts;
  }

  /** Reads on at an offset. */
  seek(offset: number): void {
    this.#at = offset;
  }

  value(): unknown {
    switch (this.#bytes[this.#at++]) {
      case TAG.null:
        return null;
      case TAG.false:
        return false;
      case TAG.true:
        return true;
      case TAG.uint:
        return this.uint();
      case TAG.float:
        return this.#float();
      case TAG.bigint:
        return BigInt(this.text());
      case TAG.text:
      case TAG.namespace:
        return this.text();
      case TAG.list:
        return this.#list();
      case TAG.object:
        return this.#object();
      default:
        return undefined;
    }
  }

  text(): string {
    return this.#texts.at(this.uint());
  }

  uint(): number {
    const bytes = this.#bytes;
    let number = 0;
    let scale = 1;
    let byte = bytes[this.#at++];
    while (byte > 0x7f) {
      number += (byte & 0x7f) * scale;
      scale *= 0x80;
      byte = bytes[this.#at++];
    }
    return number + byte * scale;
  }

  /** Skips a value. @returns whether a wanted text is in it. */
  mentions(wanted: WantedTexts): boolean {
    let isFound = false;
    // One value, and those that a list or an object adds to it.
    for (let open = 1; open > 0; open--) {
      switch (this.#bytes[this.#at++]) {
        case TAG.uint:
        case TAG.bigint:
          this.uint();
          break;
        case TAG.float:
          this.#at += 8;
          break;
        case TAG.text:
          if (wanted.names[this.uint()] === 1) isFound = true;
          break;
        case TAG.namespace:
          if (wanted.namespaces[this.uint()] === 1) isFound = true;
          break;
        case TAG.list:
          open += this.uint();
          break;
        case TAG.object:
          isFound = this.#objectMentions(wanted) || isFound;
          break;
      }
    }
    return isFound;
  }

  #objectMentions(wanted: WantedTexts): boolean {
    let isFound = false;
    for (let keys = this.uint(); keys > 0; keys--) {
      this.uint();
      isFound = this.mentions(wanted) || isFound;
    }
    return isFound;
  }

  #float(): number {
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, 8);
    this.#at += 8;
    return view.getFloat64(0, true);
  }

  #list(): unknown[] {
    const count = this.uint();
    const values: unknown[] = [];
    for (let i = 0; i < count; i++) values.push(this.value());
    return values;
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (let keys = this.uint(); keys > 0; keys--) {
      const key = this.text();
      const value = this.value();
      // A patch of a webhook has keys of any name; this one would set the prototype.
      if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true });
      else object[key] = value;
    }
    return object;
  }
}
