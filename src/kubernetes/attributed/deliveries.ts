// Records the last watch events of an object that each process received.

/** A watch event as one process received it. */
export interface Delivery {
  readonly seq: number;
  /** ms since the epoch. */
  readonly time: number;
  /** Participant id of the receiver, under which it is recorded. */
  readonly receiver?: number;
  /** Participant id of the writer of the change; undefined while unknown. */
  writer: number | undefined;
  /** Of a status update, which programs also write periodically. */
  ofStatus?: boolean;
  /** Of a delete after which the object still exists: it waits for finalizers or for its grace period. */
  ofDelete?: boolean;
  /** The object is new, its deletion is requested since this version, or it is gone; undefined: another change. */
  readonly transition?: 'added' | 'terminating' | 'removed';
  /** Resource of the event's object. */
  readonly resource?: string;
  /** The object's resourceVersion. */
  readonly version?: number;
  /** The reflector that received it; undefined: not known. */
  readonly source?: Reflector;
}

/** The watches of one process on one scope. */
export interface Reflector {
  /** `seq` of the list response after the process relisted; 0 if it never did. Earlier deliveries do not count. */
  relistedAt: number;
}

/** By participant id of the receiving process; a single delivery, of which there are most, is kept without a list. */
export type DeliveriesByProcess = Map<number, Delivery | readonly Delivery[]>;

/** Records a delivery to a process. @param known null: none so far. @returns `known`, or what takes its place. */
export function recordDelivery(
  known: DeliveriesByProcess | null,
  process: number,
  delivery: Delivery,
): DeliveriesByProcess {
  const by: DeliveriesByProcess = known ?? new Map();
  const before = by.get(process);
  if (before === undefined) {
    if (by.size >= MAX_PROCESSES) by.delete(by.keys().next().value as number);
    by.set(process, delivery);
  } else by.set(process, [delivery, ...(isOne(before) ? [before] : before.slice(0, MAX_DELIVERIES - 1))]);
  return by;
}

/** Whether the process relisted after the delivery. */
export function isSuperseded({ seq, source }: Delivery): boolean {
  return source !== undefined && seq < source.relistedAt;
}

/**
 * The deliveries to a process, the newest first, superseded ones too.
 * @param process its participant ids: also those of its connections that it was identified on after they had received something.
 */
export function deliveriesTo(
  known: DeliveriesByProcess | null | undefined,
  process: readonly number[],
): readonly Delivery[] {
  if (known == null) return NOTHING;
  let found = NOTHING;
  for (const id of process) {
    const delivery = known.get(id);
    if (delivery === undefined) continue;
    const more = isOne(delivery) ? [delivery] : delivery;
    found = found === NOTHING ? more : [...found, ...more].sort((a, b) => b.seq - a.seq);
  }
  return found;
}

/** Calls back with each delivery of one version. */
export function eachOfVersion(
  known: DeliveriesByProcess | null,
  version: number,
  callback: (delivery: Delivery) => void,
): void {
  if (known === null) return;
  for (const delivery of known.values()) {
    if (!isOne(delivery)) {
      for (const one of delivery) if (one.version === version) callback(one);
    } else if (delivery.version === version) callback(delivery);
  }
}

/** @param isDeletion whether the event is the first to show that deletion was requested. */
export function transitionOf(type: string | undefined, isDeletion: boolean): Delivery['transition'] {
  if (type === 'DELETED') return 'removed';
  return isDeletion ? 'terminating' : type === 'ADDED' ? 'added' : undefined;
}

function isOne(delivery: Delivery | readonly Delivery[]): delivery is Delivery {
  return !Array.isArray(delivery);
}

const NOTHING: readonly Delivery[] = [];
/** Limit: processes that receive events of one object, the first is dropped first; few of those that watch Services act on them. */
const MAX_PROCESSES = 256;
/**
 * Limit: deliveries of one object, or of what it owns, to one process: those of the turn that goes on and of the one before; with two
 * watches each event is delivered twice.
 */
const MAX_DELIVERIES = 16;
