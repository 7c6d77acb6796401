// Ends of connections, and ports that are used again (RFC 9293, sections 3.5, 3.6 and 3.10.7).
import { describe, expect, it } from 'vitest';
import { c, context, fin, OPEN, reassemble, rst, s, segmentsOf, syn, synAck, word } from '../../test/kit/tcp-kit.js';
import { FIN, RST } from '../packet/segment.js';
import { tcpReassembler } from './reassembler.js';

const codes = (words: readonly string[]) => words.filter((w) => w.startsWith('tcp.') || w.startsWith('limit.'));

describe('the end', () => {
  const BYE = [fin(c, 1), fin(s, 1, { ack: 2 }), c(2, '', { ack: 2 })];

  it('both FINs close', () => {
    const { steps } = context(OPEN, [c(0, 'a'), s(0, 'b', { ack: 1 }), ...BYE]);
    expect(steps.slice(5)).toEqual([['client fin'], ['server fin', 'closed fin'], [], []]);
  });

  it('one FIN leaves the other direction open', () => {
    const { words } = context(OPEN, [fin(c, 0), s(0, 'b', { ack: 1 }), s(1, 'c', { ack: 1 })]);
    expect(words).toEqual(['open 1', 'client fin', 'server b', 'server c', 'closed end']);
  });

  it('a FIN with data ends after it', () => {
    expect(context(OPEN, [c(0, 'bye', { flags: FIN })]).words).toEqual([
      'open 1',
      'client bye',
      'client fin',
      'closed end',
    ]);
  });

  it('a FIN again is nothing, before and after the other', () => {
    const { words } = context(OPEN, [fin(c, 0), fin(c, 0), fin(s, 0, { ack: 1 }), fin(s, 0, { ack: 1 }), fin(c, 0)]);
    expect(words).toEqual(['open 1', 'client fin', 'server fin', 'closed fin']);
  });

  it('a FIN waits for the bytes before it', () => {
    const { steps } = context(OPEN, [fin(c, 3), c(0, 'abc')]);
    expect(steps.slice(3, 5)).toEqual([[], ['client abc', 'client fin']]);
  });

  it('of two FINs the nearer one holds', () => {
    expect(context(OPEN, [fin(c, 900_000_000), fin(c, 1), c(0, 'a')]).words.slice(1)).toEqual([
      'client a',
      'client fin',
      'closed end',
    ]);
  });

  it('bytes behind a FIN are not read, and that is reported', () => {
    const { client, words } = context(OPEN, [fin(c, 1), c(0, 'abc')]);
    expect([client, codes(words)]).toEqual(['a', ['tcp.out-of-window']]);
  });

  it('RST closes once its grace is over, at its own frame', () => {
    const { steps, events } = context(OPEN, [rst(c, 0, { ms: 10 }), s(0, '', { ms: 500 })]);
    expect(steps.slice(3)).toEqual([[], ['closed aborted'], []]);
    expect(events.at(-1)).toMatchObject({ reason: 'aborted', origin: { frame: 4 } });
  });

  it('RST with bytes in doubt waits for them, and for the SYN of the other direction', () => {
    const server = [synAck({ ms: 1 }), s(0, 'answer', { ack: 7, ms: 3 }), rst(s, 6, { ack: 7, ms: 4 })];
    const client = [syn({ ms: 900 }), c(0, 'request', { ms: 902 })];
    const { words } = context([], [...server, ...client]);
    expect(words).toEqual(['open 1', 'client request', 'server answer', 'closed reset']);
  });

  it('data of a RST is no stream data', () => {
    const { client, words } = context(OPEN, [c(0, 'why', { flags: RST })]);
    expect([client, codes(words)]).toEqual(['', ['tcp.out-of-window']]);
  });

  it('data that was captured just after a RST is read', () => {
    expect(context(OPEN, [rst(s, 0), c(0, 'late')]).words).toEqual(['open 1', 'client late', 'closed reset']);
  });

  it('data long after a RST is counted, and opens nothing', () => {
    const { words, events } = context(OPEN, [rst(s, 0, { ms: 10 }), c(0, 'late', { ms: 500 }), c(4, 'r', { ms: 600 })]);
    expect(words).toEqual(['open 1', 'closed reset', 'tcp.out-of-window']);
    expect(events.at(-1)).toMatchObject({ detail: expect.stringContaining('5 bytes in 2 segments') });
  });

  it('a RST from nowhere near is nothing', () => {
    expect(context(OPEN, [rst(c, -1_900_000_000), c(0, 'a')]).words).toEqual(['open 1', 'client a', 'closed end']);
  });

  describe('a RST that no host takes (RFC 9293, sections 3.5.1 and 3.10.7)', () => {
    const OPENED = ['open 1', 'client a', 'server b', 'closed end'];
    const goesOn = [c(0, 'a', { ms: 2000 }), s(0, 'b', { ack: 1, ms: 2001 })];

    it('for another, half-open connection does not end the requested one', () => {
      const old = { initial: 3_000_000, peerInitial: 100_000 };
      const drafts = [syn(), s(0, '', old), rst(c, 0, { initial: 100_000, ack: null }), syn({ ms: 1000 })];
      const other = { initial: 777_000 };
      const answered = [synAck({ ...other, ms: 1001 }), c(0, 'a', { peerInitial: 777_000, ms: 2000 })];
      const { words } = context(drafts, [...answered, s(0, 'b', { ...other, ack: 1, ms: 2001 })]);
      expect(words).toEqual(OPENED);
    });

    it.each([
      ['that acknowledges something else', rst(s, -5001, { ack: 77 })],
      ['that acknowledges nothing', rst(s, -5001, { ack: null })],
    ])('in answer to a SYN, %s', (_, stray) => {
      const drafts = [syn(), stray, syn({ ms: 1000 }), synAck({ ms: 1001 })];
      expect(context(drafts, goesOn).words).toEqual(OPENED);
    });

    it.each([
      ['far ahead', 500_000_000],
      ['before the first byte', -2],
    ])('%s', (_, offset) => {
      expect(context(OPEN, [rst(c, offset, { ack: null }), ...goesOn]).words).toEqual(OPENED);
    });

    it('though a capture that lost what was before it shows it ahead', () => {
      expect(context(OPEN, [rst(c, 900_000)]).words).toEqual(['open 1', 'closed aborted']);
    });
  });

  it('a SYN again after a reset that its sender has not accepted is a new request', () => {
    const refused = [syn(), s(-5001, '', { flags: RST, ack: 0 })];
    const again = [syn({ ms: 1000 }), synAck({ ms: 1001 })];
    expect(context([...refused, ...again], [c(0, 'a', { ms: 1002 })]).words).toEqual([
      'open 1',
      'closed reset',
      'open 2',
      'client a',
      'closed end',
    ]);
  });

  it('a connection that was refused is one without bytes', () => {
    const refused = [syn(), s(-5001, '', { flags: RST, ack: 0 })];
    expect(context([], refused).words).toEqual(['open 1', 'closed reset']);
  });

  describe('if the server never sent anything', () => {
    const again = [syn({ ms: 0 }), syn({ ms: 1000 }), syn({ ms: 3000 })];

    it('repeated SYNs mean that the server does not answer, from the first of them', () => {
      const { words, events } = context([], again);
      expect(words).toEqual(['open 1', 'tcp.unanswered', 'closed unanswered']);
      expect(events[1]).toMatchObject({ detail: '3 SYNs in 3.0 s', origin: { frame: 1 } });
    });

    it('one SYN means nothing: the response may come after the capture', () => {
      expect(context([], [syn()]).words).toEqual(['open 1', 'closed end']);
    });

    it.each([
      ['that answers at last', synAck({ ms: 3010 }), 'closed end'],
      ['that refuses at last', s(-5001, '', { flags: RST, ack: 0, ms: 3010 }), 'closed reset'],
      ['whose direction is not in the capture', c(0, '', { ms: 3010 }), 'closed end'],
    ])('a server %s was seen', (_, last, closed) => {
      expect(context([], [...again, last]).words).toEqual(['open 1', closed]);
    });

    it('an attempt with the same ports and another number is another connection', () => {
      const other = [syn({ ms: 9000, initial: 7777 }), syn({ ms: 10_000, initial: 7777 })];
      expect(context([], [...again, ...other]).words).toEqual([
        'open 1',
        'tcp.unanswered',
        'closed unanswered',
        'open 2',
        'tcp.unanswered',
        'closed unanswered',
      ]);
    });

    it('ICMP gives the reason, once; for an established connection it is ignored', () => {
      const why = 'administratively prohibited';
      const [{ flow, origin }] = segmentsOf([syn()]);
      const about = (frame: number) => ({ origin: { ...origin, frame }, flow, why });
      const tcp = tcpReassembler();
      tcp.feed(segmentsOf([syn()])[0]);
      expect(tcp.unreachable(about(2))).toMatchObject({ code: 'tcp.unreachable', detail: why, origin: { frame: 2 } });
      expect(tcp.unreachable(about(3))).toBeNull();
      expect(tcp.end().map(word)).toEqual(['closed unreachable']);
      const heard = tcpReassembler();
      for (const segment of segmentsOf(OPEN)) heard.feed(segment);
      expect(heard.unreachable(about(4))).toBeNull();
      expect(tcpReassembler().unreachable(about(1))).toBeNull();
    });
  });

  it('everything is closed once, with the last frame of the capture', () => {
    const { events } = context(OPEN, [c(0, 'a'), s(0, '', { ack: 1 })]);
    expect(events.at(-1)).toMatchObject({ kind: 'closed', from: null, reason: 'end', origin: { frame: 5 } });
  });

  it('a capture without segments has no output', () => expect(reassemble([]).words).toEqual([]));
});

describe('ports used again', () => {
  const AGAIN = { initial: 900_000 };
  const ANSWER = { peerInitial: 900_000 };
  const again = [syn(AGAIN), synAck(ANSWER), c(0, 'new', AGAIN)];

  it('a SYN with another number ends the old connection', () => {
    expect(context(OPEN, [c(0, 'old'), ...again]).words).toEqual([
      'open 1',
      'client old',
      'closed aborted',
      'open 2',
      'client new',
      'closed end',
    ]);
  });

  it('after both FINs', () => {
    const { words } = context(OPEN, [fin(c, 0), fin(s, 0, { ack: 1 }), c(1, '', { ack: 1 }), ...again]);
    expect(words.slice(-4)).toEqual(['closed fin', 'open 2', 'client new', 'closed end']);
  });

  it('after a refusal, as clients that try again', () => {
    const refused = (initial: number) => [syn({ initial }), s(-5001, '', { flags: RST, peerInitial: initial })];
    const { words } = context([], [...refused(1), ...refused(2), ...refused(3)]);
    expect(words.filter((w) => w.startsWith('open'))).toEqual(['open 1', 'open 2', 'open 3']);
    expect(words.filter((w) => w === 'closed reset').length).toBe(3);
  });

  it('a SYN with the number of a late start is its own', () => {
    expect(context([], [c(0, 'a'), syn({ initial: 77 }), c(0, 'b', { initial: 77 })]).words).toEqual([
      'open 1',
      'tcp.late-start',
      'client a',
      'closed aborted',
      'open 2',
      'client b',
      'closed end',
    ]);
  });

  it('a SYN-ACK that answers another SYN', () => {
    const { words } = context(OPEN, [c(0, 'old'), synAck({ initial: 40_000_000, peerInitial: 900_000 })]);
    expect(words.slice(-3)).toEqual(['closed aborted', 'open 2', 'closed end']);
  });
});
