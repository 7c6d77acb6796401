// Packs the values of messages (texts, numbers, lists, objects) into bytes. A text is written once a block, and by its number
// everywhere else.

import { TAG } from './value-tags.js';

export class ValuePacker {
  /** Packed values; valid are the first `length` bytes. */
  bytes: Uint8Array = new Uint8Array(FIRST_SIZE);
  length = 0;
  readonly #numbers = new Map<string, number>();
  #texts: string[] = [];
  readonly #float = new Float64Array(1);
  readonly #floatBytes = new Uint8Array(this.#float.buffer);

  /** Texts by their numbers. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Begins another block. */
  clear(): void {
    this.length = 0;
    this.#numbers.clear();
    this.#texts = [];
  }

  /** @param value undefined, null, a boolean, number, bigint or text, or a list or plain object of such values. */
  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.#tagged(TAG.text, this.#numberOf(value));
        break;
      case 'number':
        this.#numeric(value);
        break;
      case 'boolean':
        this.#byte(value ? TAG.true : TAG.false);
        break;
      case 'bigint':
        this.#tagged(TAG.bigint, this.#numberOf(value.toString()));
        break;
      case 'object':
        if (value === null) this.#byte(TAG.null);
        else if (Array.isArray(value)) this.#list(value);
        else this.#object(value as Readonly<Record<string, unknown>>);
        break;
      default:
        this.#byte(TAG.undefined);
    }
  }

  /** A namespace, which names no object: a search for the name of an object does not find it. */
  namespace(value: unknown): void {
    if (typeof value === 'string') this.#tagged(TAG.namespace, this.#numberOf(value));
    else this.value(value);
  }

  text(text: string): void {
    this.uint(this.#numberOf(text));
  }

  /** Seven bits a byte, the lowest first. @param number from 0 to 2^53 - 1. */
  uint(number: number): void {
    this.#reserve();
    const { bytes } = this;
    let rest = number;
    while (rest > 0x7f) {
      bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest = rest > 0x7fffffff ? Math.floor(rest / 0x80) : rest >>> 7;
    }
    bytes[this.length++] = rest;
  }

  #numeric(value: number): void {
    if (Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)) {
      this.#tagged(TAG.uint, value);
      return;
    }
    this.#byte(TAG.float);
    this.#float[0] = value;
    this.bytes.set(this.#floatBytes, this.length);
    this.length += 8;
  }

  #list(values: readonly unknown[]): void {
    this.#tagged(TAG.list, values.length);
    for (const value of values) this.value(value);
  }

  #object(object: Readonly<Record<string, unknown>>): void {
    const keys = Object.keys(object);
    this.#tagged(TAG.object, keys.length);
    for (const key of keys) {
      this.text(key);
      if (key === 'namespace') this.namespace(object[key]);
      else this.value(object[key]);
    }
  }

  #tagged(tag: number, number: number): void {
    this.#byte(tag);
    this.uint(number);
  }

  #byte(byte: number): void {
    this.#reserve();
    this.bytes[this.length++] = byte;
  }

  #numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }

  /** Makes room for the longest single value. */
  #reserve(): void {
    if (this.length + LONGEST <= this.bytes.length) return;
    const larger = new Uint8Array(this.bytes.length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}

const FIRST_SIZE = 1 << 16;
/** Bytes of a tag and a number. */
const LONGEST = 16;
