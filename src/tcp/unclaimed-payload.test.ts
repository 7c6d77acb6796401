// Payload that fits nowhere: what is said of it, and when it is of a connection that has no beginning in the capture.
import { describe, expect, it } from 'vitest';
import { c, context, fin, OPEN, rst, s, segmentsOf, word } from '../../test/kit/tcp-kit.js';
import type { Flow } from '../packet/segment.js';
import { tcpReassembler } from './reassembler.js';

type Drafts = Parameters<typeof segmentsOf>[0];

const straysOf = (drafts: Drafts): string[] =>
  context(OPEN, drafts).events.flatMap((e) =>
    e.kind === 'notice' && e.code === 'tcp.out-of-window' ? [e.detail] : [],
  );

describe('payload that is not read is counted', () => {
  it.each<[string, Drafts, string]>([
    ['behind a FIN', [fin(c, 1), c(0, 'abc')], '2 bytes in 1 segment: after the end'],
    ['of a RST', [c(0, 'why', { flags: 4 })], '3 bytes in 1 segment: in a reset'],
    [
      'for what was given up as lost',
      [s(0, '', { ack: 5, ms: 10 }), s(0, '', { ack: 5, ms: 4000 }), c(0, 'abc'), c(5, 'fg'), c(3, 'defg')],
      '5 bytes in 2 segments: after they were given up as lost',
    ],
    ['before the first byte', [c(0, 'abc'), c(-3, 'xyz')], '3 bytes in 1 segment: before the beginning'],
    [
      'far behind',
      [c(0, 'abc'), c(-1_500_000_000, 'xyz')],
      '3 bytes in 1 segment: far from where the connection stood',
    ],
    ['far ahead', [c(0, 'abc'), c(1_500_000_000, 'xyz')], '3 bytes in 1 segment: far from where the connection stood'],
  ])('%s', (_, drafts, detail) => expect(straysOf(drafts)).toEqual([detail]));

  it.each<[string, Drafts]>([
    ['a retransmission', [c(0, 'abc'), c(0, 'abc'), c(1, 'bcd'), c(2, 'c')]],
    [
      'a retransmission behind a gap',
      [c(0, 'a'), c(3, 'd'), s(0, '', { ack: 4, ms: 10 }), c(4, 'e', { ms: 4000 }), c(3, 'de')],
    ],
    ['a retransmission after the end', [c(0, 'abc'), rst(s, 0, { ms: 10 }), c(0, 'abc', { ms: 10_000 })]],
    ['a keep-alive', [c(-1, '\0'), c(0, 'abc'), c(2, '\0')]],
  ])('%s is not', (_, drafts) => expect(straysOf(drafts)).toEqual([]));

  it('by connection, and beyond 64 of them together', () => {
    const tcp = tcpReassembler();
    const drafts = segmentsOf([...OPEN.slice(0, 1), c(0, 'why', { flags: 4 })]);
    for (let i = 0; i < 70; i++) {
      const [source, destination] = [
        { address: 'c', port: 40_000 + i },
        { address: 's', port: 80 },
      ];
      const flow: Flow = { key: `c${i}`, reverseKey: `s${i}`, source, destination };
      for (const segment of drafts) tcp.feed({ ...segment, flow });
    }
    const said = tcp.end().flatMap((e) => (e.kind === 'notice' ? [[e.connection, e.detail]] : []));
    expect(said).toHaveLength(65);
    expect(said[1]).toEqual(['c1', '3 bytes in 1 segment: in a reset']);
    expect(said[64]).toEqual([undefined, '18 bytes in 6 segments: in a reset']);
  });
});

describe('segments far from where their connection stands', () => {
  const OTHER = { initial: 3_000_000_000, peerInitial: 3_500_000_000 };
  const BACK = { initial: OTHER.peerInitial, peerInitial: OTHER.initial };
  const old = [c(0, 'old'), s(0, 'answer', { ack: 3 })];
  const others = [
    c(0, 'ask', { ...OTHER, ack: 0 }),
    s(0, 'tell', { ...BACK, ack: 3 }),
    c(3, '!', { ...OTHER, ack: 4 }),
  ];

  it.each<[string, Drafts, string]>([
    ['is open', [], 'closed end'],
    ['was closed', [fin(c, 3, { ack: 6 }), fin(s, 6, { ack: 4 })], 'closed fin'],
    ['was reset', [rst(c, 3, { ms: 10 }), s(6, '', { ms: 10_000 })], 'closed aborted'],
  ])('that answer each other are another one: the old one %s', (_, end, closed) => {
    const { words } = context(OPEN, [...old, ...end, ...others]);
    expect(words.slice(words.indexOf(closed))).toEqual([
      closed,
      'open 2',
      'tcp.late-start',
      'client ask',
      'server tell',
      'client !',
      'closed end',
    ]);
  });

  it('that do not, end nothing', () => {
    const alone = [others[0], s(0, 'tell', { ...BACK, ack: 2 })];
    const { words } = context(OPEN, [...old, ...alone, c(3, 'more')]);
    expect(words).toEqual(['open 1', 'client old', 'server answer', 'client more', 'closed end', 'tcp.out-of-window']);
  });

  it('what goes on after a reset that was believed, is read from there', () => {
    const goesOn = [c(3, 'ask', { ack: 6, ms: 10_000 }), s(6, 'tell', { ack: 6, ms: 10_020 })];
    const { words } = context(OPEN, [...old, rst(c, 3, { ms: 10 }), ...goesOn]);
    expect(words.slice(3)).toEqual([
      'closed aborted',
      'open 2',
      'tcp.late-start',
      'client ask',
      'server tell',
      'closed end',
    ]);
  });

  it('a stream that continues within bytes that were given up is read whole, and none of it counted as unread', () => {
    const lost = [s(6, '', { ack: 8, ms: 10 }), s(6, '', { ack: 8, ms: 4000 }), rst(c, 8, { ms: 4200 })];
    const goesOn = [c(5, 'lostask', { ack: 6, ms: 10_000 }), s(6, 'tell', { ack: 12, ms: 10_020 })];
    const { words } = context(OPEN, [...old, ...lost, ...goesOn]);
    expect(words.slice(-5)).toEqual(['open 2', 'tcp.late-start', 'client lostask', 'server tell', 'closed end']);
  });

  it.each([
    [1000, ['client ask', 'server tell', 'closed end']],
    [1001, ['server tell', 'closed end', 'tcp.out-of-window']],
  ])('a request that is answered after %d ms', (ms, read) => {
    const late = [c(0, 'ask', { ...OTHER, ack: 0, ms: 10 }), s(0, 'tell', { ...BACK, ack: 3, ms: 10 + ms })];
    const { words } = context(OPEN, [...old, ...late]);
    expect(words.slice(words.indexOf('tcp.late-start') + 1)).toEqual(read);
  });

  it('a request that is too long to keep is counted as unread', () => {
    const long = [c(0, 'x'.repeat(3000), { ...OTHER, ack: 0 }), s(0, 'tell', { ...BACK, ack: 3000 })];
    const { words } = context(OPEN, [...old, ...long]);
    expect(words.slice(-5)).toEqual(['open 2', 'tcp.late-start', 'server tell', 'closed end', 'tcp.out-of-window']);
  });
});

describe('one acknowledgment far beyond all that was captured', () => {
  const FAR = 16_000_000;
  const asked = [c(0, 'ask'), s(0, 'tell', { ack: 3 })];

  it('that a later one denies, loses nothing', () => {
    const damaged = [c(3, '', { ack: FAR, ms: 10 }), c(3, 'more', { ack: 4, ms: 50 })];
    const { words } = context(OPEN, [...asked, ...damaged, s(4, 'again', { ack: 7, ms: 6000 })]);
    expect(words).toEqual(['open 1', 'client ask', 'server tell', 'client more', 'server again', 'closed end']);
  });

  it('that a later one confirms, is a gap', () => {
    const lost = [c(3, '', { ack: FAR, ms: 10 }), c(3, 'more', { ack: FAR, ms: 50 })];
    const { words } = context(OPEN, [...asked, ...lost, s(FAR, 'again', { ack: 7, ms: 6000 })]);
    expect(words.slice(3, 7)).toEqual([`server gap ${FAR - 4}`, 'tcp.gap', 'client more', 'server again']);
  });

  it('that nothing follows, is a gap at the end', () => {
    expect(context(OPEN, [...asked, c(3, '', { ack: FAR })]).words.slice(3, 5)).toEqual([
      `server gap ${FAR - 4}`,
      'tcp.gap',
    ]);
  });
});

describe('an acknowledgment of bytes that are not there, in a segment whose checksum does not fit', () => {
  const drafts = [
    c(0, 'ask'),
    s(0, 'tell', { ack: 3 }),
    c(3, '', { ack: 900, ms: 10 }),
    c(3, 'more', { ack: 4, ms: 3000 }),
  ];

  const wordsOf = (isPlausible: (frame: number) => boolean | null): string[] => {
    let frame = 0;
    const tcp = tcpReassembler({ isPlausible: () => isPlausible(frame) });
    const said = segmentsOf([...OPEN, ...drafts]).flatMap((segment) => {
      frame = segment.origin.frame;
      return [...tcp.feed(segment)];
    });
    return [...said, ...tcp.end()].map(word);
  };
  const whole = ['open 1', 'client ask', 'server tell', 'client more', 'closed end'];
  const gap = ['open 1', 'client ask', 'server tell', 'server gap 896', 'tcp.gap', 'client more', 'closed end'];

  it('is none, where those of its sender fit', () => expect(wordsOf((frame) => frame !== 6)).toEqual(whole));
  it('is one, where none of them fits', () => expect(wordsOf(() => false)).toEqual(gap));
  it('is one, if that is unknown', () => expect(wordsOf((frame) => (frame === 6 ? null : true))).toEqual(gap));
});
