// Steps through the fields of a decoded object (YAML, CBOR), and looks into such values.

import { isRecord } from '../../core/record.js';
import type { FieldCursor, FieldSet, NamedField } from './fields.js';

export class ValueCursor implements FieldCursor {
  readonly repeatsFields = false;
  /** Where the cursor stands. */
  #value: unknown;
  /** The object stepped through, and how many fields of the set were looked for in it. */
  readonly #members: Readonly<Record<string, unknown>>;
  #looked = 0;
  #elements = listOf(null).values();

  constructor(value: unknown) {
    this.#value = value;
    this.#members = record(value);
  }

  next({ all }: FieldSet): NamedField | undefined {
    while (this.#looked < all.length) {
      const field = all[this.#looked++];
      if (!Object.hasOwn(this.#members, field.name)) continue;
      this.#value = this.#members[field.name];
      return field;
    }
    return undefined;
  }

  text(): string {
    return textOf(this.#value);
  }

  number(): number {
    return typeof this.#value === 'number' && Number.isFinite(this.#value) ? this.#value : 0;
  }

  bool(): boolean {
    return this.#value === true;
  }

  timestamp(): string {
    return this.text();
  }

  seconds(): number {
    return secondsOf(this.text());
  }

  object(): ValueCursor | null {
    return isRecord(this.#value) ? new ValueCursor(this.#value) : null;
  }

  entries(keys: FieldSet | null, into: Record<string, string>): void {
    const members = record(this.#value);
    for (const name of keys?.byName.keys() ?? Object.keys(members))
      if (Object.hasOwn(members, name)) into[name] = textOf(members[name]);
  }

  list(): boolean {
    this.#elements = listOf(this.#value).values();
    return true;
  }

  nextElement(): boolean {
    const { done, value } = this.#elements.next();
    this.#value = value;
    return done !== true;
  }

  skip(): void {}
}

/** Of RFC 3339; 0 where the text is no time. */
export function secondsOf(time: string): number {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? 0 : Math.trunc(ms / 1000);
}

/** The value as an object to look into; an empty one where it is none. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : EMPTY;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const EMPTY: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as Record<string, unknown>);
