// Steps through the fields of a message in protobuf.

import { text } from '../../core/bytes/bytes.js';
import { FieldReader, LENGTH_DELIMITED, VARINT } from '../../protobuf/wire.js';
import type { FieldCursor, FieldSet, NamedField } from './fields.js';
import { wholeSeconds } from './special-types.js';

export class ProtobufCursor implements FieldCursor {
  readonly repeatsFields = true;
  readonly #reader = new FieldReader();
  /** One level down, kept: a walk makes no cursors. */
  #inner: ProtobufCursor | null = null;
  #isElement = false;

  /** @param bytes borrowed. */
  open(bytes: Uint8Array, start: number, end: number): this {
    this.#reader.open(bytes, start, end);
    return this;
  }

  next(fields: FieldSet): NamedField | undefined {
    const reader = this.#reader;
    while (reader.next()) {
      const field = fields.byNumber[reader.field];
      if (field !== undefined && field.wireType === reader.type) return field;
    }
    return undefined;
  }

  text(): string {
    return this.#reader.text();
  }

  number(): number {
    return this.#reader.int();
  }

  bool(): boolean {
    return this.#reader.int32() !== 0;
  }

  timestamp(): string {
    const seconds = this.seconds();
    const whole = seconds === 0 ? null : wholeSeconds(seconds);
    return whole === null ? '' : `${whole}Z`;
  }

  /** Time { seconds = 1, nanos = 2 } (meta/v1 generated.proto). */
  seconds(): number {
    const reader = this.object().#reader;
    let seconds = 0;
    while (reader.next()) if (reader.field === 1 && reader.type === VARINT) seconds = reader.int();
    return seconds;
  }

  object(): ProtobufCursor {
    const { bytes, start, end } = this.#reader;
    this.#inner ??= new ProtobufCursor();
    return this.#inner.open(bytes, start, end);
  }

  /** One entry: key = 1, value = 2. */
  entries(keys: FieldSet | null, into: Record<string, string>): void {
    const reader = this.object().#reader;
    let key = '';
    let start = 0;
    let end = 0;
    while (reader.next()) {
      if (reader.type !== LENGTH_DELIMITED) continue;
      if (reader.field === 1) key = reader.text();
      else if (reader.field === 2) [start, end] = [reader.start, reader.end];
    }
    if (keys === null || keys.byName.has(key)) into[key] = text(reader.bytes, start, end);
  }

  list(): boolean {
    this.#isElement = true;
    return true;
  }

  /** Each field of a list is one element. */
  nextElement(): boolean {
    const isElement = this.#isElement;
    this.#isElement = false;
    return isElement;
  }

  skip(): void {}
}
