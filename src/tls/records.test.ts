import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measured } from '../../test/kit/measured.js';
import { LINEAR, powerOf } from '../../test/kit/powers.js';
import { isHeader, isLikelyHeader, RECORD_LIMIT, RecordReader } from './records.js';

function record(length: number, fill = 0x55, type = 23): Buffer {
  return Buffer.concat([Buffer.from([type, 3, 3, length >>> 8, length & 0xff]), Buffer.alloc(length, fill)]);
}

function readAll(reader: RecordReader, pieces: readonly Uint8Array[]) {
  const found: { length: number; lost: number; hex: string }[] = [];
  for (const piece of pieces) {
    const lent = new Uint8Array(piece);
    reader.push(lent);
    while (reader.next()) {
      const { record: bytes, lost } = reader;
      found.push({ length: bytes.length, lost, hex: Buffer.from(bytes).toString('hex') });
    }
    lent.fill(0xee);
  }
  return found;
}

const STREAM = Buffer.concat([record(20, 1), record(300, 2), record(17, 3), record(2, 4, 21), record(16_401, 5)]);
const WHOLE = readAll(new RecordReader(), [STREAM]);

describe('RecordReader', () => {
  it('reads records that lie whole in a piece without a copy', () => {
    const reader = new RecordReader();
    reader.push(STREAM);
    expect(reader.next()).toBe(true);
    expect(reader.record.buffer).toBe(STREAM.buffer);
    expect(WHOLE.map(({ length }) => length)).toEqual([25, 305, 22, 7, 16_406]);
    expect(WHOLE.every(({ lost }) => lost === 0)).toBe(true);
  });

  it('reads the same byte by byte', () => {
    const pieces = [...STREAM].map((byte) => Uint8Array.of(byte));
    expect(readAll(new RecordReader(), pieces)).toEqual(WHOLE);
  });

  it('reads the same however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 }), (sizes) => {
        const pieces: Uint8Array[] = [];
        for (let at = 0, i = 0; at < STREAM.length; i += 1) {
          const size = sizes[i % sizes.length];
          pieces.push(STREAM.subarray(at, at + size));
          at += size;
        }
        expect(readAll(new RecordReader(), pieces)).toEqual(WHOLE);
      }),
    );
  });

  it('keeps trailing bytes for later', () => {
    const reader = new RecordReader();
    readAll(reader, [STREAM, STREAM.subarray(0, 7)]);
    expect(reader.waiting).toBe(7);
    expect(readAll(reader, [STREAM.subarray(7)])).toEqual(WHOLE);
    expect(reader.malformed).toBe(false);
  });

  it('finds the next record after a gap and reports what was lost', () => {
    const reader = new RecordReader();
    readAll(reader, [record(100), record(200).subarray(0, 50)]);
    reader.gap(1000);
    const rest = Buffer.concat([Buffer.alloc(30, 0x17), record(40), record(50)]);
    const found = readAll(reader, [rest]);
    expect(found.map(({ length, lost }) => [length, lost])).toEqual([
      [45, 50 + 1000 + 30],
      [55, 0],
    ]);
    expect(reader.malformed).toBe(false);
  });

  it('finds it byte by byte too', () => {
    const reader = new RecordReader();
    reader.gap(7);
    const rest = Buffer.concat([Buffer.from([0x17, 0x17, 3, 0x17, 3, 3, 0xff, 0xff, 22, 3]), record(40), record(50)]);
    const found = readAll(
      reader,
      [...rest].map((byte) => Uint8Array.of(byte)),
    );
    expect(found.map(({ length, lost }) => [length, lost])).toEqual([
      [45, 17],
      [55, 0],
    ]);
  });

  it('a gap of unknown length loses infinitely many', () => {
    const reader = new RecordReader();
    reader.gap(null);
    expect(readAll(reader, [record(40)])[0].lost).toBe(Number.POSITIVE_INFINITY);
  });

  it('reports broken framing without a gap, and continues', () => {
    const reader = new RecordReader();
    const found = readAll(reader, [Buffer.concat([record(40), Buffer.from('not a record'), record(50)])]);
    expect(found.map(({ length, lost }) => [length, lost])).toEqual([
      [45, 0],
      [55, 12],
    ]);
    expect(reader.malformed).toBe(true);
  });

  it('starts inside a record', () => {
    const reader = new RecordReader();
    reader.startAnywhere();
    expect(readAll(reader, [Buffer.concat([record(100).subarray(60), record(50)])])).toMatchObject([
      { length: 55, lost: 45 },
    ]);
    expect(reader.malformed).toBe(false);
  });

  it('never throws, hangs or gives a record beyond its limit', () => {
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.constant(Uint8Array.from([23, 3, 3, 0, 17])));
    fc.assert(
      fc.property(fc.array(fc.oneof(bytes, fc.constant(null))), (pieces) => {
        const reader = new RecordReader();
        for (const piece of pieces) {
          if (piece === null) reader.gap(3);
          else for (const { length } of readAll(reader, [piece])) expect(length).toBeLessThanOrEqual(RECORD_LIMIT + 5);
        }
      }),
    );
  });

  measured('takes time in proportion to its input where nothing is a record', () => {
    const read = (size: number) => {
      const reader = new RecordReader();
      reader.startAnywhere();
      const pieces = Array.from({ length: size }, () => Uint8Array.of(23, 3, 3, 0xff));
      return () => readAll(reader, pieces);
    };
    expect(powerOf(read, 20_000)).toBeLessThan(LINEAR);
  });
});

describe('headers', () => {
  it.each([
    [[23, 3, 3, 0, 10], true, true],
    [[23, 3, 3, 0, 9], true, false],
    [[22, 3, 1, 2, 0], true, true],
    [[22, 3, 0, 2, 0], true, false],
    [[20, 3, 3, 0, 1], true, true],
    [[20, 3, 3, 0, 17], true, false],
    [[24, 3, 3, 0, 17], false, false],
    [[19, 3, 3, 0, 17], false, false],
    [[23, 2, 3, 0, 17], false, false],
    [[23, 3, 5, 0, 17], false, false],
    [[23, 3, 3, 0, 0], false, false],
    [[23, 3, 3, 0x48, 0], true, true],
    [[23, 3, 3, 0x48, 1], false, false],
  ])('%j', (bytes, plain, likely) => {
    expect(isHeader(Uint8Array.from(bytes), 0)).toBe(plain);
    expect(isLikelyHeader(Uint8Array.from(bytes), 0)).toBe(likely);
  });
});
