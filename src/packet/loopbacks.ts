// Loopbacks of several hosts that are captured at once: their addresses are the same, and ports may be, too. Where captures
// are known to be of several hosts, or numbers of one do not go on from those of another, it is another host's connection, and
// gets a flow of its own. Knows flows, captures and numbers; no connections.
//
//   capture 1   ::1:52748 → ::1:6443   … 1000, 1100, 1200 …
//   capture 2   ::1:52748 → ::1:6443   … 88123, 88200 …          not the same: ::1:52748-::1:6443 (2)
//
// Captures of one host fit: two of one time hold the same packets, and one goes on where another ended.

import { isLoopback } from '../core/address.js';
import { NOTHING } from '../core/stage.js';
import { reversed } from './flows.js';
import { ACK, type Endpoint, FIN, type Flow, RST, type Segment, SYN } from './segment.js';

/** What is known of both directions between two ports. */
interface KnownFlow {
  /** Its ends have their host, where that is known. */
  readonly flow: Flow;
  /** The capture that a segment of it came from last. */
  capture: number;
  /** Number of its SYN, and the one that comes next, by direction; -1: not known. */
  readonly initial: [number, number];
  readonly next: [number, number];
  /** ns since the epoch. */
  last: bigint;
  fins: number;
  /** Flows of captures whose numbers do not fit. */
  readonly others: Map<number, Flow>;
}

export class LoopbackFlows {
  readonly #known = new Map<string, KnownFlow>();

  #hosts: readonly (string | null)[] = NOTHING;

  /** Before all segments: by capture, an address of its host; null: not known. */
  setHosts(hosts: readonly (string | null)[]): void {
    this.#hosts = hosts;
  }

  /** @returns the segment, with a flow of its own where it is another host's. */
  assign(segment: Segment): Segment {
    const { flow, origin } = segment;
    const { address } = flow.source;
    if (!isLoopback(address)) return segment;
    let known = this.#known.get(flow.key) ?? this.#known.get(flow.reverseKey);
    if (known === undefined) known = this.#open(flow, origin.capture, origin.time);
    const direction = known.flow.key === flow.key ? 0 : 1;
    if (known.capture !== origin.capture) {
      const other = known.others.get(origin.capture) ?? this.#otherOf(known, segment, direction);
      if (other !== null) return { ...segment, flow: direction === 0 ? other : (other.reverse as Flow) };
      known.capture = origin.capture;
    }
    follow(known, segment, direction);
    if (known.flow.source.host === undefined) return segment;
    return { ...segment, flow: direction === 0 ? known.flow : (known.flow.reverse as Flow) };
  }

  #open(flow: Flow, capture: number, time: bigint): KnownFlow {
    if (this.#known.size >= MAX_FLOWS) this.#known.delete(this.#known.keys().next().value as string);
    const host = this.#hosts[capture] ?? null;
    const own = host === null ? flow : flowOn(host, flow, '');
    const known: KnownFlow = {
      flow: own,
      capture,
      initial: [-1, -1],
      next: [-1, -1],
      last: time,
      fins: 0,
      others: new Map(),
    };
    this.#known.set(flow.key, known);
    return known;
  }

  /** The flow of another host's connection; null: the segment goes on from what is known, or that is over. */
  #otherOf(known: KnownFlow, segment: Segment, direction: 0 | 1): Flow | null {
    const { capture, time } = segment.origin;
    const [host, before] = [this.#hosts[capture] ?? null, this.#hosts[known.capture] ?? null];
    const areTwo = host !== null && before !== null && host !== before;
    const isOver = known.fins > 1 || time - known.last > IDLE_NS;
    if (!areTwo && (isOver || fits(known, segment, direction))) return null;
    const flow = flowOn(host, known.flow, ` (${capture})`);
    known.others.set(capture, flow);
    return flow;
  }
}

/** The same ports on another host. @param host null: nobody knows which. @param tail tells its keys from others. */
function flowOn(host: string | null, { key, reverseKey, source, destination }: Flow, tail: string): Flow {
  const on = ({ address, port }: Endpoint): Endpoint => (host === null ? { address, port } : { address, port, host });
  const flow: Flow = {
    key: `${key}${tail}`,
    reverseKey: `${reverseKey}${tail}`,
    source: on(source),
    destination: on(destination),
    note: undefined,
    reverse: undefined,
  };
  reversed(flow);
  return flow;
}

/** Namespaces of one kernel choose the same ports, and numbers that are near; but a SYN that comes again is the same. */
function fits({ initial, next }: KnownFlow, { seq, ack, flags }: Segment, direction: 0 | 1): boolean {
  if ((flags & SYN) !== 0 && next[direction] >= 0) return seq === initial[direction];
  const [own, peer] = direction === 0 ? next : [next[1], next[0]];
  return isNear(seq, own) && ((flags & ACK) === 0 || isNear(ack, peer));
}

function isNear(number: number, next: number): boolean {
  return next < 0 || Math.abs((number - next) | 0) < NEAR;
}

function follow(known: KnownFlow, { seq, flags, payload, missing, origin }: Segment, direction: 0 | 1): void {
  known.last = origin.time;
  if ((flags & SYN) !== 0 && (flags & ACK) === 0) {
    known.initial[1 - direction] = -1;
    known.next[1 - direction] = -1;
    known.fins = 0;
  }
  if ((flags & SYN) !== 0) known.initial[direction] = seq;
  if ((flags & RST) !== 0) known.fins = 2;
  else if ((flags & FIN) !== 0) known.fins += 1;
  known.next[direction] = (seq + payload.length + missing + ((flags & (SYN | FIN)) !== 0 ? 1 : 0)) >>> 0;
}

/** Loopback connections whose numbers are remembered; a host has some hundred. */
const MAX_FLOWS = 10_000;
/** Farther from each other than any window (RFC 7323: 1 GiB at most, some MiB in use), two numbers are of two connections. */
const NEAR = 64 * 1024 * 1024;
/** ns: ports of a connection that said nothing for so long may be used again. */
const IDLE_NS = 60_000_000_000n;
