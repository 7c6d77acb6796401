import { expect, it } from 'vitest';
import { notice } from '../../core/notice.js';
import { Notices } from './notices.js';

const told = (names: readonly string[], namesCapture?: boolean): readonly string[] => {
  const notices = new Notices(names, { namesCapture });
  const origin = { capture: 0, frame: 5, time: 0n };
  for (const detail of ['one is lost', 'another is']) notices.came(notice('tcp.gap', detail, { origin }));
  return notices.lines();
};

it('a line has how many there are of its code, and the first in full', () => {
  expect(told(['a.pcap'])).toEqual([
    expect.stringMatching(/^tcp\.gap: [^:]* \(2 times\); the first: one is lost, frame 5$/),
  ]);
});

it('a notice names its capture where there are several, or where another one is read beside it', () => {
  expect(told(['a.pcap', 'b.pcap'])[0]).toMatch(/, a\.pcap frame 5$/);
  expect(told(['a.pcap'], true)[0]).toMatch(/, a\.pcap frame 5$/);
});
