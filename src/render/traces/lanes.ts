// Gives slices that overlap in time lanes of their own: slices of one thread must lie beside or within each other.

/** What the slices of a lane are, from top to bottom. Watches stand alone, as they last. */
export const LANE_KINDS = ['sends', 'receives', 'events', 'watches', 'serves watches'] as const;

export type LaneKind = (typeof LANE_KINDS)[number];

/** A thread in the trace. */
export interface Lane {
  /** Unique in the trace, also among the lanes of other processes. */
  readonly id: number;
  /** The process that its participant is in the trace. */
  readonly pid: number;
  readonly kind: LaneKind;
  /** From 1, among those of its process and kind. */
  readonly number: number;
  /** ns since the first frame: where its last slice ends. */
  end: number;
}

interface FreeLanes {
  readonly lanes: Lane[];
  /** How many there are, free or not. */
  count: number;
}

export class LaneAllocator {
  readonly #all: Lane[] = [];
  readonly #free = new Map<string, FreeLanes>();

  /** @param start ns since the first frame. @returns a lane without a slice at that time; its caller releases it. */
  take(pid: number, kind: LaneKind, start: number): Lane {
    const free = this.#freeOf(pid, kind);
    let best = -1;
    // Slices that began before others have ended came late: another lane may be free for them.
    for (let i = Math.max(0, free.lanes.length - MAX_TRIED); i < free.lanes.length; i++) {
      const { end, number } = free.lanes[i];
      if (end <= start && (best < 0 || number < free.lanes[best].number)) best = i;
    }
    if (best >= 0) return free.lanes.splice(best, 1)[0];
    const lane: Lane = { id: this.#all.length + 1, pid, kind, number: ++free.count, end: 0 };
    this.#all.push(lane);
    return lane;
  }

  /** @param end ns since the first frame: where its slice ends. */
  release(lane: Lane, end: number): void {
    lane.end = end;
    this.#freeOf(lane.pid, lane.kind).lanes.push(lane);
  }

  #freeOf(pid: number, kind: LaneKind): FreeLanes {
    const key = `${pid} ${kind}`;
    const known = this.#free.get(key);
    if (known !== undefined) return known;
    const none = { lanes: [], count: 0 };
    this.#free.set(key, none);
    return none;
  }

  all(): readonly Lane[] {
    return this.#all;
  }
}

/** Limit: free lanes that are tried for a slice, before it gets a new one: their number would cost as much as all else. */
const MAX_TRIED = 32;
