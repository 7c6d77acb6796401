// Describes which fields of an object are wanted, by JSON name and protobuf number, and reads them from any encoding.

import { LENGTH_DELIMITED, VARINT } from '../../protobuf/wire.js';

/** A field of which something is wanted, and how its value is read. */
export interface Field<T> {
  /** In protobuf; 0: JSON alone has it. */
  readonly number: number;
  /** In protobuf. */
  readonly wireType: number;
  /** A later value replaces the one before it; of other fields it is added to that one. */
  readonly isScalar: boolean;
  /** @param before what the field had where it came before; undefined: it did not. */
  read(cursor: FieldCursor, before: T | undefined): T | undefined;
}

/** By JSON name. */
export interface Fields {
  readonly [name: string]: Field<unknown>;
}

/** What was read, by JSON name; fields that the object does not have are undefined. */
export type FieldValues<F extends Fields> = {
  readonly [Name in keyof F]?: F[Name] extends Field<infer T> | undefined ? T : never;
};

export interface NamedField extends Field<unknown> {
  readonly name: string;
}

/** Fields of one object, indexed for each encoding. */
export class FieldSet<F extends Fields = Fields> {
  readonly all: readonly NamedField[];
  readonly byName: ReadonlyMap<string, NamedField>;
  readonly byNumber: readonly (NamedField | undefined)[];

  constructor(fields: F) {
    this.all = Object.entries(fields).map(([name, { number, wireType, isScalar, read }]) => {
      return { name, number, wireType, isScalar, read };
    });
    this.byName = new Map(this.all.map((field) => [field.name, field]));
    const byNumber = new Array<NamedField | undefined>(1 + Math.max(0, ...this.all.map(({ number }) => number)));
    this.byNumber = byNumber.fill(undefined);
    for (const field of this.all) byNumber[field.number] = field;
  }
}

/** Steps through one object. Each field at which it stands is to be read by one call. */
export interface FieldCursor {
  /** Steps to the next field of the set; undefined after the last one of the object. */
  next(fields: FieldSet): NamedField | undefined;
  /** Empty where the value is no text. */
  text(): string;
  /** 0 where the value is no number. */
  number(): number;
  bool(): boolean;
  /** RFC 3339; empty where the value is no time. */
  timestamp(): string;
  /** Seconds since the epoch; 0 where the value is no time. */
  seconds(): number;
  /** A cursor over the object that the field holds; null where it holds none. */
  object(): FieldCursor | null;
  /** Adds the entries of a map of texts whose keys are in the set; null: all. */
  entries(keys: FieldSet | null, into: Record<string, string>): void;
  /** Enters a list; false, and a step over the value, where it is none. */
  list(): boolean;
  /** Steps to the next element of a list; false after the last one. */
  nextElement(): boolean;
  skip(): void;
  /** A list is one field for each element, as in protobuf, not one for all of them. */
  readonly repeatsFields: boolean;
}

/** Reads what is there of an object: what is cut or malformed, as far as it goes. */
export function readFields<F extends Fields>(
  cursor: FieldCursor,
  fields: FieldSet<F>,
  into: FieldValues<F> = {},
): FieldValues<F> {
  const values = into as Record<string, unknown>;
  for (let field = cursor.next(fields); field !== undefined; field = cursor.next(fields))
    values[field.name] = field.read(cursor, field.isScalar ? undefined : values[field.name]);
  return into;
}

export function string(number: number): Field<string> {
  return scalar(number, LENGTH_DELIMITED, (cursor) => cursor.text());
}

export function int(number: number): Field<number> {
  return scalar(number, VARINT, (cursor) => cursor.number());
}

export function bool(number: number): Field<boolean> {
  return scalar(number, VARINT, (cursor) => cursor.bool());
}

/** meta/v1 Time as RFC 3339. */
export function timestamp(number: number): Field<string> {
  return scalar(number, LENGTH_DELIMITED, (cursor) => cursor.timestamp());
}

/** meta/v1 Time in seconds since the epoch. */
export function seconds(number: number): Field<number> {
  return scalar(number, LENGTH_DELIMITED, (cursor) => cursor.seconds());
}

function scalar<T>(number: number, wireType: number, read: (cursor: FieldCursor) => T): Field<T> {
  return { number, wireType, isScalar: true, read };
}

/** Of one that comes twice the fields are merged, as in protobuf and in Go's encoding/json. */
export function message<F extends Fields>(number: number, fields: F): Field<FieldValues<F>> {
  const set = new FieldSet(fields);
  return {
    number,
    wireType: LENGTH_DELIMITED,
    isScalar: false,
    read(cursor, before) {
      const inner = cursor.object();
      return inner === null ? before : readFields(inner, set, before);
    },
  };
}

/** The entries of a map that have these keys. */
export function map<K extends string>(number: number, ...keys: K[]): Field<{ readonly [Key in K]?: string }> {
  const set = new FieldSet(Object.fromEntries(keys.map((key) => [key, string(0)])));
  return {
    number,
    wireType: LENGTH_DELIMITED,
    isScalar: false,
    read(cursor, before = {}) {
      cursor.entries(set, before as Record<string, string>);
      return before;
    },
  };
}

/** All entries of a map of texts. */
export function texts(number: number): Field<Readonly<Record<string, string>>> {
  return {
    number,
    wireType: LENGTH_DELIMITED,
    isScalar: false,
    read(cursor, before = Object.create(null)) {
      cursor.entries(null, before as Record<string, string>);
      return before;
    },
  };
}

export function strings(number: number): Field<readonly string[]> {
  return list(number, (cursor, elements) => elements.push(cursor.text()));
}

/** @param limit what is after so many is passed over. */
export function messages<F extends Fields>(
  number: number,
  fields: F,
  limit = Number.POSITIVE_INFINITY,
): Field<readonly FieldValues<F>[]> {
  const set = new FieldSet(fields);
  return list(
    number,
    (cursor, elements) => {
      const inner = cursor.object();
      if (inner !== null) elements.push(readFields(inner, set));
    },
    limit,
  );
}

function list<T>(
  number: number,
  read: (cursor: FieldCursor, elements: T[]) => void,
  limit = Number.POSITIVE_INFINITY,
): Field<readonly T[]> {
  return {
    number,
    wireType: LENGTH_DELIMITED,
    isScalar: false,
    read(cursor, before) {
      const elements = cursor.repeatsFields && before !== undefined ? (before as T[]) : [];
      if (cursor.list())
        while (cursor.nextElement()) {
          if (elements.length < limit) read(cursor, elements);
          else cursor.skip();
        }
      return elements;
    },
  };
}

export interface Counted<F extends Fields> {
  count: number;
  first: FieldValues<F> | undefined;
}

/** How many elements a list has, and fields of the first of them. */
export function counted<F extends Fields>(number: number, fields: F | null = null): Field<Counted<F>> {
  const set = fields === null ? null : new FieldSet(fields);
  return {
    number,
    wireType: LENGTH_DELIMITED,
    isScalar: false,
    read(cursor, before) {
      const list: Counted<F> = cursor.repeatsFields && before !== undefined ? before : { count: 0, first: undefined };
      if (cursor.list())
        while (cursor.nextElement()) {
          list.count += 1;
          if (list.count > 1 || set === null) cursor.skip();
          else {
            const first = cursor.object();
            if (first !== null) list.first = readFields(first, set);
          }
        }
      return list;
    },
  };
}
