// Separates the loopback connections of several hosts, which have the same addresses and may have the same ports. If the captures
// are of different hosts, or the sequence numbers of one do not continue those of the other, the connection gets a flow of its own.
//
//   capture 1   ::1:52748 → ::1:6443   … 1000, 1100, 1200 …
//   capture 2   ::1:52748 → ::1:6443   … 88123, 88200 …          another host: ::1:52748-::1:6443 (2)
//
// Captures of one host are consistent: simultaneous ones have the same packets, and a later one continues where another ended.

import { isLoopback } from '../core/address.js';
import { RecentMap } from '../core/collections/bounded.js';
import { NOTHING } from '../core/stage.js';
import { reversed } from './flows.js';
import { ACK, type Endpoint, FIN, type Flow, RST, type Segment, SYN } from './segment.js';

/** State of both directions between two ports. */
interface LoopbackFlow {
  /** Its endpoints have their host, if that is known. */
  readonly flow: Flow;
  /** Capture of the latest segment. */
  capture: number;
  /** Sequence number of the SYN, and the next one, by direction; -1 if unknown. */
  readonly initial: [number, number];
  readonly next: [number, number];
  /** ns since the epoch: time of the latest segment. */
  last: bigint;
  fins: number;
  /** Flows of captures with other sequence numbers. */
  readonly others: Map<number, Flow>;
}

export class LoopbackFlows {
  readonly #flows = new RecentMap<string, LoopbackFlow>(MAX_FLOWS);
  #hosts: readonly (string | null)[] = NOTHING;

  /** Called before all segments. @param hosts an address of the host of each capture; null if unknown. */
  setHosts(hosts: readonly (string | null)[]): void {
    this.#hosts = hosts;
  }

  /** @returns the segment, with another flow if it is of another host. */
  assign(segment: Segment): Segment {
    const { flow, origin } = segment;
    const { address } = flow.source;
    if (!isLoopback(address)) return segment;
    let state = this.#flows.get(flow.key) ?? this.#flows.get(flow.reverseKey);
    if (state === undefined) state = this.#open(flow, origin.capture, origin.time);
    const direction = state.flow.key === flow.key ? 0 : 1;
    if (state.capture !== origin.capture) {
      const other = state.others.get(origin.capture) ?? this.#otherFlow(state, segment, direction);
      if (other !== null) return { ...segment, flow: direction === 0 ? other : (other.reverse as Flow) };
      state.capture = origin.capture;
    }
    update(state, segment, direction);
    if (state.flow.source.host === undefined) return segment;
    return { ...segment, flow: direction === 0 ? state.flow : (state.flow.reverse as Flow) };
  }

  #open(flow: Flow, capture: number, last: bigint): LoopbackFlow {
    const host = this.#hosts[capture] ?? null;
    const own = host === null ? flow : flowOn(host, flow, '');
    const state: LoopbackFlow = {
      flow: own,
      capture,
      initial: [-1, -1],
      next: [-1, -1],
      last,
      fins: 0,
      others: new Map(),
    };
    this.#flows.set(flow.key, state);
    return state;
  }

  /** The flow of another host's connection; null if the segment continues this one, or this one has ended. */
  #otherFlow(state: LoopbackFlow, segment: Segment, direction: 0 | 1): Flow | null {
    const { capture, time } = segment.origin;
    const [host, before] = [this.#hosts[capture] ?? null, this.#hosts[state.capture] ?? null];
    const areDifferent = host !== null && before !== null && host !== before;
    const hasEnded = state.fins > 1 || time - state.last > IDLE_NS;
    if (!areDifferent && (hasEnded || continues(state, segment, direction))) return null;
    const flow = flowOn(host, state.flow, ` (${capture})`);
    state.others.set(capture, flow);
    return flow;
  }
}

/** The same ports on another host. @param host null if unknown. @param tail distinguishes its keys from others. */
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
  // Each of the two then has the other as its reverse.
  reversed(flow);
  return flow;
}

/**
 * Whether a segment continues the connection. Network namespaces of one kernel choose the same ports and near sequence numbers, so that of
 * a SYN only an equal number does, as a retransmitted one has.
 */
function continues({ initial, next }: LoopbackFlow, { seq, ack, flags }: Segment, direction: 0 | 1): boolean {
  if ((flags & SYN) !== 0 && next[direction] >= 0) return seq === initial[direction];
  const [own, peer] = direction === 0 ? next : [next[1], next[0]];
  return isNear(seq, own) && ((flags & ACK) === 0 || isNear(ack, peer));
}

function isNear(number: number, next: number): boolean {
  return next < 0 || Math.abs((number - next) | 0) < NEAR;
}

function update(state: LoopbackFlow, { seq, flags, payload, missing, origin }: Segment, direction: 0 | 1): void {
  state.last = origin.time;
  if ((flags & SYN) !== 0 && (flags & ACK) === 0) {
    // A new connection: what the peer counts from is not known yet.
    state.initial[1 - direction] = -1;
    state.next[1 - direction] = -1;
    state.fins = 0;
  }
  if ((flags & SYN) !== 0) state.initial[direction] = seq;
  if ((flags & RST) !== 0) state.fins = 2;
  else if ((flags & FIN) !== 0) state.fins += 1;
  state.next[direction] = (seq + payload.length + missing + ((flags & (SYN | FIN)) !== 0 ? 1 : 0)) >>> 0;
}

/** Limit: loopback connections whose sequence numbers are remembered, to distinguish those of several hosts; a host has some hundred. */
const MAX_FLOWS = 10_000;
/** Limit in bytes: sequence numbers farther apart than any window (RFC 7323: 1 GiB at most, some MiB in use) are of two connections. */
const NEAR = 64 * 1024 * 1024;
/** Limit in ns: quiet time after which a loopback's ports may have been reused. */
const IDLE_NS = 60_000_000_000n;
