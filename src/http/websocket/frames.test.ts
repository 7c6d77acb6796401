import { describe, expect, it } from 'vitest';
import { latin, MASK, webSocket } from '../../../test/kit/channel-kit.js';
import { originOf } from '../../../test/kit/http1-kit.js';
import { type WebSocketFrameSink, WebSocketFrames } from './frames.js';

class RecordingSink implements WebSocketFrameSink {
  readonly lines: string[] = [];
  #text = '';

  begin(isText: boolean, isTransformed: boolean): void {
    this.#text = '';
    this.lines.push(`${isText ? 'text' : 'binary'}${isTransformed ? ' transformed' : ''}`);
  }
  payload(bytes: Uint8Array): void {
    this.#text += Buffer.from(bytes).toString('latin1');
  }
  missing(length: number): void {
    this.#text += `<${length}>`;
  }
  end(_origin: unknown, complete: boolean): void {
    this.lines.push(`${this.#text.length > 20 ? this.#text.length : this.#text}${complete ? '' : ' cut'}`);
  }
  lost(why: string): void {
    this.lines.push(`lost: ${why}`);
  }
  unread(length: number): void {
    this.lines.push(`unread ${length}`);
  }
}

function read(pieces: readonly (Uint8Array | number | null)[]): string[] {
  const said = new RecordingSink();
  const frames = new WebSocketFrames(said);
  pieces.forEach((piece, i) => {
    if (piece === null || typeof piece === 'number') frames.gap(piece, originOf(i));
    else frames.feed(piece, originOf(i));
  });
  frames.end();
  return said.lines;
}

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** The examples of RFC 6455 section 5.7. */
const RFC: Record<string, [Uint8Array, string[]]> = {
  'an unmasked text message': [hex('81 05 48 65 6c 6c 6f'), ['text', 'Hello']],
  'a masked text message': [hex('81 85 37 fa 21 3d 7f 9f 4d 51 58'), ['text', 'Hello']],
  'a fragmented message': [hex('01 03 48 65 6c 80 02 6c 6f'), ['text', 'Hello']],
  'ping and masked pong': [hex('89 05 48 65 6c 6c 6f 8a 85 37 fa 21 3d 7f 9f 4d 51 58'), []],
  '256 bytes': [Buffer.concat([hex('82 7e 01 00'), new Uint8Array(256)]), ['binary', '256']],
  '64 KiB': [Buffer.concat([hex('82 7f 00 00 00 00 00 01 00 00'), new Uint8Array(65536)]), ['binary', '65536']],
};

describe('the examples of RFC 6455', () => {
  for (const [name, [bytes, expected]] of Object.entries(RFC)) {
    it(name, () => expect(read([bytes])).toEqual(expected));
    it(`${name}, byte by byte`, () => expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected));
    it(`${name}, and one more`, () => {
      expect(read([Buffer.concat([bytes, hex('82 01 41')])])).toEqual([...expected, 'binary', 'A']);
    });
  }
});

const HELLO = webSocket(latin('Hello'));
const CASES: Record<string, [(Uint8Array | number | null)[], string[]]> = {
  'a ping between fragments': [
    [webSocket(latin('He'), { final: false }), hex('89 00'), webSocket(latin('llo'), { opcode: 0 })],
    ['binary', 'Hello'],
  ],
  'an empty message': [[hex('82 00')], ['binary', '']],
  'permessage-deflate is told': [[webSocket(latin('xx'), { rsv: 0x40, mask: MASK })], ['binary transformed', 'xx']],
  'cut in the payload': [[HELLO.subarray(0, 4)], ['binary', 'He cut']],
  'cut in the head': [[HELLO.subarray(0, 1)], []],
  'a gap between frames': [
    [HELLO, 5, HELLO],
    ['binary', 'Hello', 'lost: bytes are missing between WebSocket frames', 'unread 7'],
  ],
  'a gap of unknown length': [
    [HELLO.subarray(0, 4), null, HELLO],
    ['binary', 'He cut', 'lost: bytes are missing between WebSocket frames', 'unread 7'],
  ],
  'reserved bits': [
    [hex('f2 01 41 82')],
    ['lost: a WebSocket frame with reserved bits or opcode', 'unread 2', 'unread 2'],
  ],
  'a reserved opcode': [[hex('83 00')], ['lost: a WebSocket frame with reserved bits or opcode', 'unread 2']],
  'a control frame in parts': [[hex('09 00')], ['lost: a WebSocket control frame in parts', 'unread 2']],
  'a control frame that is too long': [[hex('89 7e 00 7e')], ['lost: a WebSocket control frame in parts', 'unread 4']],
  'a continuation of nothing': [
    [hex('80 00')],
    ['lost: WebSocket fragments that do not follow each other', 'unread 2'],
  ],
  'a message inside a message': [
    [hex('02 00 82 00')],
    ['binary', ' cut', 'lost: WebSocket fragments that do not follow each other', 'unread 2'],
  ],
  'an impossible length': [
    [hex('82 7f ff ff ff ff ff ff ff ff 00')],
    ['lost: a WebSocket frame of an impossible length', 'unread 10', 'unread 1'],
  ],
};

describe('frames', () => {
  for (const [name, [pieces, expected]] of Object.entries(CASES)) {
    it(name, () => expect(read(pieces)).toEqual(expected));
  }

  it('a gap inside a payload: the mask goes on behind it', () => {
    const frame = webSocket(latin('Hello'), { mask: MASK });
    const pieces = [frame.subarray(0, 7), 3, frame.subarray(10), webSocket(latin('abc'), { mask: MASK })];
    expect(read(pieces)).toEqual(['binary', 'H<3>o cut', 'binary', 'abc']);
  });
});
