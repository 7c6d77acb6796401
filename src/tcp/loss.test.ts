// What is lost, when that is known, and what may wait until then.
import { describe, expect, it } from 'vitest';
import { measured } from '../../test/kit/measured.js';
import { LINEAR, powerOf } from '../../test/kit/powers.js';
import { c, context, fin, OPEN, rst, s, segmentsOf, syn, synAck } from '../../test/kit/tcp-kit.js';
import type { Flow } from '../packet/segment.js';
import { PIECE_COST } from './half-connection.js';
import { IDLE_LOOK } from './limits.js';
import { tcpReassembler } from './reassembler.js';

describe('a hole', () => {
  it('that the peer acknowledged is a gap, once its grace is over', () => {
    const { steps } = context(OPEN, [
      c(3, 'def', { ms: 10 }),
      s(0, '', { ack: 6, ms: 20 }),
      s(0, '', { ack: 6, ms: 919 }),
      s(0, '', { ack: 6, ms: 920 }),
    ]);
    expect(steps.slice(3, 7)).toEqual([[], [], [], ['client gap 3', 'tcp.gap', 'client def']]);
  });

  it('whose bytes were captured after their acknowledgment is none', () => {
    const { words } = context(OPEN, [s(0, '', { ack: 3, ms: 10 }), c(0, 'abc', { ms: 50 }), c(3, 'd', { ms: 8000 })]);
    expect(words).toEqual(['open 1', 'client abc', 'client d', 'closed end']);
  });

  it('that was not acknowledged waits to the end', () => {
    const { steps, words } = context(OPEN, [
      c(3, 'def', { ms: 10 }),
      s(0, 'x', { ms: 18_000 }),
      s(1, 'y', { ms: 9000 }),
    ]);
    expect(steps[4]).toEqual(['server x']);
    expect(words.slice(-4)).toEqual(['client gap 3', 'tcp.gap', 'client def', 'closed end']);
  });

  it('with nothing behind it is a gap too, if it is acknowledged', () => {
    const { words } = context(OPEN, [c(0, 'abc'), s(0, '', { ack: 10 }), c(10, 'z', { ms: 10_000 })]);
    expect(words).toEqual(['open 1', 'client abc', 'client gap 7', 'tcp.gap', 'client z', 'closed end']);
  });

  it('is lost up to what was acknowledged, no further', () => {
    const { client } = context(OPEN, [
      c(6, 'ghi'),
      s(0, '', { ack: 3 }),
      s(0, '', { ack: 3, ms: 10_000 }),
      c(3, 'def'),
    ]);
    expect(client).toBe('~~~defghi');
  });

  it('of one byte with nothing behind it is a FIN that was not captured', () => {
    const { words } = context(OPEN, [c(0, 'abc'), s(0, '', { ack: 4 }), s(0, 'x', { ack: 4, ms: 10_000 })]);
    expect(words).toEqual(['open 1', 'client abc', 'server x', 'closed end']);
  });

  it('that was acknowledged after the doubt began was not noticed when it began', () => {
    const { events } = context(OPEN, [c(0, '', { ack: 2 }), c(0, 'ab', { ack: 2 }), c(2, '', { ack: 5 })]);
    const gaps = events.filter((event) => event.kind === 'gap');
    expect(gaps.map((gap) => [gap.length, gap.origin.frame])).toEqual([
      [2, 4],
      [3, 6],
    ]);
  });

  it('before a FIN is lost once the FIN is acknowledged', () => {
    const { words } = context(OPEN, [fin(c, 3), s(0, '', { ack: 4 }), s(0, '', { ack: 4, ms: 10_000 })]);
    expect(words).toEqual(['open 1', 'client gap 3', 'tcp.gap', 'client fin', 'closed end']);
  });

  it('is no loss because the peer sends data', () => {
    const { steps } = context(OPEN, [c(3, 'def'), s(0, 'x', { ack: 0 }), s(1, 'y', { ack: 0, ms: 10_000 })]);
    expect(steps.slice(3, 6)).toEqual([[], ['server x'], ['server y']]);
  });

  it('is not believed from an acknowledgment beyond any window', () => {
    expect(context(OPEN, [s(0, '', { ack: 2 ** 30 + 1 }), c(0, 'a', { ms: 10_000 })]).words).toEqual([
      'open 1',
      'client a',
      'closed end',
    ]);
  });

  it('in each of two doubts gets its own grace', () => {
    const { steps } = context(OPEN, [
      s(0, '', { ack: 2, ms: 10 }),
      s(0, '', { ack: 4, ms: 500 }),
      s(0, '', { ack: 4, ms: 915 }),
      c(2, 'cd', { ms: 916 }),
      s(0, '', { ack: 4, ms: 8000 }),
    ]);
    expect(steps.slice(3, 7)).toEqual([[], [], ['client gap 2', 'tcp.gap'], ['client cd']]);
  });
});

describe('the law of order', () => {
  it('an answer waits for the request that was captured after it', () => {
    const { steps } = context(OPEN, [s(0, 'answer', { ack: 7 }), c(0, 'request')]);
    expect(steps.slice(3, 5)).toEqual([[], ['client request', 'server answer']]);
  });

  it('an answer comes after the gap that stands for its request', () => {
    const { steps } = context(OPEN, [
      s(0, 'answer', { ack: 7, ms: 10 }),
      c(7, 'next', { ack: 6, ms: 20 }),
      s(6, 'again', { ack: 11, ms: 6000 }),
    ]);
    expect(steps[5]).toEqual(['client gap 7', 'tcp.gap', 'server answer', 'client next', 'server again']);
  });

  it('two directions in doubt at once do not wait for each other for ever', () => {
    const { words } = context(OPEN, [
      c(5, 'x', { ack: 8, ms: 10 }),
      s(8, 'y', { ack: 6, ms: 20 }),
      c(6, 'z', { ack: 9, ms: 10_000 }),
    ]);
    expect(words.filter((w) => !w.startsWith('tcp.'))).toEqual([
      'open 1',
      'server gap 8',
      'client gap 5',
      'client x',
      'server y',
      'client z',
      'closed end',
    ]);
  });

  it('a FIN does not overtake the gap before it', () => {
    const { words } = context(OPEN, [s(0, 'answer', { ack: 7 }), fin(s, 6, { ack: 7 }), fin(c, 7, { ack: 7 })]);
    expect(words.filter((w) => !w.startsWith('tcp.'))).toEqual([
      'open 1',
      'client gap 7',
      'server answer',
      'server fin',
      'client fin',
      'closed end',
    ]);
  });
});

describe('payload cut by the snap length', () => {
  const later = { ms: 10_000 };

  it('is a gap right after what was captured, once its grace is over', () => {
    const { steps, events } = context(OPEN, [c(0, 'abc', { missing: 4 }), c(7, 'h'), s(0, '', later)]);
    expect(steps.slice(3, 6)).toEqual([['client abc'], [], ['client gap 4', 'client h']]);
    expect(events.find((e) => e.kind === 'gap')).toMatchObject({ origin: { frame: 4 } });
  });

  it('is none where a copy has it', () => {
    const cut = [c(0, 'abc', { missing: 4 }), s(0, 'x', { ack: 7, missing: 1 })];
    const { client, server, words } = context(OPEN, [
      ...cut,
      c(0, 'abcdefg'),
      s(0, 'xy', { ack: 7 }),
      s(2, 'z', later),
    ]);
    expect([client, server, words.at(-1)]).toEqual(['abcdefg', 'xyz', 'closed end']);
    expect(words).not.toContain('tcp.gap');
  });

  it('does not make a hole before it a gap', () => {
    const { client } = context(OPEN, [c(3, 'd', { missing: 2 }), s(0, '', { ms: 6000 }), c(0, 'abc', { ms: 8000 })]);
    expect(client).toBe('abcd~~');
  });

  it('of one byte at the end is no FIN', () => {
    const { client } = context(OPEN, [c(0, 'abc', { missing: 1 }), s(0, '', { ack: 4, ms: 10 }), s(0, '', later)]);
    expect(client).toBe('abc~');
  });

  it('waits for a copy no more, once none came', () => {
    const cut = (at: number, ms: number) => c(at, 'a', { missing: 2, ms });
    const { steps } = context(OPEN, [cut(0, 10), cut(3, 2500), cut(6, 2501)]);
    expect(steps.slice(3, 6)).toEqual([
      ['client a'],
      ['client gap 2', 'client a', 'client gap 2'],
      ['client a', 'client gap 2'],
    ]);
  });

  it('keeps little waiting, and no limit is reached, where every packet is cut', () => {
    const text = 'x'.repeat(1000);
    const cut = Array.from({ length: 2000 }, (_, i) => c(i * 1400, text, { missing: 400, ms: 10 }));
    const { client, words } = context(OPEN, cut);
    expect(client.length).toBe(2000 * 1400);
    expect(words).not.toContain('limit.out-of-order');
  });

  it('of which nothing was captured is only a gap', () => {
    expect(context(OPEN, [c(0, '', { missing: 4 }), c(4, 'e')]).client).toBe('~~~~e');
  });

  it('keeps its place while it waits', () => {
    expect(context(OPEN, [c(2, 'cd', { missing: 2 }), c(6, 'g'), c(0, 'ab')]).client).toBe('abcd~~g');
  });

  it('counts for a FIN', () => {
    expect(context(OPEN, [c(0, 'ab', { missing: 2, flags: 1 })]).words.slice(1)).toEqual([
      'client ab',
      'client gap 2',
      'client fin',
      'closed end',
    ]);
  });

  it('is told of the packet, not of the connection', () => {
    const { words } = context(OPEN, [c(0, 'abc', { missing: 4 }), c(9, 'h'), s(0, '', { ack: 10, ms: 10_000 })]);
    expect(words.filter((word) => word.includes('gap'))).toEqual(['client gap 4', 'client gap 2', 'tcp.gap']);
  });
});

describe('gap notices', () => {
  it('are each reported with size and frame, then summed up', () => {
    const lost = Array.from({ length: 20 }, (_, i) => c(i * 3 + 2, 'a'));
    const said = context(OPEN, lost).events.filter((e) => e.kind === 'notice');
    expect(said.length).toBe(9);
    expect(said[0]).toMatchObject({ detail: '2 bytes from the client are not in the capture', origin: { frame: 4 } });
    expect(said[8].detail).toBe('12 more gaps with 24 bytes');
  });
});

describe('limits', () => {
  it('bytes behind a hole, by giving up the hole', () => {
    const limits = { outOfOrder: 2 * PIECE_COST + 8 };
    const { steps } = context(OPEN, [c(3, 'def'), c(6, 'ghi'), c(9, 'jkl')], { limits });
    expect(steps.slice(3, 6)).toEqual([
      [],
      [],
      ['limit.out-of-order', 'client gap 3', 'tcp.gap', 'client def', 'client ghi', 'client jkl'],
    ]);
  });

  it('bytes of all directions, by giving up the oldest', () => {
    const limits = { outOfOrderTotal: PIECE_COST + 8 };
    const tcp = tcpReassembler({ limits });
    const other = {
      key: 'x',
      reverseKey: 'y',
      source: { address: 'x', port: 9 },
      destination: { address: 'y', port: 8 },
    };
    const [first, second] = segmentsOf([c(3, 'def'), c(3, 'def')]);
    for (const segment of segmentsOf(OPEN)) tcp.feed(segment);
    for (const [i, segment] of segmentsOf([syn()]).entries()) tcp.feed({ ...segment, flow: other, seq: 1000 + i });
    tcp.feed(first);
    const out = tcp.feed({ ...second, flow: other });
    expect(out.map((e) => (e.kind === 'notice' ? e.code : e.kind))).toEqual([
      'limit.out-of-order',
      'gap',
      'tcp.gap',
      'data',
    ]);
    expect(out[3]).toMatchObject({ connection: { id: 1 } });
    expect(tcp.heldSince()).toBe(second.origin.time);
  });

  it('bytes that wait for the other direction', () => {
    const limits = { outOfOrder: PIECE_COST + 8 };
    const { steps } = context(OPEN, [s(0, 'one', { ack: 7 }), s(3, 'two', { ack: 7 })], { limits });
    // What was acknowledged is lost anyway: no limit took it.
    expect(steps[4]).toEqual(['client gap 7', 'tcp.gap', 'server one', 'server two']);
  });

  const flows = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      key: `c${i}`,
      reverseKey: `s${i}`,
      source: { address: 'c', port: 40_000 + i },
      destination: { address: 's', port: 80 },
    }));

  it('open connections, by ending the longest idle', () => {
    const tcp = tcpReassembler({ limits: { connections: 3 } });
    const [first, data] = segmentsOf([syn(), c(0, 'a')]);
    const out = flows(3).flatMap((flow) => [...tcp.feed({ ...first, flow })]);
    tcp.feed({ ...data, flow: flows(3)[0] });
    for (const flow of flows(5).slice(3)) out.push(...tcp.feed({ ...first, flow }));
    const closed = out.filter((e) => e.kind === 'closed').map((e) => [e.connection.id, e.reason]);
    expect(closed).toEqual([
      [2, 'idle'],
      [3, 'idle'],
    ]);
    expect(out.filter((e) => e.kind === 'notice').map((n) => n.code)).toEqual(['limit.connections']);
  });

  it('what was given up may send again: it is read like one that is older than the capture', () => {
    const tcp = tcpReassembler({ limits: { connections: 1 } });
    const [first, data] = segmentsOf([syn(), c(0, 'a')]);
    for (const flow of flows(2)) tcp.feed({ ...first, flow });
    const again = tcp.feed({ ...data, flow: flows(2)[0] });
    expect(again.map((e) => (e.kind === 'notice' ? e.code : e.kind))).toEqual([
      'established',
      'tcp.late-start',
      'closed',
      'data',
    ]);
  });

  it.each([
    [299_000, 0],
    [301_000, 1],
  ])('a connection without a segment for %i ms: %i closed', (ms, count) => {
    const tcp = tcpReassembler();
    const [first, late] = segmentsOf([syn(), c(0, '', { ms })]);
    const [idle, busy] = flows(2);
    tcp.feed({ ...first, flow: idle });
    tcp.feed({ ...first, flow: busy });
    const out = Array.from({ length: IDLE_LOOK }, () => tcp.feed({ ...late, flow: busy })).flat();
    const closed = out.filter((e) => e.kind === 'closed');
    expect(closed.map((e) => [e.connection.id, e.reason])).toEqual(Array(count).fill([1, 'idle']));
  });

  it.each([1, 31])('time stamps of %i segments that are an hour ahead: no connection is closed', (wrong) => {
    const tcp = tcpReassembler();
    const [first, ahead] = segmentsOf([syn(), c(0, '', { ms: 3_600_000 })]);
    const [idle, busy] = flows(2);
    tcp.feed({ ...first, flow: idle });
    const out = Array.from({ length: 3 * IDLE_LOOK }, (_, i) => {
      const isAhead = i % IDLE_LOOK >= IDLE_LOOK - 1 - wrong;
      return tcp.feed({ ...(isAhead ? ahead : first), flow: busy });
    }).flat();
    expect(out.filter((e) => e.kind === 'closed')).toEqual([]);
  });

  it('closed connections that are remembered', () => {
    const tcp = tcpReassembler({ limits: { closed: 2 } });
    const [open, reset, stray] = segmentsOf([syn(), rst(c, 0), c(0, 'x', { ms: 18_000 })]);
    for (const flow of flows(3)) for (const segment of [open, reset]) tcp.feed({ ...segment, flow });
    const opened = flows(3).map((flow) => tcp.feed({ ...stray, flow }).some((e) => e.kind === 'established'));
    expect(opened).toEqual([true, false, false]);
  });

  it.each([
    [299_000, false],
    [301_000, true],
  ])('a closed connection without a segment for %i ms: forgotten %s', (ms, forgotten) => {
    const tcp = tcpReassembler();
    const [open, reset, late] = segmentsOf([syn(), rst(c, 0), c(0, '', { ms: 10_000 })]);
    const [later, stray] = segmentsOf([c(0, '', { ms }), c(0, 'x', { ms })]);
    const [closed, heard, busy] = flows(3);
    for (const flow of [closed, heard]) for (const segment of [open, reset]) tcp.feed({ ...segment, flow });
    tcp.feed({ ...late, flow: heard });
    tcp.feed({ ...open, flow: busy });
    for (let i = 0; i < IDLE_LOOK; i += 1) tcp.feed({ ...later, flow: busy });
    const opens = (flow: Flow) => tcp.feed({ ...stray, flow }).some((e) => e.kind === 'established');
    expect([opens(closed), opens(heard)]).toEqual([forgotten, false]);
  });

  const far = (count: number) => {
    const segments = segmentsOf([...OPEN, ...Array.from({ length: count }, (_, i) => c(2 * i + 1, 'x'))]);
    return () => {
      const tcp = tcpReassembler();
      let bytes = 0;
      for (const segment of segments) for (const e of tcp.feed(segment)) if (e.kind === 'data') bytes += 1;
      const waiting = count - bytes;
      for (const e of tcp.end()) if (e.kind === 'data') bytes += 1;
      return { waiting, bytes };
    };
  };

  it('65,536 far-ahead bytes with a hole between any two stay bounded', () => {
    const large = far(65_536)();
    expect(large.bytes).toBe(65_536);
    expect(large.waiting).toBeLessThanOrEqual((1024 * 1024) / PIECE_COST);
  });

  measured('they cost linear time', () => {
    // Both sizes far beyond the limit: what is given up at it costs more than what may wait.
    expect(powerOf(far, 32_768)).toBeLessThan(LINEAR);
  });

  it('the same from far to near', () => {
    const drafts = Array.from({ length: 20_000 }, (_, i) => c(40_001 - 2 * i, 'x'));
    const { client, words } = context(OPEN, drafts);
    expect(words.filter((w) => w === 'limit.out-of-order').length).toBe(1);
    expect(client.length).toBeGreaterThan(4000);
  });
});

it('a clock that stands still does not hold a loss back for ever', () => {
  const acks = Array.from({ length: 10_001 }, () => s(0, '', { ack: 6, ms: 0 }));
  const { steps } = context(OPEN, [c(3, 'def', { ms: 0 }), ...acks]);
  expect(steps.at(-2)).toEqual(['client gap 3', 'tcp.gap', 'client def']);
});

it('time that goes backwards changes nothing', () => {
  const { client, words } = context(
    [syn({ ms: 18_000 }), synAck({ ms: 10_000 }), c(0, '', { ms: 2000 })],
    [c(2, 'cd', { ms: 50 }), s(0, '', { ack: 4, ms: 40 }), c(0, 'ab', { ms: 1 })],
  );
  expect([client, words.at(-1)]).toEqual(['abcd', 'closed end']);
});
