import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineBuffer } from './line-buffer.js';

function written(write: (out: LineBuffer) => void): string {
  const out = new LineBuffer(8);
  write(out);
  return out.text();
}

describe('line buffer', () => {
  it('quotes as JSON does, and escapes invisible characters', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.string({ unit: 'grapheme' })), (value) => {
        const text = written((out) => out.quoted(value));
        expect(JSON.parse(text)).toBe(value);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        for (let i = 0; i < 2; i++) expect(written((out) => out.repeated(value))).toBe(text);
      }),
    );
    for (const value of ['', '"', '\\', '\n', '\ud800', '\u{1f600}', 'é'])
      expect(written((out) => out.quoted(value))).toBe(JSON.stringify(value));
    expect(written((out) => out.quoted('\x7f\x9b\ufeff\u202e\u{e0001}'))).toBe(
      '"\\u007f\\u009b\\ufeff\\u202e\\udb40\\udc01"',
    );
  });

  it('numbers as JSON has them', () => {
    for (const value of [0, 9, 10, 99, 100, 4711, 2 ** 31 - 1, 2 ** 31, 2 ** 40, -1, 0.5, 2.006, 1e21])
      expect(written((out) => out.number(value))).toBe(JSON.stringify(value));
    fc.assert(fc.property(fc.nat(), (value) => written((out) => out.number(value)) === String(value)));
  });

  it('digits with leading zeros', () => {
    expect(written((out) => out.digits(42, 6))).toBe('000042');
    expect(written((out) => out.digits(999_999_999, 9))).toBe('999999999');
  });

  it('does not overwrite taken bytes', () => {
    const out = new LineBuffer(4);
    out.ascii('first');
    const first = out.take();
    out.ascii('other');
    expect([Buffer.from(first).toString(), out.text(), out.length]).toEqual(['first', 'other', 0]);
  });

  it('grows for any mix', () => {
    expect(
      written((out) => {
        out.ascii('{"a":');
        out.quoted('x'.repeat(100));
        out.json(',"b":"äöü€"');
        out.ascii('}');
      }),
    ).toBe(`{"a":"${'x'.repeat(100)}","b":"äöü€"}`);
  });
});
