import { describe, expect, it } from 'vitest';
import { bytesOf, conversation, packets, pcapngBlocks } from '../../test/kit/packetiser.js';
import { concat, u16be, u16le } from '../core/bytes/bytes.js';
import { Annotator, NotAnnotatable } from './annotate.js';
import { captureReader } from './capture-reader.js';
import type { Frame } from './frame.js';

const [A, B, C] = packets(conversation([{ from: 'client', bytes: 'hello' }]));

describe.each([
  ['little', false],
  ['big', true],
])('a copy of a pcapng file, %s endian', (_name, bigEndian) => {
  const b = pcapngBlocks(bigEndian);
  const u16 = bigEndian ? u16be : u16le;
  const file = concat([
    b.section(),
    b.interface(1, 0, b.option(2, bytesOf('eth0'))),
    b.enhanced(A),
    b.block(0xbad, new Uint8Array(8)),
    b.enhanced(B, 0, 1000n, b.option(1, bytesOf('of another'))),
    b.obsolete(C),
    b.simple(A),
    b.secrets(0x544c534b, 'CLIENT_RANDOM aa bb\n'),
  ]);

  /** Comments of each packet block, by the number of the block. */
  function commentsIn(bytes: Uint8Array): string[][] {
    const u32 = (at: number): number => new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, !bigEndian);
    const found: string[][] = [];
    for (let at = 0; at < bytes.length; at += u32(at + 4)) {
      const type = u32(at);
      if (type !== 6 && type !== 2) continue;
      const comments: string[] = [];
      const end = at + u32(at + 4) - 4;
      let option = at + 28 + ((u32(at + 20) + 3) & ~3);
      while (option + 4 <= end && u16(bytes, option) !== 0) {
        const length = u16(bytes, option + 2);
        if (u16(bytes, option) === 1)
          comments.push(Buffer.from(bytes.subarray(option + 4, option + 4 + length)).toString());
        option += 4 + ((length + 3) & ~3);
      }
      found.push(comments);
    }
    return found;
  }

  it('has comments at the frames with these numbers, beside those that were there, and the same packets', () => {
    const comments = new Map([
      [1, ['one', 'two: ü']],
      [3, ['three']],
      [4, ['four']],
      [5, ['five']],
    ]);
    for (const size of [1, 7, file.length]) {
      const annotator = new Annotator((frame) => comments.get(frame));
      const parts: Uint8Array[] = [];
      for (let at = 0; at < file.length; at += size)
        for (const one of annotator.feed(file.slice(at, at + size))) parts.push(one);
      const copy = concat([...parts, ...annotator.end()]);
      // Frame 2 is a custom block; frame 5 has no place for options.
      expect(commentsIn(copy)).toEqual([['one', 'two: ü'], ['three', 'of another'], ['four']]);
      expect(annotator.unplaced).toBe(1);
      expect(read(copy)).toEqual(read(file));
    }
  });

  it('is the same where there are no comments', () => {
    const annotator = new Annotator(() => undefined);
    expect(concat([...annotator.feed(file), ...annotator.end()])).toEqual(file);
  });

  it('is not made of a damaged file', () => {
    const damaged = file.slice();
    damaged[4] ^= 0x55;
    expect(() => new Annotator(() => ['x']).feed(damaged)).toThrow(NotAnnotatable);
  });
});

function read(bytes: Uint8Array): unknown[] {
  const reader = captureReader({ capture: 0 });
  const items = [...reader.feed(bytes), ...reader.end()];
  return items.map((item) =>
    item.kind === 'frame' ? [item.origin, item.linkType, item.originalLength, (item as Frame).data] : { ...item },
  );
}
