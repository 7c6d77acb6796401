// Records which watch events each process received of an object: the newest event of each writer.

/** A watch event as one process received it. */
export interface Delivery {
  readonly seq: number;
  /** ms since the epoch. */
  readonly time: number;
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

/** By participant id of the receiving process. Most have deliveries of one writer. */
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
    if (by.size >= MAX_HEARERS) by.delete(by.keys().next().value as number);
    by.set(process, delivery);
  } else by.set(process, newestFirst(delivery, isOne(before) ? [before] : before));
  return by;
}

/** Whether the process relisted after the delivery. */
export function isSuperseded({ seq, source }: Delivery): boolean {
  return source !== undefined && seq < source.relistedAt;
}

/** The deliveries to a process, the newest first, superseded ones too. */
export function deliveriesTo(known: DeliveriesByProcess | null | undefined, process: number): readonly Delivery[] {
  const delivery = known?.get(process);
  return delivery === undefined ? NOTHING : isOne(delivery) ? [delivery] : delivery;
}

/** Calls back with each delivery of one version. */
export function eachOfVersion(
  known: DeliveriesByProcess | null,
  version: number,
  tell: (delivery: Delivery) => void,
): void {
  for (const delivery of known?.values() ?? [])
    for (const one of isOne(delivery) ? [delivery] : delivery) if (one.version === version) tell(one);
}

function newestFirst(delivery: Delivery, before: readonly Delivery[]): Delivery | readonly Delivery[] {
  return [delivery, ...before.slice(0, MAX_HEARD - 1)];
}

function isOne(delivery: Delivery | readonly Delivery[]): delivery is Delivery {
  return 'seq' in delivery;
}

const NOTHING: readonly Delivery[] = [];
/** Limit: processes that receive events of one object, the first is dropped first; few of those that watch Services act on them. */
const MAX_HEARERS = 256;
/**
 * Limit: deliveries of one object to one process, of different writers: two or three programs write one object; with two watches each
 * event is delivered twice, and before its writer is known.
 */
const MAX_HEARD = 16;
