import { describe, expect, it } from 'vitest';
import { heardOf, latin, type Sent } from '../../../test/kit/channel-kit.js';
import { DockerStream } from './docker-stream.js';

const frame = (type: number, payload: string): Uint8Array =>
  latin(
    `${String.fromCharCode(type)}\0\0\0\0\0${String.fromCharCode(payload.length >> 8, payload.length & 255)}${payload}`,
  );
const S = (bytes: Uint8Array): Sent => ['server', bytes];
const read = (sent: Sent[], isMultiplexed = false) => heardOf(new DockerStream(isMultiplexed), sent);

const CASES: Record<string, [Sent[], string[]]> = {
  'stdout and stderr by their headers': [
    [S(Buffer.concat([frame(1, 'one\n'), frame(2, 'two')])), S(frame(1, 'x'.repeat(300)))],
    ['< stdout 4 1-1', '< stderr 3 1-1', '< stdout 300 2-2'],
  ],
  'a frame over several pieces': [
    [S(frame(1, 'abcdef').subarray(0, 3)), S(frame(1, 'abcdef').subarray(3, 10)), S(frame(1, 'abcdef').subarray(10))],
    ['< stdout 6 1-3'],
  ],
  'the client writes stdin as it is': [
    [['client', latin('ls\n')], S(frame(1, 'a'))],
    ['> stdin 3 1-1', '< stdout 1 2-2'],
  ],
  'a terminal has no headers': [
    [S(latin('/ # ')), S(latin('ls'))],
    ['< stdout 4 1-1', '< stdout 2 2-2'],
  ],
  'empty frames say nothing': [[S(frame(1, ''))], []],
  'cut in a payload': [[S(frame(2, 'abcdef').subarray(0, 10))], ['< stderr 2 1-1 cut']],
  'a gap in a payload': [
    [S(frame(1, 'abcdef').subarray(0, 10)), ['server', 4], S(frame(2, 'x'))],
    ['< stdout 2 1-1 cut', '< stderr 1 3-3'],
  ],
  'a gap between frames': [
    [S(frame(1, 'a')), ['server', 9], S(frame(1, 'b'))],
    ['< stdout 1 1-1', '< null 9 3-3 cut'],
  ],
};

describe('docker streams', () => {
  for (const [name, [sent, expected]] of Object.entries(CASES)) {
    it(name, () => expect(read(sent).words).toEqual(expected));
  }

  it('byte by byte', () => {
    const bytes = [...frame(1, 'hello'), ...frame(2, 'x')].map((byte) => S(Uint8Array.of(byte)));
    expect(read(bytes).words).toEqual(['< stdout 5 1-13', '< stderr 1 14-22']);
  });

  it('a stream that is declared as multiplexed must be so', () => {
    const heard = read([S(latin('text'))], true);
    expect(heard.words).toEqual(['< null 4 1-1 cut']);
    expect(heard.troubles).toEqual(['http.malformed no frame header where a docker stream must have one']);
  });

  it('cut in a header', () => {
    expect(read([S(frame(1, 'a')), S(frame(1, 'b').subarray(0, 5))]).words).toEqual(['< stdout 1 1-1']);
  });
});
