import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inserts, integer, literals, text } from '../../../test/kit/http2-kit.js';
import { type HpackDecoder, hpackDecoder } from './decoder.js';

const hex = (digits: string): Buffer => Buffer.from(digits.replace(/\s/g, ''), 'hex');
const indexed = (index: number): Buffer => integer(index, 7, 0x80);
const resize = (size: number): Buffer => integer(size, 5, 0x20);
/** A literal with incremental indexing and an indexed name (RFC 7541, 6.2.1). */
const insertNamed = (index: number, value: string): Buffer => Buffer.concat([integer(index, 6, 0x40), text(value)]);
const decodeAll = (decoder: HpackDecoder, ...parts: Uint8Array[]) => decoder.decode(Buffer.concat(parts));

describe('examples of RFC 7541, Appendix C', () => {
  it.each([
    ['C.1.1', 5, 10, '0a'],
    ['C.1.2', 5, 1337, '1f9a0a'],
    ['C.1.3', 8, 42, '2a'],
  ])('%s: the kit of the tests encodes integers right', (_, bits, value, digits) => {
    expect(integer(value, bits).toString('hex')).toBe(digits);
  });

  it('C.1.2: 1337 with a prefix of five bits, as a table size', () => {
    const decoder = hpackDecoder({ complete: true });
    decodeAll(decoder, hex('3f9a0a'), inserts('a', 'x'.repeat(1300)));
    expect(decoder.tableSize).toBe(1333);
    decodeAll(decoder, inserts('a', 'x'.repeat(100)));
    expect(decoder.tableSize).toBe(133);
  });

  it.each([
    ['C.2.1', '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572', ['custom-key', 'custom-header'], 55],
    ['C.2.2', '040c 2f73 616d 706c 652f 7061 7468', [':path', '/sample/path'], 0],
    ['C.2.3', '1008 7061 7373 776f 7264 0673 6563 7265 74', ['password', 'secret'], 0],
    ['C.2.4', '82', [':method', 'GET'], 0],
  ])('%s', (_, digits, fields, size) => {
    const decoder = hpackDecoder({ complete: true });
    expect(decoder.decode(hex(digits))).toMatchObject({ fields, partial: [], problem: null });
    expect(decoder.tableSize).toBe(size);
  });

  const requests = [
    [[':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'www.example.com'], 57],
    [
      [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'www.example.com', 'cache-control', 'no-cache'],
      110,
    ],
    [
      [
        ...[':method', 'GET', ':scheme', 'https', ':path', '/index.html', ':authority', 'www.example.com'],
        ...['custom-key', 'custom-value'],
      ],
      164,
    ],
  ] as const;
  const date = 'Mon, 21 Oct 2013 20:13:21 GMT';
  const location = 'https://www.example.com';
  const responses = [
    [[':status', '302', 'cache-control', 'private', 'date', date, 'location', location], 222],
    [[':status', '307', 'cache-control', 'private', 'date', date, 'location', location], 222],
    [
      [
        ...[':status', '200', 'cache-control', 'private', 'date', 'Mon, 21 Oct 2013 20:13:22 GMT'],
        ...['location', location, 'content-encoding', 'gzip'],
        ...['set-cookie', 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'],
      ],
      215,
    ],
  ] as const;

  it.each([
    [
      'C.3, requests without Huffman',
      4096,
      requests,
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
    ],
    [
      'C.4, requests with Huffman',
      4096,
      requests,
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
    ],
    [
      'C.5, responses without Huffman, evictions',
      256,
      responses,
      [
        `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
         2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
        '4803 3330 37c1 c0bf',
        `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d
         54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049
         5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31`,
      ],
    ],
    [
      'C.6, responses with Huffman, evictions',
      256,
      responses,
      [
        `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6
         2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
        '4883 640e ffc1 c0bf',
        `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab
         77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f
         9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
      ],
    ],
  ] as const)('%s', (_, maxTableSize, expected, blocks) => {
    const decoder = hpackDecoder({ complete: true, maxTableSize });
    blocks.forEach((block, i) => {
      expect(decoder.decode(hex(block))).toMatchObject({ fields: expected[i][0], partial: [], problem: null });
      expect(decoder.tableSize).toBe(expected[i][1]);
    });
  });
});

describe('a complete table', () => {
  it('empties for an entry larger than itself (RFC 7541, 4.4)', () => {
    const decoder = hpackDecoder({ complete: true });
    decodeAll(decoder, inserts('a', 'b', 'large', 'x'.repeat(4096)));
    expect([decoder.tableLength, decoder.tableSize]).toEqual([0, 0]);
    expect(decoder.decode(indexed(62)).problem).toBe('malformed');
  });

  it('evicts the oldest, and the name of a new entry may come from one it evicts', () => {
    const decoder = hpackDecoder({ complete: true, maxTableSize: 40 });
    decodeAll(decoder, inserts('key', 'first'));
    decodeAll(decoder, insertNamed(62, 'again'));
    expect(decodeAll(decoder, indexed(62)).fields).toEqual(['key', 'again']);
    expect(decoder.tableLength).toBe(1);
  });

  it('shrinks and grows by size updates at the beginning of a block', () => {
    const decoder = hpackDecoder({ complete: true });
    decodeAll(decoder, inserts('a', '1', 'b', '2'));
    expect(decodeAll(decoder, resize(34), resize(4096), indexed(62)).fields).toEqual(['b', '2']);
    expect(decoder.tableLength).toBe(1);
    expect(decodeAll(decoder, indexed(63)).problem).toBe('malformed');
  });

  it.each([
    ['index 0', hex('80')],
    ['an index beyond the table', indexed(62)],
    ['a name index beyond the table', insertNamed(62, 'x')],
    ['a size update after a field', Buffer.concat([indexed(2), resize(0)])],
    ['an integer without end', hex('ffffffffffffffffff01')],
    ['an integer of zeros without end', hex('ff80808080808080808080808001')],
    ['a string longer than the block', hex('000561')],
    ['a broken Huffman string', hex('0081ff00')],
    ['a block that ends inside a field', hex('40')],
  ])('%s is malformed, and nothing later is trusted', (_, block) => {
    const decoder = hpackDecoder({ complete: true });
    expect(decoder.decode(block).problem).toBe('malformed');
    expect(decoder.complete).toBe(false);
  });

  it('keeps the fields before an error', () => {
    const { fields, problem } = decodeAll(hpackDecoder({ complete: true }), indexed(2), hex('80'), indexed(4));
    expect({ fields, problem }).toEqual({ fields: [':method', 'GET'], problem: 'malformed' });
  });
});

describe('an incomplete table', () => {
  it('keeps static and literal fields, marks the others by their slot', () => {
    const block = decodeAll(
      hpackDecoder({ complete: false }),
      indexed(2),
      indexed(62),
      indexed(70),
      literals('a', 'b'),
    );
    expect(block.fields).toEqual([':method', 'GET', 'a', 'b']);
    expect(block.partial).toEqual([
      { name: null, value: null, slot: -1 },
      { name: null, value: null, slot: -9 },
    ]);
    expect(block.problem).toBeNull();
  });

  it('proves the indices of what it saw inserted, and the slots of the rest do not move', () => {
    const decoder = hpackDecoder({ complete: false });
    decodeAll(decoder, inserts('first', '1', 'second', '2'));
    const block = decodeAll(decoder, indexed(62), indexed(63), indexed(64), indexed(65));
    expect(block.fields).toEqual(['second', '2', 'first', '1']);
    expect(block.partial.map((field) => field.slot)).toEqual([-1, -2]);
  });

  it('returns value and slot of the name if a name comes from an unknown entry, now and later', () => {
    const decoder = hpackDecoder({ complete: false });
    const unknown = { name: null, value: 'v', slot: -3 };
    expect(decodeAll(decoder, insertNamed(64, 'v')).partial).toEqual([unknown]);
    expect(decodeAll(decoder, indexed(62)).partial).toEqual([unknown]);
    expect(decodeAll(decoder, insertNamed(62, 'w')).partial).toEqual([{ name: null, value: 'w', slot: -3 }]);
    expect(decodeAll(decoder, indexed(64)).partial).toEqual([{ name: null, value: null, slot: -1 }]);
  });

  it('keeps an entry that a table of the default size would have evicted: it may be larger', () => {
    const decoder = hpackDecoder({ complete: false });
    decodeAll(decoder, inserts('old', '1'));
    for (let i = 0; i < 100; i++) decodeAll(decoder, inserts('n', 'x'.repeat(90)));
    expect(decodeAll(decoder, indexed(162)).fields).toEqual(['old', '1']);
  });

  it('counts an entry that is larger than anything it keeps', () => {
    const decoder = hpackDecoder({ complete: false });
    const large = Buffer.concat([hex('400161'), text('x'.repeat(70_000))]);
    decodeAll(decoder, inserts('old', '1'), large, inserts('new', '2'));
    const block = decodeAll(decoder, indexed(62), indexed(63), indexed(64));
    expect(block.fields).toEqual(['new', '2']);
    expect(block.partial).toHaveLength(2);
  });

  it('is complete once it was emptied', () => {
    const decoder = hpackDecoder({ complete: false });
    decodeAll(decoder, resize(0), resize(4096), inserts('a', '1'));
    expect(decoder.complete).toBe(true);
    expect(decodeAll(decoder, indexed(62)).fields).toEqual(['a', '1']);
    expect(decodeAll(decoder, indexed(63)).problem).toBe('malformed');
  });

  it('forgets all positions at a loss and never gives two unknown entries one slot', () => {
    const decoder = hpackDecoder({ complete: false });
    decodeAll(decoder, inserts('a', '1'));
    const before = decodeAll(decoder, indexed(63)).partial[0].slot;
    decoder.lost();
    const [after, older] = decodeAll(decoder, indexed(62), indexed(63)).partial;
    expect(after).toMatchObject({ name: null, value: null });
    expect([after.slot, older.slot]).not.toContain(before);
    decodeAll(decoder, inserts('b', '2'));
    expect(decodeAll(decoder, indexed(62), indexed(63))).toMatchObject({
      fields: ['b', '2'],
      partial: [after],
    });
  });

  it('reads a cut block as far as it goes and loses the table', () => {
    const decoder = hpackDecoder({ complete: true });
    const block = Buffer.concat([inserts('a', '1'), literals('long', 'value')]);
    expect(decoder.decode(block.subarray(0, block.length - 1), true)).toMatchObject({
      fields: ['a', '1'],
      problem: 'cut',
    });
    expect(decoder.decode(indexed(62)).partial).toHaveLength(1);
  });
});

describe('limits', () => {
  it('a bomb of references to one large entry stops at 1 MiB, and the table stays true', () => {
    const decoder = hpackDecoder({ complete: true });
    const bomb = Buffer.concat([
      inserts('a', '1'),
      hex('400162'),
      text('x'.repeat(4000)),
      Buffer.alloc(16_384, 0xbe),
      inserts('c', '3'),
    ]);
    const block = decoder.decode(bomb);
    expect(block.problem).toBe('limit');
    expect(block.fields.length).toBeLessThan(600);
    expect(decodeAll(decoder, indexed(62)).fields).toEqual(['c', '3']);
  });

  it('a block of empty fields stops at 32,768 of them', () => {
    const { fields, problem } = hpackDecoder({ complete: true }).decode(Buffer.alloc(3 * 60_000));
    expect([fields.length / 2, problem]).toEqual([32_768, 'limit']);
  });

  it('a table larger than 1 MiB is not kept whole, and what is missing is unknown, not wrong', () => {
    const decoder = hpackDecoder({ complete: true });
    decodeAll(decoder, resize(2 ** 27), inserts('old', '1'));
    const large = Buffer.concat([hex('400161'), text('x'.repeat(200_000))]);
    for (let i = 0; i < 8; i++) decoder.decode(large);
    expect(decoder.tableSize).toBeLessThanOrEqual(1024 * 1024);
    expect(decodeAll(decoder, indexed(70)).partial).toHaveLength(1);
  });

  it('stays right after ten thousand losses', () => {
    const decoder = hpackDecoder({ complete: false });
    for (let i = 0; i < 10_000; i++) decoder.lost();
    expect(decodeAll(decoder, inserts('a', '1'), indexed(62)).fields).toEqual(['a', '1', 'a', '1']);
  });
});

describe('hostile blocks', () => {
  it('never throw, whatever the table', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.uint8Array({ maxLength: 60 })), fc.boolean(), (complete, blocks, cut) => {
        const decoder = hpackDecoder({ complete });
        for (const bytes of blocks) {
          const block = decoder.decode(bytes, cut);
          expect(block.fields.length % 2).toBe(0);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a table that the receiving process was observed to have', () => {
  // RFC 7541, C.3: three requests on one connection; the second and third refer to what the first inserted.
  const BLOCKS = [
    '828684410f7777772e6578616d706c652e636f6d',
    '828684be58086e6f2d6361636865',
    '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
  ].map((hex) => Buffer.from(hex, 'hex'));
  const ENTRIES = [
    { number: 1, name: ':authority', value: 'www.example.com' },
    { number: 2, name: 'cache-control', value: 'no-cache' },
    { number: 3, name: 'custom-key', value: 'custom-value' },
  ];
  const whole = hpackDecoder({ complete: true });
  const expected = BLOCKS.map((block) => whole.decode(block).fields);

  it('makes later blocks whole, whenever it was looked at', () => {
    for (const from of [1, 2])
      for (let known = from; known <= 3; known += 1) {
        const late = hpackDecoder({ complete: false });
        expect(late.decode(BLOCKS[from]).partial).toHaveLength(1);
        const again = hpackDecoder({ complete: false });
        again.observed(from, ENTRIES.slice(0, known));
        for (let i = from; i < 3; i += 1)
          expect(again.decode(BLOCKS[i])).toMatchObject({ fields: expected[i], partial: [] });
      }
  });

  it('in the middle of what is read, too', () => {
    const late = hpackDecoder({ complete: false });
    late.decode(BLOCKS[1]);
    late.observed(2, ENTRIES);
    expect(late.decode(BLOCKS[2])).toMatchObject({ fields: expected[2], partial: [] });
  });

  it('that does not agree with what is seen is not believed', () => {
    // Of another connection: what was inserted since is not what it says.
    const before = hpackDecoder({ complete: false });
    before.decode(BLOCKS[1]);
    before.observed(2, [ENTRIES[0], { ...ENTRIES[1], value: 'max-age=1' }]);
    expect(before.decode(BLOCKS[2]).partial).toHaveLength(1);
    // And what is inserted after it was looked at: nothing of it counts from there on.
    const after = hpackDecoder({ complete: false });
    after.observed(1, [ENTRIES[0], { ...ENTRIES[1], value: 'max-age=1' }]);
    after.decode(BLOCKS[1]);
    expect(after.decode(BLOCKS[2]).partial).toHaveLength(1);
  });

  it('is nothing after a loss', () => {
    const late = hpackDecoder({ complete: false });
    late.observed(1, ENTRIES);
    late.lost();
    expect(late.decode(BLOCKS[1]).partial).toHaveLength(1);
  });
});
