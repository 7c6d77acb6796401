import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIXED32, FIXED64, FieldReader, findField, LENGTH_DELIMITED, START_GROUP, VARINT } from './wire.js';

/** Fields as [number, type, content in hexadecimal]. */
function fieldsOf(bytes: Uint8Array): [number, number, string][] {
  const reader = new FieldReader(bytes);
  const fields: [number, number, string][] = [];
  while (reader.next())
    fields.push([reader.field, reader.type, Buffer.from(bytes.subarray(reader.start, reader.end)).toString('hex')]);
  return fields;
}

function hex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));
}

function faultOf(text: string): string | null {
  const reader = new FieldReader(hex(text));
  while (reader.next());
  return reader.fault;
}

describe('the examples of protobuf.dev, "Encoding"', () => {
  it('reads a varint: 150', () => {
    const reader = new FieldReader(hex('08 96 01'));
    expect([reader.next(), reader.field, reader.type, reader.uint()]).toEqual([true, 1, VARINT, 150]);
    expect([reader.next(), reader.fault]).toEqual([false, null]);
  });
  it('reads a string: "testing"', () => {
    const reader = new FieldReader(hex('12 07 74 65 73 74 69 6e 67'));
    expect([reader.next(), reader.field, reader.text()]).toEqual([true, 2, 'testing']);
  });
  it('reads a message inside: 150 in field 1 of field 3', () => {
    const bytes = hex('1a 03 08 96 01');
    expect(fieldsOf(bytes)).toEqual([[3, LENGTH_DELIMITED, '089601']]);
  });
  it('reads -2 as two to the 64th less two', () => {
    const reader = new FieldReader(hex('08 fe ff ff ff ff ff ff ff ff 01'));
    reader.next();
    expect([reader.int(), reader.int32(), reader.uint64(), reader.int64()]).toEqual([
      -2,
      -2,
      '18446744073709551614',
      -2,
    ]);
  });
});

describe('numbers', () => {
  it.each([
    ['7f', 127, '127'],
    ['ff ff ff ff 0f', 2 ** 32 - 1, '4294967295'],
    ['80 80 80 80 10', 2 ** 32, '4294967296'],
    ['ff ff ff ff ff ff ff 0f', 2 ** 53 - 1, '9007199254740991'],
    ['80 80 80 80 80 80 80 10', 2 ** 53, '9007199254740992'],
    ['80 80 80 80 80 80 80 80 80 01', 2 ** 63, '9223372036854775808'],
  ])('%s', (varint, nearest, digits) => {
    const reader = new FieldReader(hex(`08 ${varint}`));
    expect(reader.next()).toBe(true);
    expect(reader.uint()).toBe(nearest);
    expect(String(reader.uint64())).toBe(digits);
    expect(typeof reader.uint64()).toBe(nearest <= Number.MAX_SAFE_INTEGER ? 'number' : 'string');
  });
  it('keeps the smallest int64', () => {
    const reader = new FieldReader(hex('08 80 80 80 80 80 80 80 80 80 01'));
    reader.next();
    expect(reader.int64()).toBe('-9223372036854775808');
  });
  it('reads any 64 bits', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (value) => {
        const reader = new FieldReader(Uint8Array.from([8, ...varint(value)]));
        return (
          reader.next() &&
          String(reader.uint64()) === value.toString() &&
          String(reader.int64()) === BigInt.asIntN(64, value).toString()
        );
      }),
    );
  });
  it('reads fixed ones', () => {
    const reader = new FieldReader(hex('0d 01 02 03 04  11 01 00 00 00 01 00 00 00'));
    expect([reader.next(), reader.type, reader.uint()]).toEqual([true, FIXED32, 0x04030201]);
    expect([reader.next(), reader.type, reader.uint()]).toEqual([true, FIXED64, 2 ** 32 + 1]);
  });
  it('takes field numbers of five bytes', () => {
    expect(fieldsOf(hex('f8 ff ff ff 0f 01'))).toEqual([[2 ** 29 - 1, VARINT, '01']]);
  });
});

describe('groups', () => {
  it('are skipped with their content', () => {
    expect(fieldsOf(hex('0b 08 01 13 12 01 ff 14 0c 10 05'))).toEqual([
      [1, START_GROUP, '080113120 1ff14'.replaceAll(' ', '')],
      [2, VARINT, '05'],
    ]);
  });
  it('may be 100,000 deep', () => {
    const deep = new Uint8Array(200_000).fill(0x0b, 0, 100_000).fill(0x0c, 100_000);
    expect(fieldsOf(deep).length).toBe(1);
    expect(fieldsOf(deep.subarray(0, 150_000)).length).toBe(0);
  });
});

describe('random bytes', () => {
  it.each([
    ['a tag cut', '88', 'truncated'],
    ['a number cut', '08 80', 'truncated'],
    ['a length cut', '12 80', 'truncated'],
    ['no length', '12', 'truncated'],
    ['a fixed cut', '0d 01 02', 'truncated'],
    ['a group cut', '0b 08 01', 'truncated'],
    ['field number 0', '00 01', 'malformed'],
    ['wire type 6', '0e 00', 'malformed'],
    ['wire type 7', '0f 00', 'malformed'],
    ['a group that only ends', '0c', 'malformed'],
    ['a varint of eleven bytes', '08 80 80 80 80 80 80 80 80 80 80 01', 'malformed'],
    ['a tag beyond 32 bits', '80 80 80 80 80 01 01', 'malformed'],
  ])('%s', (_, text, fault) => expect(faultOf(text)).toBe(fault));

  it('returns the available part of a cut value', () => {
    const reader = new FieldReader(hex('12 07 74 65 73'));
    expect([reader.next(), reader.text(), reader.fault]).toEqual([true, 'tes', 'truncated']);
    expect(reader.next()).toBe(false);
  });

  it('never make it throw, stand still or read past the end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(8), (bytes, spare) => {
        const padded = new Uint8Array(bytes.length + spare).fill(0xff);
        padded.set(bytes);
        const reader = new FieldReader(padded, 0, bytes.length);
        let at = -1;
        while (reader.next()) {
          if (reader.start <= at || reader.end < reader.start || reader.end > bytes.length) return false;
          at = reader.end - 1;
        }
        return true;
      }),
      { numRuns: 20_000 },
    );
  });

  it('yield a prefix of the fields for each prefix', () => {
    const whole = hex('08 96 01 12 07 74 65 73 74 69 6e 67 0d 01 02 03 04 1a 03 08 96 01');
    const all = fieldsOf(whole);
    for (let length = 0; length < whole.length; length++) {
      const reader = new FieldReader(whole, 0, length);
      let count = 0;
      while (reader.next() && reader.fault === null) count += 1;
      expect(count).toBe(all.filter((_, i) => endOf(whole, i) <= length).length);
    }
  });
});

describe('findField', () => {
  it('follows a path to the last occurrence', () => {
    const bytes = hex('12 03 52 01 61 12 03 52 01 62 18 01');
    const reader = new FieldReader();
    expect(findField(reader, bytes, 0, bytes.length, [2, 10])).toBe(true);
    expect(reader.text()).toBe('b');
    expect(findField(reader, bytes, 0, bytes.length, [3])).toBe(false);
    expect(findField(reader, bytes, 0, bytes.length, [2, 11])).toBe(false);
  });
});

/** Where the i-th field ends. */
function endOf(bytes: Uint8Array, i: number): number {
  const reader = new FieldReader(bytes);
  for (let n = 0; n <= i; n++) reader.next();
  return reader.end;
}

function varint(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 127n) | 128);
  }
}
