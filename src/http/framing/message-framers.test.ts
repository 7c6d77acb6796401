import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { originOf } from '../../../test/kit/http1-kit.js';
import { sniffFraming } from '../exchange/open-exchanges.js';
import { CborSequence } from './cbor-sequence.js';
import { JsonDocuments } from './json-documents.js';
import { LengthPrefixed, prefixProves } from './length-prefixed.js';
import { MAX_ITEM_BYTES, type MessageFramer, type MessageSink } from './message-framer.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
type Step = string | Uint8Array | { gap: number | null };

/** What a splitter finds: `text first-last`, ` cut`, ` zip`; skipped bytes as numbers; every step is a frame. */
function split(splitter: MessageFramer, ...steps: Step[]): (string | number)[] {
  const found: (string | number)[] = [];
  const sink: MessageSink = {
    onMessage: (item, first, last, complete, compressed) => {
      found.push(
        `${Buffer.from(item).toString('latin1')} ${first.frame}-${last.frame}${complete ? '' : ' cut'}${compressed ? ' zip' : ''}`,
      );
      return true;
    },
    onSkipped: (length) => found.push(length),
    onTooLong: () => found.push('too long'),
    onDecompressionLimit: () => found.push('too far'),
  };
  steps.forEach((step, i) => {
    const origin = originOf(i + 1);
    if (typeof step === 'object' && 'gap' in step) splitter.gap(step.gap, origin, sink);
    else {
      const borrowed = Uint8Array.from(typeof step === 'string' ? bytes(step) : step);
      splitter.feed(borrowed, origin, sink);
      borrowed.fill(0xee);
    }
  });
  splitter.end(originOf(steps.length), sink);
  return found;
}

const message = (text: string, flag?: number): string => {
  const prefix = flag === undefined ? '' : String.fromCharCode(flag);
  return `${prefix}${String.fromCharCode(0, 0, text.length >> 8, text.length & 255)}${text}`;
};

describe('JSON documents', () => {
  it.each<[string, Step[], (string | number)[]]>([
    ['one a line', ['{"a":1}\n{"b":2}\n'], ['{"a":1} 1-1', '{"b":2} 1-1']],
    ['without anything between', ['{"a":1}{"b":2}[3]'], ['{"a":1} 1-1', '{"b":2} 1-1', '[3] 1-1']],
    ['over several pieces', ['{"a"', ':', '1}{', '}'], ['{"a":1} 1-3', '{} 3-4']],
    [
      'braces and quotes inside strings',
      ['{"a":"}\\"{]\\\\"}{"\\\\\\"":"["}'],
      ['{"a":"}\\"{]\\\\"} 1-1', '{"\\\\\\"":"["} 1-1'],
    ],
    ['an escape over two pieces', ['{"a":"\\', '""}{}'], ['{"a":"\\""} 1-2', '{} 2-2']],
    ['nested and indented', ['{\n "a": {\n  "b": [{}]\n }\n}\n'], ['{\n "a": {\n  "b": [{}]\n }\n} 1-1']],
    ['cut at the end', ['{"a":1}{"b"'], ['{"a":1} 1-1', '{"b" 1-1 cut']],
    ['what is no document is skipped', ['true, {"a":1} x'], [5, '{"a":1} 1-1', 1]],
    ['nothing', [], []],
  ])('%s', (_, steps, expected) => expect(split(new JsonDocuments(), ...steps)).toEqual(expected));

  it('goes on after a gap at the next watch event that begins a line', () => {
    const steps = ['{"type":"ADDED","o', { gap: 9 }, 'x":{"type":1}}\n{"type":"DELETED"}\n'];
    expect(split(new JsonDocuments(), ...steps)).toEqual(['{"type":"ADDED","o 1-1 cut', 15, '{"type":"DELETED"} 3-3']);
  });

  it('goes on after a gap at the next watch event that begins a piece', () => {
    const steps = [{ gap: null }, 'lost}', '{"type":"A"}'];
    expect(split(new JsonDocuments(), ...steps)).toEqual([5, '{"type":"A"} 3-3']);
  });

  it('finds the start even one byte at a time', () => {
    const steps = [{ gap: 1 }, ...'x}\n{"type":"A"}\n{"b":1}'];
    expect(split(new JsonDocuments(), ...steps).filter((item) => typeof item === 'string')).toEqual([
      '{"type":"A"} 5-16',
      '{"b":1} 18-24',
    ]);
  });

  it('does not take an object inside a document for one', () => {
    expect(split(new JsonDocuments(true), 'x":{"type":"A"}}{"a":1}')).toEqual([23]);
  });

  it('any cut gives the same documents (property)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.json(), { maxLength: 5 }),
        fc.array(fc.nat(200), { maxLength: 20 }),
        (documents, cuts) => {
          const containers = documents.filter((document) => /^[[{]/.test(document));
          const all = Buffer.from(containers.join('\n'), 'utf8');
          const points = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
          const pieces = points.slice(1).map((end, i) => all.subarray(points[i], end));
          const found = split(new JsonDocuments(), ...pieces).map((item) => String(item).replace(/ \d+-\d+$/, ''));
          expect(found).toEqual(containers.map((document) => Buffer.from(document, 'utf8').toString('latin1')));
        },
      ),
    );
  });

  it('keeps a document only up to the limit and goes on behind it', () => {
    const piece = Buffer.alloc(1 << 20, 'x');
    const steps: Step[] = ['{"a":"', ...Array.from({ length: 17 }, () => piece), '"}{"b":1}'];
    const found = split(new JsonDocuments(), ...steps);
    expect(found[0]).toBe('too long');
    expect(String(found[1])).toMatch(/ 1-19 cut$/);
    expect(String(found[1]).length).toBe(MAX_ITEM_BYTES + ' 1-19 cut'.length);
    expect(found[2]).toBe('{"b":1} 19-19');
  });
});

/** RFC 8949, appendix A: one item of every major type and length, with and without a stated end. */
const CBOR_ITEMS = [
  '00 17 1818 1903e8 1a000f4240 1b000000e8d4a51000 20 3903e7',
  'f90000 fa47c35000 fb3ff199999999999a f4 f6 f7 f0 f8ff c0 74323031332d30332d32315432303a30343a30305a',
  'd74401020304 d818456449455446 40 4401020304 60 6161 62225c 5f42010243030405ff 7f657374726561646d696e67ff',
  '80 83010203 8301820203820405 a0 a201020304 a26161016162820203 9fff 9f018202039f0405ffff bf61610161629f0203ffff',
]
  .join(' ')
  .split(' ');

describe('a CBOR sequence', () => {
  // A tag and what it is put on are one item.
  const items = CBOR_ITEMS.join(' ').replace('c0 74', 'c074').split(' ');
  const latin = (hex: string): string => Buffer.from(hex, 'hex').toString('latin1');
  const all = latin(items.join(''));
  const EVENT = latin('d9d9f7a2 4474797065 454144444544 466f626a656374 d9d9f7a1 4161 01'.replaceAll(' ', ''));

  const OTHER = latin('d9d9f7a2 466f626a656374 a0 6474797065 6141'.replaceAll(' ', ''));
  // What holds nothing is stepped over.
  const told = items.map((item) => (/^(?:[89ab][1-9a-f]|9fff0)/.test(item) ? latin(item) : item.length / 2));

  it('is cut into the items of RFC 8949, appendix A', () => {
    expect(split(new CborSequence(), all)).toEqual(told.map((one) => (typeof one === 'string' ? `${one} 1-1` : one)));
    expect(told.filter((one) => typeof one === 'string')).toHaveLength(7);
  });

  it('any cut gives the same items (property)', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(all.length), { maxLength: 8 }), (cuts) => {
        const sorted = [0, ...cuts.sort((a, b) => a - b), all.length];
        const steps = sorted.slice(1).map((end, i) => all.slice(sorted[i], end));
        const found = split(new CborSequence(), ...steps);
        expect(found.map((one) => (typeof one === 'string' ? one.replace(/ \d+-\d+$/, '') : one))).toEqual(told);
      }),
    );
  });

  it.each<[string, Step[], (string | number)[]]>([
    ['over several pieces', [EVENT.slice(0, 9), EVENT.slice(9)], [`${EVENT} 1-2`]],
    ['cut at the end', [EVENT.slice(0, 9)], [`${EVENT.slice(0, 9)} 1-1 cut`]],
    [
      'a gap, and the next event',
      [EVENT.slice(0, 9), { gap: 3 }, `rest${EVENT}`],
      [`${EVENT.slice(0, 9)} 1-1 cut`, 4, `${EVENT} 3-3`],
    ],
    ['midway: the object inside an event is none', [EVENT.slice(5), EVENT], [EVENT.length - 5, `${EVENT} 2-2`]],
    ['a beginning in pieces', [{ gap: null }, 'x\xd9', '\xd9\xd9\xf7', EVENT.slice(3)], [1, 1, `${EVENT} 3-4`]],
    ['bytes that no item begins with', [`\x1c${EVENT}`], [1, `${EVENT} 1-1`]],
    ['an end of nothing', [`\xff${EVENT}`], [1, `${EVENT} 1-1`]],
    ['its members in another order', [{ gap: null }, `x${OTHER}`], [1, `${OTHER} 2-2`]],
    ['nothing', [], []],
  ])('%s', (_, steps, expected) => {
    expect(split(new CborSequence(EVENT.slice(5) === steps[0]), ...steps)).toEqual(expected);
  });

  it('is given up where it is deeper than Kubernetes reads', () => {
    expect(split(new CborSequence(), '\x81'.repeat(65) + EVENT)).toEqual([65, `${EVENT} 1-1`]);
    expect(split(new CborSequence(), `${'\x81'.repeat(64)}\x00`)).toEqual([`${'\x81'.repeat(64)}\x00 1-1`]);
  });

  it('keeps an item only up to the limit and goes on behind it', () => {
    const piece = Buffer.alloc(1 << 20, 'x');
    const steps: Step[] = [latin('815a01100000'), ...Array.from({ length: 17 }, () => piece), EVENT];
    const found = split(new CborSequence(), ...steps);
    expect(found[0]).toBe('too long');
    expect(String(found[1])).toHaveLength(MAX_ITEM_BYTES + ' 1-18 cut'.length);
    expect(found[2]).toBe(`${EVENT} 19-19`);
  });

  it('takes any bytes, and none of them twice', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), fc.boolean(), (pieces, midway) => {
        const found = split(new CborSequence(midway), ...pieces);
        const length = found.reduce<number>((sum, one) => {
          return sum + (typeof one === 'number' ? one : one.replace(/ \d+-\d+( cut)?$/, '').length);
        }, 0);
        expect(length).toBeLessThanOrEqual(pieces.reduce((sum, piece) => sum + piece.length, 0));
      }),
    );
  });
});

describe('messages behind their length', () => {
  it.each<[string, Step[], (string | number)[]]>([
    ['one a piece', [message('ab'), message('c')], ['ab 1-1', 'c 2-2']],
    ['several a piece', [message('ab') + message('') + message('c')], ['ab 1-1', ' 1-1', 'c 1-1']],
    ['over pieces', ['\x00\x00', '\x00\x03a', 'bc\x00', '\x00\x00\x01d'], ['abc 1-3', 'd 3-4']],
    ['cut at the end', [message('abc').slice(0, -1)], ['ab 1-1 cut']],
    ['only a prefix at the end', ['\x00\x00'], []],
    ['a length that no server sends', ['\xff\xff\xff\xffabc', message('c')], ['too long', 7, 'c 2-2']],
  ])('watch: %s', (_, steps, expected) => expect(split(new LengthPrefixed(4), ...steps)).toEqual(expected));

  it('gRPC: the flag shows which are compressed', () => {
    expect(split(new LengthPrefixed(5), message('ab', 0) + message('c', 1))).toEqual(['ab 1-1', 'c 1-1 zip']);
  });

  it('gRPC: another flag is the middle of something', () => {
    expect(split(new LengthPrefixed(5), `${message('ab', 0)}\x07abcdefg`, message('c', 0))).toEqual([
      'ab 1-1',
      8,
      'c 2-2',
    ]);
  });

  it('a gap inside a message: it is cut, the next one is at its place', () => {
    const steps = [message('abcdef').slice(0, 6), { gap: 3 }, `f${message('next')}`];
    expect(split(new LengthPrefixed(4), ...steps)).toEqual(['ab 1-1 cut', 1, 'next 3-3']);
  });

  it('a gap inside what is stepped over', () => {
    const steps = [message('abcdef').slice(0, 6), { gap: 1 }, { gap: 2 }, `f${message('next')}`];
    expect(split(new LengthPrefixed(4), ...steps)).toEqual(['ab 1-1 cut', 1, 'next 4-4']);
  });

  it('a gap beyond a message: only a piece that proves itself begins one', () => {
    const steps = [message('ab').slice(0, 5), { gap: 50 }, 'defg', message('k')];
    expect(split(new LengthPrefixed(4), ...steps)).toEqual(['a 1-1 cut', 4, 'k 4-4']);
  });

  it('midway', () => {
    expect(split(new LengthPrefixed(5, true), 'rest', message('a', 0))).toEqual([4, 'a 2-2']);
  });

  it('any cut gives the same messages (property)', () => {
    const messages = fc.array(fc.string({ maxLength: 300, unit: 'binary-ascii' }), { maxLength: 6 });
    fc.assert(
      fc.property(
        messages,
        fc.constantFrom(4 as const, 5 as const),
        fc.integer({ min: 1, max: 50 }),
        (texts, prefix, step) => {
          const all = texts.map((text) => message(text, prefix === 5 ? 0 : undefined)).join('');
          const pieces = all.match(new RegExp(`[^]{1,${step}}`, 'g')) ?? [];
          const found = split(new LengthPrefixed(prefix), ...pieces).map((item) =>
            String(item).replace(/ \d+-\d+$/, ''),
          );
          expect(found).toEqual(texts);
        },
      ),
    );
  });
});

describe('what a body is whose head is not known', () => {
  it.each<[string, string]>([
    ['{"type":"ADDED","object":{}}', 'json-documents'],
    ['{"kind":"PodList"}', 'whole'],
    [message('abc', 0), 'grpc'],
    [message('\x0a\x05ADDED\x12'), 'length-prefixed'],
    [message('\x0a\x05ADDED and more than the piece').slice(0, 14), 'length-prefixed'],
    ['plain text', 'whole'],
    ['', 'whole'],
  ])('%j: %s', (text, framing) => expect(sniffFraming(bytes(text))).toBe(framing));

  it('a prefix proves itself by filling the piece', () => {
    expect(prefixProves(bytes(message('a', 0) + message('b', 0)), 5)).toBe(true);
    expect(prefixProves(bytes(`${message('a', 0)}x`), 5)).toBe(false);
    expect(prefixProves(bytes(message('', 0)), 5)).toBe(false);
  });

  it('proves itself by the header of etcd’s answers, where the message goes on behind the piece', () => {
    // From a capture: cluster, member, revision 903, term 2.
    const header = '0a1a0896af879d9f8de8a21c10ecd481eea0a6dd8fb7011887072002';
    const begun = (hex: string): Uint8Array => Buffer.from(`000000125b${hex}`, 'hex');
    expect(prefixProves(begun(`${header}5ad3`), 5)).toBe(true);
    expect(prefixProves(begun(header.slice(0, 40)), 5)).toBe(false);
    expect(prefixProves(begun(header.replace('10ecd4', '18ecd4')), 5)).toBe(false);
    expect(prefixProves(begun(`0a05${'41'.repeat(30)}`), 5)).toBe(false);
  });
});

it.each<[string, MessageFramer, Uint8Array]>([
  ['JSON documents', new JsonDocuments(), bytes('{"a":1}{"b":2}{"c":3}')],
  ['lengths in front', new LengthPrefixed(4), bytes(message('a') + message('b') + message('c'))],
  ['CBOR', new CborSequence(), Buffer.from('810a810b810c', 'hex')],
])('%s are cut as long as they are wanted', (_, splitter, piece) => {
  let items = 0;
  const ignored = { onSkipped: () => {}, onTooLong: () => {}, onDecompressionLimit: () => {} };
  splitter.feed(piece, originOf(1), { ...ignored, onMessage: () => ++items < 2 });
  expect(items).toBe(2);
});
