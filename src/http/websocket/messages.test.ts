import { describe, expect, it } from 'vitest';
import { heardOf, latin, MASK, type Sent, webSocket } from '../../../test/kit/channel-kit.js';
import { MAX_ITEM_BYTES } from '../framing/message-framer.js';
import { WebSocketMessages } from './messages.js';

const S = (text: string, options = {}): Sent => ['server', webSocket(latin(text), { opcode: 1, ...options })];
const read = (...sent: Sent[]) => heardOf(new WebSocketMessages(), sent);

const CASES: Record<string, [Sent[], string[]]> = {
  'text and binary': [
    [S('{"type":"A"}'), S('ab', { opcode: 2 })],
    ['{"type":"A"} 1-1', 'ab 2-2'],
  ],
  'fragments are one message': [
    [S('ab', { final: false }), S('', { opcode: 9 }), S('cd', { opcode: 0 })],
    ['abcd 1-3'],
  ],
  'an empty one says nothing': [[S(''), S('a')], ['a 2-2']],
  'bytes missing in a message': [
    [['server', webSocket(latin('abcdef')).subarray(0, 5)], ['server', 2], ['server', latin('f')], S('x')],
    ['abc 1-3 cut', 'x 4-4'],
  ],
  'the end of the capture': [[['server', webSocket(latin('abcdef')).subarray(0, 5)]], ['abc 1-1 cut']],
};

describe('messages of a WebSocket', () => {
  for (const [name, [sent, expected]] of Object.entries(CASES)) {
    it(name, () => {
      const heard = read(...sent);
      expect(heard.items).toEqual(expected);
      expect(heard.words).toEqual([]);
    });
  }

  it('what the client sends is counted', () => {
    const heard = read(['client', webSocket(latin('abc'), { mask: MASK })], S('x'));
    expect([heard.items, heard.words]).toEqual([['x 2-2'], ['> null 3 1-1']]);
  });

  it('compressed ones are reported once, and counted', () => {
    const heard = read(S('abc', { rsv: 0x40 }), S('abcd', { rsv: 0x40 }));
    expect([heard.items, heard.words]).toEqual([[], ['< null 3 1-1', '< null 4 2-2']]);
    expect(heard.troubles).toEqual(['http.malformed compressed WebSocket messages of the server are not read']);
  });

  it('bytes that are no frames are reported once, and counted', () => {
    const heard = read(S('a'), ['server', latin('\xf2\x05rubbish')], ['server', latin('more')]);
    expect(heard.items).toEqual(['a 1-1']);
    expect(heard.words).toEqual(['< null 2 2-2 cut', '< null 7 2-2 cut', '< null 4 3-3 cut']);
    expect(heard.troubles).toHaveLength(1);
  });

  it('keeps a message only up to the limit and goes on behind it', () => {
    const long = webSocket(Buffer.alloc(MAX_ITEM_BYTES + 5, 'x'));
    const heard = read(['server', long.subarray(0, 1000)], ['server', long.subarray(1000)], S('next'));
    expect(heard.items[0]).toBe('too long');
    expect(heard.items[1]).toHaveLength(MAX_ITEM_BYTES + ' 1-2 cut'.length);
    expect(heard.items[2]).toBe('next 3-3');
  });
});
