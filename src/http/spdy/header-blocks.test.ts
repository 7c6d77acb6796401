import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { latin, SpdyHeaders } from '../../../test/kit/channel-kit.js';
import {
  HeaderInflater,
  headerValue,
  MAX_HEADER_BLOCK_BYTES,
  MAX_HEADER_BLOCKS,
  SPDY_DICTIONARY,
} from './header-blocks.js';

const text = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : Buffer.from(bytes).toString('latin1');

describe('the dictionary', () => {
  it('is the one that SPDY/3 names by its Adler-32', () => {
    let a = 1;
    let b = 0;
    for (const byte of SPDY_DICTIONARY) {
      a = (a + byte) % 65521;
      b = (b + a) % 65521;
    }
    expect(SPDY_DICTIONARY).toHaveLength(1423);
    expect((b * 65536 + a).toString(16)).toBe('e3c6a7c2');
  });
});

describe('header blocks', () => {
  it('inflate one after another, each referring to those before', async () => {
    const headers = new SpdyHeaders();
    const inflater = new HeaderInflater();
    for (let i = 0; i < 200; i++) {
      const said = `streamtype data ${i} ${'accept-encoding '.repeat(i)}`;
      const block = await headers.raw(latin(said));
      if (i > 0) expect(block.length).toBeLessThan(60);
      expect(text(inflater.next(block))).toBe(said);
    }
  });

  it('refer back 32 KiB', async () => {
    const headers = new SpdyHeaders();
    const inflater = new HeaderInflater();
    let seed = 1;
    const noise = Array.from({ length: 31_000 }, () => {
      seed = (seed * 48271) % 2147483647;
      return seed & 255;
    });
    const first = Uint8Array.from(noise);
    expect(inflater.next(await headers.raw(first))).toEqual(Buffer.from(first));
    const again = await headers.raw(first.subarray(0, 1000));
    expect(again.length).toBeLessThan(100);
    expect(inflater.next(again)).toEqual(Buffer.from(first.subarray(0, 1000)));
  });

  it('are lost for good after one is missing, broken, cut, or of another dictionary', async () => {
    const make = async (): Promise<[HeaderInflater, Uint8Array, Uint8Array]> => {
      const headers = new SpdyHeaders();
      return [new HeaderInflater(), await headers.raw(latin('one')), await headers.raw(latin('two'))];
    };
    for (const spoil of [
      (inflater: HeaderInflater) => inflater.lose(),
      (inflater: HeaderInflater, block: Uint8Array) => inflater.next(block.subarray(0, -1)),
      (inflater: HeaderInflater) => inflater.next(new Uint8Array(0)),
      (inflater: HeaderInflater) => inflater.next(deflateSync(latin('one'))),
      (inflater: HeaderInflater, block: Uint8Array) =>
        inflater.next(block.map((byte, i) => (i === 2 ? byte ^ 1 : byte))),
      (inflater: HeaderInflater, block: Uint8Array) =>
        inflater.next(block.map((byte, i) => (i > 5 && i < 9 ? 0xff : byte))),
    ]) {
      const [inflater, one, two] = await make();
      spoil(inflater, one);
      expect(inflater.lost).toBe(true);
      expect(inflater.next(two)).toBe(null);
    }
  });

  it('are limited by what comes out', async () => {
    const fits = new Uint8Array(MAX_HEADER_BLOCK_BYTES);
    expect(new HeaderInflater().next(await new SpdyHeaders().raw(fits))).toHaveLength(MAX_HEADER_BLOCK_BYTES);
    const bomb = await new SpdyHeaders().raw(new Uint8Array(8 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(MAX_HEADER_BLOCK_BYTES / 4);
    expect(new HeaderInflater().next(bomb)).toBe(null);
  });

  it('are limited in number', async () => {
    const headers = new SpdyHeaders();
    const inflater = new HeaderInflater();
    inflater.next(await headers.raw(latin('x')));
    const block = await headers.raw(latin('x'));
    for (let i = 1; i < MAX_HEADER_BLOCKS; i++) inflater.next(block);
    expect(inflater.lost).toBe(false);
    expect(inflater.next(block)).toBe(null);
  });
});

describe('fields of a block', () => {
  const block = latin('\0\0\0\x02\0\0\0\x01a\0\0\0\x01b\0\0\0\x0aStreamType\0\0\0\x06stdout');

  it('are found by name without case', () => {
    expect(headerValue(block, 'streamtype')).toBe('stdout');
    expect(headerValue(block, 'a')).toBe('b');
    expect(headerValue(block, 'b')).toBe(undefined);
  });

  it('cut anywhere, are not there or as they were', () => {
    for (let end = 0; end < block.length; end++)
      expect(headerValue(block.subarray(0, end), 'streamtype')).toBe(undefined);
  });

  it('with a number of pairs or a length that is a lie', () => {
    expect(headerValue(latin('\xff\xff\xff\xff\0\0\0\x01a\0\0\0\x01b'), 'x')).toBe(undefined);
    expect(headerValue(latin('\0\0\0\x01\xff\xff\xff\xffa\0\0\0\x01b'), 'a')).toBe(undefined);
  });
});
