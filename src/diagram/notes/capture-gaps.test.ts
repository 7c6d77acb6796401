import { expect, it } from 'vitest';
import { type NoticeCode, notice } from '../../core/notice.js';
import { missingFrom } from './capture-gaps.js';

const missing = (...given: [NoticeCode, string, string?][]): string =>
  missingFrom({
    messages: [],
    notices: given.map(([code, detail, connection]) => notice(code, detail, { connection })),
  })[0];

it.each<[string, [NoticeCode, string, string?][], string]>([
  ['nothing', [], 'complete capture: every connection was decoded'],
  [
    'payload that was not read, by connection',
    [
      ['tcp.out-of-window', '5 bytes in 2 segments: after the end', 'a'],
      ['tcp.out-of-window', '5 bytes in 2 segments: in a reset; after the end', 'b'],
    ],
    'missing in the capture: 2 connections with bytes that fit nowhere',
  ],
  [
    'the text of a reset',
    [['tcp.out-of-window', '5 bytes in 1 segment: in a reset', 'a']],
    'complete capture: every connection was decoded',
  ],
])('%s', (_, notices, line) => expect(missing(...notices)).toBe(line));
