// Gives slices that overlap in time lanes of their own: slices of one thread must lie beside or within each other.

/** What the slices of a lane are: what its participant sends, receives, or is notified of. */
export type LaneKind = 'sends' | 'receives' | 'events';

/** A thread in the trace. */
export interface Lane {
  /** Unique in the trace, also among the lanes of other participants. */
  readonly id: number;
  readonly participant: number;
  readonly kind: LaneKind;
  /** From 1, among those of its participant and kind. */
  readonly number: number;
  /** ns since the first frame: where its last slice ends. */
  end: number;
}

export class Lanes {
  readonly #all: Lane[] = [];
  readonly #free = new Map<string, { readonly lanes: Lane[]; count: number }>();

  /** @param start ns since the first frame. @returns a lane without a slice at that time; its caller releases it. */
  take(participant: number, kind: LaneKind, start: number): Lane {
    const key = `${participant} ${kind}`;
    let free = this.#free.get(key);
    if (free === undefined) this.#free.set(key, (free = { lanes: [], count: 0 }));
    let best = -1;
    // Slices that began before others have ended came late: another lane may be free for them.
    for (let i = Math.max(0, free.lanes.length - MAX_TRIED); i < free.lanes.length; i++) {
      const { end, number } = free.lanes[i];
      if (end <= start && (best < 0 || number < free.lanes[best].number)) best = i;
    }
    if (best >= 0) return free.lanes.splice(best, 1)[0];
    const lane: Lane = { id: this.#all.length + 1, participant, kind, number: ++free.count, end: 0 };
    this.#all.push(lane);
    return lane;
  }

  /** @param end ns since the first frame: where its slice ends. */
  release(lane: Lane, end: number): void {
    lane.end = end;
    this.#free.get(`${lane.participant} ${lane.kind}`)?.lanes.push(lane);
  }

  all(): readonly Lane[] {
    return this.#all;
  }
}

/** Limit: free lanes that are tried for a slice, before it gets a new one: their number would cost as much as all else. */
const MAX_TRIED = 32;
