import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BRACE, BRACKET, JsonCursor, jsonDepth } from './json-cursor.js';

describe('JsonCursor', () => {
  it('skips any JSON value to its very end', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\n\t '), (value, space) => {
        const text = Buffer.from(`${space}${JSON.stringify(value, null, space)}`);
        const cursor = new JsonCursor(Buffer.concat([text, Buffer.from(',1')]), 0, text.length + 1);
        cursor.skip();
        return cursor.ok && cursor.at === text.length;
      }),
      { numRuns: 2000 },
    );
  });
  it('counts the elements of any array', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const cursor = new JsonCursor(Buffer.from(JSON.stringify(values, null, 1)));
        let count = 0;
        for (cursor.list(); cursor.nextElement(); cursor.skip()) count += 1;
        return count === values.length;
      }),
    );
  });
  it('walks any object, its keys decoded', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (object) => {
        const cursor = new JsonCursor(Buffer.from(JSON.stringify(object)));
        const seen: [string, string][] = [];
        expect(cursor.enter(BRACE)).toBe(true);
        while (cursor.nextMember()) seen.push([cursor.key(), cursor.text()]);
        expect(seen).toEqual(Object.entries(object));
      }),
    );
  });
  it('finds the end of any string, however long it goes on without a quote or an escape', () => {
    const run = fc.nat({ max: 200 }).map((length) => 'a'.repeat(length));
    const piece = fc.oneof(run, fc.constantFrom('\\"', '\\\\', '\\u0022', 'é'));
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.array(piece, { maxLength: 12 }),
        fc.nat(3),
        (key, value, cut) => {
          const [whole, rest] = [`"${key.join('')}"`, `"${value.join('')}"`];
          const bytes = Buffer.from(`{${whole}:${rest}}`);
          const cursor = new JsonCursor(bytes);
          expect(cursor.enter(BRACE) && cursor.nextMember()).toBe(true);
          expect([cursor.key(), cursor.text()]).toEqual([JSON.parse(whole), JSON.parse(rest)]);
          expect([cursor.nextMember(), cursor.ok, cursor.at]).toEqual([false, true, bytes.length]);
          const text = Buffer.from(`${rest}"`);
          const inside = new JsonCursor(text, 0, text.length - 2 - cut);
          inside.skip();
          expect(inside.ok).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
  it('never throws or stands still on any text', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', '1', 'true', ' ', 'a', '"k":');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const cursor = new JsonCursor(Buffer.from(pieces.join('')));
        if (cursor.enter(BRACKET)) while (cursor.nextElement()) cursor.number();
        else if (cursor.enter(BRACE))
          while (cursor.nextMember())
            if (cursor.list()) while (cursor.nextElement()) cursor.skip();
            else cursor.skip();
        return cursor.at <= pieces.join('').length;
      }),
      { numRuns: 10_000 },
    );
  });
  it('reports that text was cut', () => {
    for (const text of ['{"a":1', '{"a"', '[1,', '"abc', '"abc\\', '']) {
      const cursor = new JsonCursor(Buffer.from(text));
      cursor.skip();
      expect([text, cursor.ok]).toEqual([text, false]);
    }
  });
});

describe('jsonDepth', () => {
  it.each([
    ['1', 0],
    ['"[[["', 0],
    ['"\\"[["', 0],
    ['{"a":[{}]}', 3],
    ['[]][[[', 2],
  ])('%s', (text, depth) => expect(jsonDepth(Buffer.from(text))).toBe(depth));
});
