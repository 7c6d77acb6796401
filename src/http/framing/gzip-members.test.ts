import { createHash } from 'node:crypto';
import { constants, createGzip, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { originOf } from '../../../test/kit/http1-kit.js';
import { concat } from '../../core/bytes/bytes.js';
import {
  BYTES_AN_ITEM,
  beginsMember,
  FIRST_ITEMS,
  GzipItems,
  MAX_MEMBER_READERS,
  MemberReaders,
} from './gzip-members.js';
import { JsonDocuments } from './json-documents.js';
import { LengthPrefixed } from './length-prefixed.js';
import type { MessageFramer, MessageSink } from './message-framer.js';

type Step = Uint8Array | { readonly gap: number | null };

/** What is found: `text first-last`, ` cut`; skipped bytes as numbers; every step is a frame. */
function found(splitter: MessageFramer, steps: readonly Step[]): (string | number)[] {
  const said: (string | number)[] = [];
  const sink: MessageSink = {
    onMessage: (item, first, last, complete) => {
      said.push(`${Buffer.from(item).toString('latin1')} ${first.frame}-${last.frame}${complete ? '' : ' cut'}`);
      return true;
    },
    onSkipped: (length) => said.push(length),
    onTooLong: () => said.push('too long'),
    onDecompressionLimit: (came, became) => said.push(`${came} bytes became ${became}`),
  };
  steps.forEach((step, i) => {
    const origin = originOf(i + 1);
    if ('gap' in step) splitter.gap(step.gap, origin, sink);
    else {
      const borrowed = Uint8Array.from(step);
      splitter.feed(borrowed, origin, sink);
      borrowed.fill(0xee);
    }
  });
  splitter.end(originOf(steps.length), sink);
  return said;
}

const json = (steps: readonly Step[], isCertain = true): (string | number)[] =>
  found(new GzipItems(new JsonDocuments(), new MemberReaders(), isCertain), steps);

const event = (name: string): string => `{"type":"ADDED","object":{"name":"${name}"}}\n`;
const said = (name: string, from: number, to = from): string => `${event(name).trim()} ${from}-${to}`;

/** What differs in each object, at least. */
const uid = (i: number): string => createHash('sha256').update(`${i}`).digest('hex').slice(0, 32);

/** As perFlushGzipWriter has it: flushed, then closed. */
const member = (...names: string[]): Uint8Array => gzipSync(names.map(event).join(''), { level: 1 });

/** One member for all of them, flushed after each: what a proxy makes of a watch. */
async function flushed(texts: readonly string[], level = 6): Promise<Uint8Array[]> {
  const gzip = createGzip({ level });
  const pieces: Uint8Array[] = [];
  let current: Uint8Array[] = [];
  gzip.on('data', (bytes: Uint8Array) => current.push(bytes));
  for (const text of texts) {
    gzip.write(text);
    await new Promise<void>((done) => gzip.flush(constants.Z_SYNC_FLUSH, done));
    pieces.push(concat(current));
    current = [];
  }
  await new Promise<void>((done) => gzip.on('end', done).end());
  return [...pieces, concat(current)];
}

function cut(bytes: Uint8Array, ...places: readonly number[]): Uint8Array[] {
  return [0, ...places].map((from, i) => bytes.subarray(from, [...places, bytes.length][i]));
}

describe('messages in gzip', () => {
  it('are emitted with the piece that has their member', () => {
    expect(json([member('a'), member('b', 'c')])).toEqual([said('a', 1), said('b', 2), said('c', 2)]);
  });

  it('are emitted as far as the pieces of a member reach', () => {
    const long = member('a', ...Array.from({ length: 2000 }, (_, i) => uid(i)), 'z');
    const steps = [...cut(long, 2, 11, 4000), member('b')];
    const items = json(steps).filter((item) => typeof item === 'string');
    expect(items).toHaveLength(2003);
    expect([items[0], items.at(-2), items.at(-1)]).toEqual([said('a', 3), said('z', 4), said('b', 5)]);
  });

  it('are emitted behind each flush of a member', async () => {
    expect(json(await flushed(['a', 'b', 'c'].map(event)))).toEqual([said('a', 1), said('b', 2), said('c', 3)]);
  });

  it('go on with the next member after a gap, and where the capture begins in the middle of one', () => {
    const whole = member('a');
    const rest = whole.subarray(20);
    expect(json([rest, member('b')])).toEqual([rest.length, said('b', 2)]);
    expect(json([whole.subarray(0, 20), { gap: 9 }, rest, member('b')]).slice(-2)).toEqual([rest.length, said('b', 4)]);
  });

  it('go on with the next member after a broken one', () => {
    const broken = Uint8Array.from(member('a'));
    broken[12] ^= 0xff;
    expect(json([broken, member('b')])).toEqual([broken.length, said('b', 2)]);
  });

  it('are read as they are if the head could have declared gzip and did not', () => {
    expect(json([Buffer.from(event('a')), member('b')], false)).toContain(said('a', 1));
    expect(json([member('a'), member('b')], false)).toEqual([said('a', 1), said('b', 2)]);
    expect(json([Buffer.from(event('a')), { gap: 3 }, Buffer.from(event('b'))], false)).toEqual([
      said('a', 1),
      said('b', 3),
    ]);
  });

  it('with lengths in front are found again behind a gap', () => {
    const framed = (text: string): Uint8Array => {
      const message = Buffer.from(`\n\x05${text}`);
      return concat([Uint8Array.from([0, 0, 0, message.length]), message]);
    };
    const steps = [gzipSync(framed('ADDED')), { gap: null }, gzipSync(framed('ERROR'))];
    expect(found(new GzipItems(new LengthPrefixed(4), new MemberReaders(), true), steps)).toEqual([
      '\n\x05ADDED 1-1',
      '\n\x05ERROR 3-3',
    ]);
  });

  it('are the same however the bytes are cut (property)', async () => {
    const names = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 300 }), { minLength: 1, maxLength: 8 });
    const members = fc.array(fc.record({ names, isFlushed: fc.boolean() }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(members, fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), async (all, sizes) => {
        const texts = all.map((one) => one.names.map((name) => `${JSON.stringify({ type: 'ADDED', name })}\n`));
        const parts = await Promise.all(
          all.map(async ({ isFlushed }, i) =>
            isFlushed ? concat(await flushed(texts[i])) : gzipSync(texts[i].join('')),
          ),
        );
        const bytes = concat(parts);
        const steps: Uint8Array[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length];
          steps.push(bytes.subarray(at, at + size));
          at += size;
        }
        const items = json(steps).map((item) => `${item}`.replace(/ \d+-\d+$/, ''));
        expect(items).toEqual(texts.flat().map((text) => text.trim()));
      }),
      { numRuns: 60 },
    );
  });

  it('take any bytes (property)', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(
        member('a'),
        member('b').subarray(0, 30),
        Uint8Array.from([0x1f]),
        Uint8Array.from([0x1f, 0x8b, 8]),
      ),
      fc.record({ gap: fc.constantFrom(null, 1, 100) }),
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (steps, known) => void json(steps, known)));
  });
});

describe('limits', () => {
  const zeros = gzipSync(Buffer.alloc(8 * 1024 * 1024));

  it('too much output is not read further, with one notice, until enough input has arrived', () => {
    const noise = Array.from({ length: 20 }, (_, i) =>
      member(...Array.from({ length: 90 }, (_, k) => uid(i * 90 + k))),
    );
    const steps = [zeros, zeros, member('a'), ...noise, member('b')];
    const told = json(steps);
    expect(told.filter((item) => typeof item === 'string' && item.includes('became'))).toHaveLength(1);
    expect(told).not.toContain(said('a', 3));
    expect(told.at(-1)).toBe(said('b', steps.length));
  });

  it('members that become a thousand times their length share what a body may become', () => {
    const bomb = gzipSync(Buffer.alloc(900_000, ' '));
    let became = 0;
    const sink = { feed: (bytes: Uint8Array) => (became += bytes.length), gap: () => {}, end: () => {} };
    found(new GzipItems(sink as unknown as MessageFramer, new MemberReaders(), true), Array(200).fill(bomb));
    expect(became).toBeLessThan(100 * 200 * bomb.length + 2 * 1024 * 1024);
  });

  it('more messages than the compressed bytes can contain', () => {
    const nothings = Array.from({ length: 100 }, () => gzipSync('{}'.repeat(10_000)));
    const told = json([...nothings, member('a')]);
    const came = nothings.reduce((sum, { length }) => sum + length, 0);
    const items = told.filter((item) => `${item}`.startsWith('{'));
    expect(items.length).toBeLessThan(FIRST_ITEMS + came / BYTES_AN_ITEM + 2);
    expect(told.filter((item) => `${item}`.includes('became'))).toHaveLength(1);
  });

  it('members that are read step by step at a time', () => {
    const readers = new MemberReaders();
    const begun = member('a').subarray(0, 30);
    const all = Array.from({ length: MAX_MEMBER_READERS + 1 }, () => new GzipItems(new JsonDocuments(), readers, true));
    const skipped: number[] = [];
    const sink = {
      onMessage: () => true,
      onSkipped: (length: number) => skipped.push(length),
      onTooLong: () => {},
      onDecompressionLimit: () => {},
    };
    for (const one of all) one.feed(begun, originOf(1), sink);
    expect(skipped).toEqual([begun.length]);
    all[0].end(originOf(2), sink);
    all.at(-1)!.feed(begun, originOf(3), sink);
    expect(skipped).toEqual([begun.length]);
  });
});

it('a member begins with its magic, the one method and no unknown flag', () => {
  expect(beginsMember(member('a'))).toBe(true);
  expect(beginsMember(Uint8Array.from([0x1f, 0x8b]))).toBe(true);
  expect(beginsMember(Uint8Array.from([0x1f, 0x8b, 8, 0x20]))).toBe(false);
  expect(beginsMember(Uint8Array.from([0x1f, 0x8b, 7, 0]))).toBe(false);
  expect(beginsMember(new Uint8Array(0))).toBe(false);
});
