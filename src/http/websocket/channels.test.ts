import { describe, expect, it } from 'vitest';
import { heardOf, latin, MASK, type Sent, webSocket } from '../../../test/kit/channel-kit.js';
import { MAX_REPORT_BYTES, MAX_REPORT_PIECES } from '../exchange/channel.js';
import { WebSocketChannels } from './channels.js';

const V5 = 'v5.channel.k8s.io';
const EXEC = '/api/v1/namespaces/default/pods/nginx/exec?command=ls';
const PORTS = '/api/v1/namespaces/default/pods/nginx/portforward?ports=80';

const C = (text: string): Sent => ['client', webSocket(latin(text), { mask: MASK })];
const S = (text: string): Sent => ['server', webSocket(latin(text))];
const read = (protocol: string, sent: Sent[], target = EXEC) => heardOf(new WebSocketChannels(protocol, target), sent);

/** [subprotocol, what was sent, what is told] */
const CASES: Record<string, [string, Sent[], string[]]> = {
  'the channel is the first byte': [
    V5,
    [S('\x01'), C('\x00hello\n'), S('\x01hello\n'), S('\x02oops'), C('\x04{"Width":80,"Height":24}')],
    ['> stdin 6 2-2', '< stdout 6 3-3', '< stderr 4 4-4', '> resize 24 5-5'],
  ],
  'a closed channel carries nothing (v5)': [V5, [C('\x00a'), C('\xff\x00')], ['> stdin 1 1-1']],
  'a channel that nobody has': [V5, [S('\x09ab')], ['< null 2 1-1']],
  'fragments are one message': [
    V5,
    [
      ['server', webSocket(latin('\x01ab'), { final: false })],
      ['server', webSocket(latin(''), { opcode: 9 })],
      ['server', webSocket(latin('cd'), { opcode: 0 })],
    ],
    ['< stdout 4 1-3'],
  ],
  'the first fragment may be empty': [
    V5,
    [
      ['server', webSocket(latin(''), { final: false })],
      ['server', webSocket(latin('\x02cd'), { opcode: 0 })],
    ],
    ['< stderr 2 1-2'],
  ],
  'base64: a digit, then text': [
    'v4.base64.channel.k8s.io',
    [
      ['server', webSocket(latin(`1${Buffer.from('hello').toString('base64')}`), { opcode: 1 })],
      ['client', webSocket(latin(`0${Buffer.from('four').toString('base64')}`), { opcode: 1, mask: MASK })],
      ['server', webSocket(latin('1'), { opcode: 1 })],
    ],
    ['< stdout 5 1-1', '> stdin 4 2-2'],
  ],
  'base64 with padding where there are no digits is nothing': [
    'base64.channel.k8s.io',
    ['=', '1=', '1QQ=='].map((text) => ['server', webSocket(latin(text), { opcode: 1 })]),
    ['< stdout 1 3-3'],
  ],
  'a WebSocket of something else has sizes only': ['', [S('\x01abc')], ['< null 4 1-1']],
  'bytes missing in a payload': [
    V5,
    [['server', webSocket(latin('\x01abcdef')).subarray(0, 5)], ['server', 2], ['server', latin('ef')], S('\x01x')],
    ['< stdout 6 1-3 cut', '< stdout 1 4-4'],
  ],
  'the channel is missing': [
    V5,
    [
      ['server', webSocket(latin('\x01abc')).subarray(0, 2)],
      ['server', 1],
      ['server', latin('abc')],
    ],
    ['< null 4 1-3 cut'],
  ],
  'compressed messages are not read': [V5, [['server', webSocket(latin('\x01abc'), { rsv: 0x40 })]], ['< null 4 1-1']],
};

describe('channels of a WebSocket', () => {
  for (const [name, [protocol, sent, expected]] of Object.entries(CASES)) {
    it(name, () => expect(read(protocol, sent).words).toEqual(expected));
  }

  it('a port-forward numbers its channels by port', () => {
    const sent = [S('\x00P\x00'), C('\x00GET'), S('\x03no')];
    expect(read('v4.channel.k8s.io', sent, PORTS).words).toEqual(['< data 2 1-1', '> data 3 2-2', '< error 2 3-3']);
  });

  it('bytes that are no frames are reported once and counted', () => {
    const heard = read(V5, [S('\x01a'), ['server', latin('\xf2\x05rubbish')], ['server', latin('more')]]);
    expect(heard.words).toEqual(['< stdout 1 1-1', '< null 2 2-2 cut', '< null 7 2-2 cut', '< null 4 3-3 cut']);
    expect(heard.troubles).toHaveLength(1);
    expect(heard.troubles[0]).toMatch(/^http\.malformed a WebSocket frame with reserved bits/);
  });

  it('compression is reported once', () => {
    const one: Sent = ['server', webSocket(latin('x'), { rsv: 0x40 })];
    expect(read(V5, [one, one]).troubles).toEqual([
      'http.malformed compressed WebSocket messages of the server are not read',
    ]);
  });
});

describe('the error channel', () => {
  const reports = (sent: Sent[]) =>
    read(V5, sent).pieces.map(({ report }) => (report === null ? null : Buffer.from(report).toString('latin1')));

  it('is kept, as far as it came; others are not', () => {
    expect(reports([S('\x01out'), S('\x03{"a"'), S('\x03:1}')])).toEqual([null, '{"a"', '{"a":1}']);
  });

  it('is kept up to a limit of bytes', () => {
    const fits = 'x'.repeat(MAX_REPORT_BYTES);
    expect(reports([S(`\x03${fits}`), S('\x03y')])).toEqual([fits, null]);
  });

  it('is kept up to a limit of pieces', () => {
    const found = reports(Array.from({ length: MAX_REPORT_PIECES + 1 }, () => S('\x03x')));
    expect(found.slice(-2)).toEqual(['x'.repeat(MAX_REPORT_PIECES), null]);
  });
});
