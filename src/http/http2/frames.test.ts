import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { data, frame, headers, origin, ping, settings } from '../../../test/kit/http2-kit.js';
import { FrameReader, type FrameSink, MAX_HEADER_BLOCK } from './frames.js';

/** Writes down what it is told; pieces of DATA are joined. */
class Recorder implements FrameSink {
  readonly said: string[] = [];
  #body = '';

  data(stream: number, bytes: Uint8Array): void {
    this.#body += Buffer.from(bytes).toString('latin1');
    this.said[this.said.length - (this.said.at(-1)?.startsWith('+') ? 1 : 0)] = `+${stream} ${this.#body}`;
  }

  dataGap(stream: number, length: number): void {
    this.#say(`gap ${stream} ${length}`);
  }

  dataEnd(stream: number, flags: number, whole: boolean): void {
    this.#say(`end ${stream} ${flags} ${whole}`);
  }

  frame(type: number, flags: number, stream: number, payload: Uint8Array, cut: boolean): void {
    const body = payload.length > 40 ? payload.length : Buffer.from(payload).toString('latin1');
    this.#say(`frame ${type} ${flags} ${stream} ${body}${cut ? ' cut' : ''}`);
  }

  #say(line: string): void {
    this.said.push(line);
    this.#body = '';
  }
}

function read(...pieces: Uint8Array[]): string[] {
  const recorder = new Recorder();
  const reader = new FrameReader(recorder);
  for (const piece of pieces)
    if (reader.feed(piece, origin(1)) < piece.length || reader.broken) recorder.said.push('broken');
  return recorder.said;
}

const block = Buffer.from('block');
const all = Buffer.concat([
  settings,
  headers(1, block),
  ping,
  frame(1, 0, 3, block),
  frame(9, 4, 3, Buffer.alloc(50)),
  data(1, 'hello'),
  frame(0, 9, 1, Buffer.from('\x02world##', 'latin1')),
  frame(0, 8, 1, Buffer.from('\x00', 'latin1')),
  frame(3, 0, 5, Buffer.from([0, 0, 0, 8])),
  frame(99, 255, 9, Buffer.alloc(70)),
  frame(7, 0, 0, Buffer.alloc(8, 97)),
  data(1, ''),
]);
const PING = `frame 6 0 0 ${Buffer.from(ping.subarray(9)).toString('latin1')}`;
const expected = [
  'frame 4 0 0 ',
  'frame 1 4 1 block',
  PING,
  'frame 1 0 3 block',
  'frame 9 4 3 50',
  '+1 hello',
  'end 1 0 true',
  '+1 world',
  'end 1 9 true',
  'end 1 8 true',
  'frame 3 0 5 \0\0\0\b',
  'frame 7 0 0 aaaaaaaa',
  'end 1 0 true',
];

describe('frames', () => {
  it('whole', () => expect(read(all)).toEqual(expected));

  it('byte by byte', () => expect(read(...[...all].map((byte) => Uint8Array.of(byte)))).toEqual(expected));

  it('with trailing bytes, which wait', () => {
    for (let more = 1; more < 9; more++)
      expect(read(Buffer.concat([all, settings.subarray(0, more)]))).toEqual(expected);
  });

  it('cut anywhere', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: all.length }), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), all.length];
        expect(read(...at.slice(1).map((end, i) => all.subarray(at[i], end)))).toEqual(expected);
      }),
    );
  });

  it('hands DATA on without copying it', () => {
    const piece = data(1, 'hello');
    let buffer: ArrayBufferLike | null = null;
    const sink = new Recorder();
    sink.data = (_, bytes) => {
      buffer = bytes.buffer;
    };
    new FrameReader(sink).feed(piece, origin(1));
    expect(buffer).toBe(piece.buffer);
  });

  it('takes padding longer than the frame as all there is', () => {
    expect(read(frame(0, 8, 1, Buffer.from('\x09abc', 'latin1')))).toEqual(['end 1 8 true']);
  });

  it('stops behind a header that cannot be one', () => {
    const recorder = new Recorder();
    const reader = new FrameReader(recorder);
    const bytes = Buffer.concat([data(1, 'x'), data(0, 'stream nought')]);
    expect(reader.feed(bytes, origin(1))).toBe(10 + 9);
    expect(reader.broken).toBe(true);
  });

  it('keeps no more of a header block than its limit', () => {
    const reader = new FrameReader(new Recorder());
    const recorder = new Recorder();
    const limited = new FrameReader(recorder);
    const long = frame(1, 4, 1, Buffer.alloc(MAX_HEADER_BLOCK + 10));
    for (let at = 0; at < long.length; at += 1000) limited.feed(long.subarray(at, at + 1000), origin(1));
    expect(recorder.said).toEqual([`frame 1 4 1 ${MAX_HEADER_BLOCK} cut`]);
    expect(reader.broken).toBe(false);
  });
});

describe('gaps in frames', () => {
  const after = (bytes: Uint8Array, length: number | null, rest: Uint8Array): string[] => {
    const recorder = new Recorder();
    const reader = new FrameReader(recorder);
    reader.feed(bytes, origin(1));
    if (reader.gap(length, origin(2))) reader.feed(rest, origin(3));
    else {
      recorder.said.push('lost');
      reader.abort(origin(2));
    }
    return recorder.said;
  };

  it.each([
    [
      'within DATA',
      data(1, 'hello').subarray(0, 10),
      2,
      Buffer.from('lo'),
      ['+1 h', 'gap 1 2', '+1 lo', 'end 1 0 true'],
    ],
    ['to its end', data(1, 'hello').subarray(0, 10), 4, ping, ['+1 h', 'gap 1 4', 'end 1 0 true', PING]],
    ['beyond', data(1, 'hello', true).subarray(0, 10), 5, ping, ['+1 h', 'lost', 'gap 1 4', 'end 1 1 false']],
    ['between frames', data(1, 'x'), 1, ping, ['+1 x', 'end 1 0 true', 'lost']],
    ['in a frame header', ping.subarray(0, 3), 2, ping, ['lost']],
    ['in a header block', headers(1, block).subarray(0, 11), 2, Buffer.from('k'), ['frame 1 4 1 bl cut']],
    ['of unknown length', headers(1, block).subarray(0, 11), null, ping, ['lost', 'frame 1 4 1 bl cut']],
    [
      'of padding only',
      frame(0, 8, 1, Buffer.from('\x02a##')).subarray(0, 11),
      2,
      ping,
      ['+1 a', 'end 1 8 true', PING],
    ],
  ])('%s', (_, bytes, length, rest, lines) => expect(after(bytes, length, rest)).toEqual(lines));
});
