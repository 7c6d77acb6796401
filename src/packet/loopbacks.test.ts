import { beforeEach, describe, expect, it } from 'vitest';
import { LoopbackFlows } from './loopbacks.js';
import { ACK, FIN, type Flow, RST, type Segment, SYN } from './segment.js';

const CLIENT = { address: '::1', port: 52_748 };
const SERVER = { address: '::1', port: 6443 };
const THERE: Flow = { key: 'c-s', reverseKey: 's-c', source: CLIENT, destination: SERVER };
const BACK: Flow = { key: 's-c', reverseKey: 'c-s', source: SERVER, destination: CLIENT };
const MS = 1_000_000n;

interface Given {
  readonly capture?: number;
  readonly ms?: number;
  readonly flags?: number;
  readonly ack?: number;
  readonly length?: number;
  readonly flow?: Flow;
}

function segment(seq: number, given: Given = {}): Segment {
  const { capture = 0, ms = 0, flags = ACK, ack = 0, length = 10, flow = THERE } = given;
  const origin = { capture, frame: 1, time: BigInt(ms) * MS };
  return { kind: 'segment', origin, flow, seq, ack, flags, payload: new Uint8Array(length), missing: 0 };
}

let loopbacks = new LoopbackFlows();
beforeEach(() => {
  loopbacks = new LoopbackFlows();
});
const keyOf = (one: Segment): string => loopbacks.assign(one).flow.key;

/** SYN and SYN-ACK of a connection. */
function begin(capture: number, client: number, server: number, ms = 0): string[] {
  return [
    keyOf(segment(client, { capture, ms, flags: SYN, length: 0 })),
    keyOf(segment(server, { capture, ms, flags: SYN | ACK, ack: client + 1, length: 0, flow: BACK })),
  ];
}

describe('two hosts', () => {
  it.each([
    ['far', 3_000_000_000, 2_000_000_000],
    // Measured between namespaces of one kernel: 2,056 and 1,479 apart.
    ['near', 1_243_033_897, 886_014_558],
  ])('with the same ports at the same time have flows of their own: numbers that are %s', (_, client, server) => {
    expect(begin(0, 1_243_031_841, 886_013_079)).toEqual(['c-s', 's-c']);
    expect(begin(1, client, server)).toEqual(['c-s (1)', 's-c (1)']);
    expect(keyOf(segment(1_243_031_842, { ack: 886_013_080 }))).toBe('c-s');
    const other = loopbacks.assign(segment(server + 1, { capture: 1, ack: client + 1, flow: BACK })).flow;
    expect(other).toMatchObject({ key: 's-c (1)', reverseKey: 'c-s (1)', source: SERVER, destination: CLIENT });
    expect(other.reverse?.reverse).toBe(other);
  });

  it('whose connections are older than the capture', () => {
    keyOf(segment(1000, { ack: 5000 }));
    keyOf(segment(5000, { ack: 1010, flow: BACK }));
    expect(keyOf(segment(3_000_000_000, { capture: 1, ack: 5000 }))).toBe('c-s (1)');
    expect(keyOf(segment(1010, { ack: 5010 }))).toBe('c-s');
  });
});

describe('hosts that are known', () => {
  const [one, other] = ['192.0.2.11', '192.0.2.12'];
  const hostsOf = ({ flow: { source, destination } }: Segment) => [source.host, destination.host];

  it('are on the endpoints of their loopback connections', () => {
    loopbacks.setHosts([one, other]);
    const [first, second] = [0, 1].map((capture) => loopbacks.assign(segment(1000, { capture, flags: SYN })));
    expect([first.flow.key, second.flow.key]).toEqual(['c-s', 'c-s (1)']);
    expect([hostsOf(first), hostsOf(second)]).toEqual([
      [one, one],
      [other, other],
    ]);
    expect(first.flow.source).toEqual({ ...CLIENT, host: one });
    const back = loopbacks.assign(segment(5000, { capture: 0, flags: SYN | ACK, ack: 1001, flow: BACK }));
    expect(back.flow).toBe(first.flow.reverse);
    expect(loopbacks.assign(segment(1011)).flow).toBe(first.flow);
  });

  it('are separated whatever the numbers; captures of one host are not', () => {
    loopbacks.setHosts([one, one, other]);
    expect(begin(0, 1000, 5000)).toEqual(['c-s', 's-c']);
    expect(begin(1, 1000, 5000)).toEqual(['c-s', 's-c']);
    expect(begin(2, 1000, 5000)).toEqual(['c-s (2)', 's-c (2)']);
  });

  it('do not affect unknown ones', () => {
    loopbacks.setHosts([null, other]);
    expect(hostsOf(loopbacks.assign(segment(1000, { flags: SYN })))).toEqual([undefined, undefined]);
    expect(loopbacks.assign(segment(1000, { flags: SYN })).flow).toBe(THERE);
    const far = loopbacks.assign(segment(3_000_000_000, { capture: 1, ack: 9 }));
    expect([far.flow.key, ...hostsOf(far)]).toEqual(['c-s (1)', other, other]);
  });
});

describe('one host', () => {
  it('captured twice', () => {
    begin(0, 1000, 5000);
    expect(begin(1, 1000, 5000)).toEqual(['c-s', 's-c']);
    expect(keyOf(segment(1001, { ack: 5001 }))).toBe('c-s');
    // What one of them missed.
    expect(keyOf(segment(1011, { capture: 1, ack: 5001 }))).toBe('c-s');
    expect(keyOf(segment(1021, { ack: 5001 }))).toBe('c-s');
  });

  it('captured in pieces, one after the other', () => {
    begin(0, 1000, 5000);
    expect(keyOf(segment(1001, { ack: 5001, ms: 10 }))).toBe('c-s');
    expect(keyOf(segment(1011, { capture: 1, ack: 5001, ms: 20 }))).toBe('c-s');
    expect(keyOf(segment(5001, { capture: 1, ack: 1021, ms: 30, flow: BACK }))).toBe('s-c');
  });

  it.each([
    ['both sides ended', [FIN | ACK, FIN | ACK], 10],
    ['it was reset', [RST], 10],
    ['a minute of silence', [], 60_001],
  ])('that uses a port again: %s', (_, flags, ms) => {
    begin(0, 1000, 5000);
    flags.forEach((flag, i) => {
      keyOf(
        segment(i === 0 ? 1001 : 5001, {
          flags: flag,
          ack: i === 0 ? 5001 : 1002,
          length: 0,
          flow: i === 0 ? THERE : BACK,
        }),
      );
    });
    expect(begin(1, 3_000_000_000, 2_000_000_000, ms)).toEqual(['c-s', 's-c']);
  });

  it('that uses a port again within a capture', () => {
    begin(0, 1000, 5000);
    expect(begin(0, 3_000_000_000, 2_000_000_000)).toEqual(['c-s', 's-c']);
  });
});

it('other addresses are one host’s', () => {
  const flow = {
    ...THERE,
    source: { address: '192.0.2.10', port: 1 },
    destination: { address: '192.0.2.11', port: 2 },
  };
  loopbacks.assign(segment(1000, { flow }));
  const elsewhere = segment(3_000_000_000, { flow, capture: 1 });
  expect(loopbacks.assign(elsewhere)).toBe(elsewhere);
});
