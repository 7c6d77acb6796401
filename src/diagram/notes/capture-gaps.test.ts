import { expect, it } from 'vitest';
import { type NoticeCode, notice } from '../../core/notice.js';
import { missingFrom } from './capture-gaps.js';

const missing = (...given: [NoticeCode, string, string?][]): string =>
  missingFrom({
    messages: [],
    notices: given.map(([code, detail, connection]) => notice(code, detail, { connection })),
  })[0];

it.each<[string, [NoticeCode, string, string?][], string]>([
  ['nothing', [], 'nothing was decoded: there is no request and no answer'],
  [
    'packets that are not read, by what they are, and those that were cut',
    [
      ['packet.not-read', 'UDP port 51820 (WireGuard): 95 packets, first in frame 1'],
      ['packet.not-read', 'IP protocol 50 (IPsec ESP): 1 packet, first in frame 7'],
      ['packet.other-protocol', 'UDP port 53 (DNS): 6 packets, first in frame 2'],
      ['packet.cut', '48 of 95 packets were cut at 96 bytes by the capture (snap length): record with tcpdump -s 0'],
    ],
    'missing in the capture: 95 packets of UDP port 51820 (WireGuard) not read, 1 packet of IP protocol 50 (IPsec ESP) not read, 48 of 95 packets were cut at 96 bytes by the capture (snap length): record with tcpdump -s 0',
  ],
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
    'nothing was decoded: there is no request and no answer',
  ],
])('%s', (_, notices, line) => expect(missing(...notices)).toBe(line));
