// Order, overlaps and beginnings. What expected bytes are follows from RFC 9293 (sequence numbers) and the
// project's law: the first bytes win.
import { describe, expect, it } from 'vitest';
import { c, context, OPEN, reassemble, s, segmentsOf, syn, synAck } from '../../test/kit/tcp-kit.js';
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
