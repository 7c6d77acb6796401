// Order, overlaps, beginnings and ends. What expected bytes are follows from RFC 9293 (sequence numbers) and the
// project's law: the first bytes win.
import { describe, expect, it } from 'vitest';
import { c, context, fin, OPEN, reassemble, rst, s, segmentsOf, syn, synAck, word } from '../../test/kit/tcp-kit.js';
import { ACK, FIN, RST, SYN } from '../packet/segment.js';
import { tcpReassembler } from './reassembler.js';

const codes = (words: readonly string[]) => words.filter((w) => w.startsWith('tcp.') || w.startsWith('limit.'));

describe('in order', () => {
  it('hands bytes on at once, both ways', () => {
    const { steps } = context(OPEN, [c(0, 'ping'), s(0, 'pong', { ack: 4 }), c(4, '!', { ack: 4 })]);
    expect(steps).toEqual([['open 1'], [], [], ['client ping'], ['server pong'], ['client !'], ['closed end']]);
  });

  it('does not copy', () => {
    const tcp = tcpReassembler();
    const segments = segmentsOf([...OPEN, c(0, 'ping')]);
    const out = segments.map((segment) => tcp.feed(segment)).at(-1)![0];
    expect(out.kind === 'data' && out.bytes === segments.at(-1)!.payload).toBe(true);
  });

  it('emits nothing for empty acknowledgments', () => {
    expect(context(OPEN, [c(0, 'a'), s(0, '', { ack: 1 }), s(0, '', { ack: 1 })]).steps.slice(4, 6)).toEqual([[], []]);
  });

  it('takes one byte a segment', () => {
    const text = 'one byte at a time';
    expect(
      context(
        OPEN,
        [...text].map((char, at) => c(at, char)),
      ).client,
    ).toBe(text);
  });

  it('keeps the frame of every piece', () => {
    const { events } = context(OPEN, [c(2, 'c'), c(0, 'ab')]);
    expect(events.filter((e) => e.kind === 'data').map((e) => e.origin.frame)).toEqual([5, 4]);
  });

  it('goes on over the end of the sequence space', () => {
    const initial = 2 ** 32 - 4;
    const wrap = { initial, peerInitial: 5000 };
    const open = [syn(wrap), synAck({ peerInitial: initial }), c(0, '', wrap)];
    const { client, words } = context(open, [c(0, 'ab', wrap), c(5, 'fg', wrap), c(2, 'cde', wrap)]);
    expect(client).toBe('abcdefg');
    expect(codes(words)).toEqual([]);
  });
});

describe('out of order', () => {
  it('waits for a hole to be filled', () => {
    const { steps } = context(OPEN, [c(2, 'cd'), c(4, 'ef'), c(0, 'ab')]);
    expect(steps.slice(3, 6)).toEqual([[], [], ['client ab', 'client cd', 'client ef']]);
  });

  it('reports since when segments wait', () => {
    const tcp = tcpReassembler();
    const segments = segmentsOf([...OPEN, c(2, 'cd'), s(3, 'x'), c(0, 'ab'), s(0, 'uvw')]);
    const since = segments.map((segment) => {
      tcp.feed(segment);
      return tcp.heldSince();
    });
    const time = (index: number) => segments[index].origin.time;
    expect(since).toEqual([undefined, undefined, undefined, time(3), time(3), time(4), undefined]);
  });

  it('copies what waits', () => {
    // `reassemble` overwrites every payload after it was fed.
    expect(context(OPEN, [c(3, 'def'), c(0, 'abc')]).client).toBe('abcdef');
  });
});

describe('segments that come again', () => {
  it.each([
    ['exactly', [c(0, 'abcd'), c(0, 'abcd'), c(4, 'e')]],
    ['from the left', [c(0, 'abc'), c(1, 'bcd'), c(4, 'e')]],
    ['from the right, while they wait', [c(2, 'cd'), c(1, 'bc'), c(0, 'a'), c(4, 'e')]],
    ['as a superset of what waits', [c(2, 'c'), c(0, 'abcde')]],
    ['as a superset of several that wait', [c(1, 'b'), c(3, 'd'), c(0, 'abcde')]],
    ['as a part', [c(0, 'abcd'), c(1, 'b'), c(4, 'e')]],
    ['joined', [c(0, 'ab'), c(2, 'cd'), c(0, 'abcde')]],
  ])('%s give the bytes once', (_, drafts) => {
    const { client, words } = context(OPEN, drafts);
    expect(client).toBe('abcde');
    expect(codes(words)).toEqual([]);
  });
});

describe('overlaps that differ', () => {
  it.each([
    ['of bytes that were handed on', [c(0, 'abcd'), c(0, 'aXcd'), c(4, 'e')]],
    ['of their last part', [c(0, 'abcd'), c(3, 'Xe')]],
    ['of bytes that wait', [c(2, 'cd'), c(2, 'XX'), c(0, 'ab'), c(4, 'e')]],
    ['around bytes that wait', [c(2, 'cd'), c(1, 'bXXe'), c(0, 'a')]],
  ])('%s: the first bytes win, and it is reported', (_, drafts) => {
    const { client, words } = context(OPEN, drafts);
    expect(client).toBe('abcde');
    expect(codes(words)).toEqual(['tcp.overlap-differs']);
  });

  it('are counted, and reported once, at the end of the connection', () => {
    const { events, words } = context(OPEN, [c(0, 'abcd'), c(0, 'XXXX'), c(0, 'YYYY')]);
    const said = events.filter((e) => e.kind === 'notice');
    expect(said.map((n) => [n.detail.split(' ')[0], n.origin?.frame])).toEqual([['2', 5]]);
    expect(words.slice(-2)).toEqual(['tcp.overlap-differs', 'closed end']);
  });

  it('are seen in bytes written around the end of the ring', () => {
    const drafts = Array.from({ length: 40 }, (_, i) => c(i * 1000, String.fromCharCode(65 + i).repeat(1000)));
    const { client, words } = context(OPEN, [...drafts, c(30_000, 'x'.repeat(500))]);
    expect(client.length).toBe(40_000);
    expect(codes(words)).toEqual(['tcp.overlap-differs']);
  });
});

describe('keep-alives and probes', () => {
  it('an empty keep-alive is nothing', () => {
    expect(context(OPEN, [c(0, 'abc'), c(2), s(0, '', { ack: 3 }), c(3, 'd')]).client).toBe('abcd');
  });

  it('the garbage byte of a keep-alive is no overlap', () => {
    const { client, words } = context(OPEN, [c(0, 'abc'), c(2, '\0'), s(0, '', { ack: 3 }), c(3, 'd')]);
    expect([client, codes(words)]).toEqual(['abcd', []]);
  });

  it('a byte that probes a closed window comes once', () => {
    const { client, words } = context(OPEN, [c(0, 'abc'), c(3, 'd'), s(0, '', { ack: 3 }), c(3, 'def')]);
    expect([client, codes(words)]).toEqual(['abcdef', []]);
  });

  it('a connection that begins with a keep-alive misses nothing', () => {
    const { words } = context([], [c(99, '', { ack: 50 }), s(50, '', { ack: 100 }), c(100, 'a', { ack: 50 })]);
    expect(words).toEqual(['open 1', 'tcp.late-start', 'client a', 'closed end']);
  });

  it('neither does one that begins with the answer to a keep-alive', () => {
    const { words } = context([], [s(50, '', { ack: 100 }), c(99, '\0', { ack: 50 }), c(100, 'a', { ack: 50 })]);
    expect(words).toEqual(['open 1', 'tcp.late-start', 'client a', 'closed end']);
  });
});

describe('the beginning', () => {
  const roles = (drafts: Parameters<typeof segmentsOf>[0], options = {}) => {
    const first = context([], drafts, options).events[0];
    return first.kind === 'established' ? [first.connection.name, first.connection.roles] : [];
  };
  const NAME = '192.0.2.1:40000-192.0.2.2:8080';

  it('the client is the side that sent the SYN', () => expect(roles([syn()])).toEqual([NAME, 'handshake']));
  it('or got the SYN-ACK', () => expect(roles([synAck()])).toEqual([NAME, 'handshake']));
  it('else the side that is not on a known port', () => expect(roles([s(7, 'x')])).toEqual([NAME, 'port']));

  it('else the side on the higher port', () => {
    const [first] = segmentsOf([c(0, 'x')]);
    const ports = (a: number, b: number, serverPorts: number[] = []) => {
      const source = { address: '192.0.2.1', port: a };
      const destination = { address: '192.0.2.2', port: b };
      const flow = { key: `a:${a}`, reverseKey: `b:${b}`, source, destination };
      const [event] = tcpReassembler({ serverPorts }).feed({ ...first, flow });
      return event.kind === 'established' ? event.connection.server.port : null;
    };
    expect([ports(50_000, 40_000), ports(40_000, 50_000)]).toEqual([40_000, 40_000]);
    expect([ports(1000, 6443), ports(6443, 1000)]).toEqual([6443, 6443]);
    expect(ports(50_000, 40_000, [50_000])).toBe(50_000);
  });

  it('without a SYN is a late start, at the first sequence number', () => {
    const { words } = context([], [c(500, 'abc', { ack: 70 }), s(70, 'xyz', { ack: 503 })]);
    expect(words).toEqual(['open 1', 'tcp.late-start', 'client abc', 'server xyz', 'closed end']);
  });

  it('without a SYN-ACK misses nothing', () => {
    expect(context([], [syn(), c(0), c(0, 'a'), s(0, 'b', { ack: 1 })]).words.slice(1, 3)).toEqual([
      'client a',
      'server b',
    ]);
  });

  it('with the SYN-ACK before the SYN', () => {
    expect(context([], [synAck(), syn(), c(0, 'a'), s(0, 'b', { ack: 1 })]).words).toEqual([
      'open 1',
      'client a',
      'server b',
      'closed end',
    ]);
  });

  it('with data before the SYN that announces it', () => {
    expect(context([], [c(0, 'a'), syn(), c(1, 'b')]).words).toEqual([
      'open 1',
      'tcp.late-start',
      'client a',
      'client b',
      'closed end',
    ]);
  });

  it('takes data of a SYN', () => {
    const open = [c(-1, 'GET', { flags: SYN, ack: null }), synAck({ ack: 3 }), c(3, ' /')];
    expect(context([], open).client).toBe('GET /');
  });

  it('takes data of a SYN that was refused and sent again', () => {
    const open = [c(-1, 'GET', { flags: SYN, ack: null }), synAck({ ack: 0 }), c(0, 'GET /')];
    expect(context([], open).client).toBe('GET /');
  });

  it('a SYN again is the same connection', () => {
    expect(context([syn(), syn(), synAck(), synAck()], [c(0, 'a')]).words).toEqual([
      'open 1',
      'client a',
      'closed end',
    ]);
  });

  it('both sides may send a SYN', () => {
    const open = [syn(), s(-1, '', { flags: SYN, ack: null }), c(-1, '', { flags: SYN }), s(-1, '', { flags: SYN })];
    const { words } = context(open, [c(0, 'a'), s(0, 'b', { ack: 1 })]);
    expect(words).toEqual(['open 1', 'client a', 'server b', 'closed end']);
  });

  it('of two SYN-ACKs the one that is answered holds', () => {
    const other = { initial: 3_000_000_000 };
    const answer = { peerInitial: 3_000_000_000 };
    const { words } = context(
      [syn(), synAck(), synAck(other)],
      [c(0, 'a', answer), synAck(), s(0, 'b', { ...other, ack: 1 })],
    );
    expect(words).toEqual(['open 1', 'client a', 'server b', 'closed end']);
  });
});

describe('one direction only', () => {
  it('of the client', () => {
    const { client, words } = context([], [syn(), c(0), c(0, 'a'), c(1, 'b', { ack: 0 })]);
    expect([client, codes(words)]).toEqual(['ab', []]);
  });

  it('of the server: what the client sent is a gap before each answer', () => {
    const { words } = context(
      [],
      [synAck(), s(0, 'one', { ack: 10, ms: 10 }), s(3, 'two', { ack: 25, ms: 500 }), s(6, '', { ack: 25, ms: 900 })],
    );
    expect(words.filter((w) => !w.startsWith('tcp.'))).toEqual([
      'open 1',
      'client gap 10',
      'server one',
      'client gap 15',
      'server two',
      'closed end',
    ]);
  });
});

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

it('segments without any flag, or with all of them, do not throw', () => {
  const odd = [0, FIN | SYN, FIN | RST, SYN | RST, 0xff, SYN | FIN | RST | ACK];
  const { words } = context(
    [],
    odd.flatMap((flags) => [c(3, 'x', { flags, ack: null }), s(9, 'y', { flags })]),
  );
  expect(words.filter((w) => w.startsWith('closed')).length).toBe(words.filter((w) => w.startsWith('open')).length);
});

describe('what a capture has of a connection', () => {
  const ended = (drafts: readonly Parameters<typeof segmentsOf>[0][number][]) =>
    reassemble(segmentsOf(drafts)).events.find((one) => one.kind === 'closed' && one.from === null);

  it('is one direction or both', () => {
    const isBothWays = (drafts: Parameters<typeof ended>[0]) => {
      const event = ended(drafts);
      return event !== undefined && 'connection' in event && typeof event.connection !== 'string'
        ? event.connection?.captured?.isBothWays
        : undefined;
    };
    expect(isBothWays([syn(), c(0), c(0, 'a'), c(1, 'b')])).toBe(false);
    expect(isBothWays([c(0, 'a', { ack: 5 }), c(1, 'b', { ack: 9 })])).toBe(false);
    expect(isBothWays([c(0, 'a'), s(0, '', { ack: 1 }), c(1, 'b')])).toBe(true);
    expect(isBothWays(OPEN)).toBe(true);
  });

  it('at its end has the acknowledgment of all that the client sent, or not', () => {
    const acknowledged = s(0, '', { ack: 2 });
    expect(ended([...OPEN, c(0, 'ab'), acknowledged])).toMatchObject({ reason: 'end', isDelivered: true });
    expect(ended([...OPEN, c(0, 'ab'), acknowledged, c(2, 'c')])).not.toHaveProperty('isDelivered');
    expect(ended([...OPEN, c(0, 'ab')])).not.toHaveProperty('isDelivered');
    expect(ended(OPEN)).not.toHaveProperty('isDelivered');
  });
});
