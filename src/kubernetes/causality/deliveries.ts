// Records which watch events each process received of an object: the newest event of each writer.

/** An event as its receiver heard it. */
export interface Delivery {
  readonly seq: number;
  /** Speaker id of who made the change; undefined while unknown. */
  writer: number | undefined;
  /** It tells of a status, which programs write from time to time whatever happens. */
  ofStatus?: boolean;
  /** A delete was carried out by which the object is still there: it waits for its finalizers, or for its time to stop. */
  ofDelete?: boolean;
  /** Of the object that it is about. */
  readonly resource?: string;
  /** The resourceVersion that it told. */
  readonly version?: number;
  /** Through which watches it came; undefined: that is not known. */
  readonly source?: Reflector;
}

/** The watches of one process of one subject. */
export interface Reflector {
  /** Message that told all of it anew to a process that began anew; 0: none. What was heard before that does not count. */
  relistedAt: number;
}

/** By speaker id of the process that heard. Most heard of one writer. */
export type DeliveriesByProcess = Map<number, Delivery | readonly Delivery[]>;

/** An event reached a process. @param known null: nobody heard anything so far. @returns it, or what takes its place. */
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

/** Did its process begin anew since? */
export function isSuperseded({ seq, source }: Delivery): boolean {
  return source !== undefined && seq < source.relistedAt;
}

/** What a process heard, the newest first; what it heard before it began anew, too. */
export function deliveriesTo(known: DeliveriesByProcess | null | undefined, process: number): readonly Delivery[] {
  const delivery = known?.get(process);
  return delivery === undefined ? NOTHING : isOne(delivery) ? [delivery] : delivery;
}

/** Tells what all heard of one version. */
export function eachOfVersion(
  known: DeliveriesByProcess | null,
  version: number,
  tell: (delivery: Delivery) => void,
): void {
  for (const delivery of known?.values() ?? [])
    for (const one of isOne(delivery) ? [delivery] : delivery) if (one.version === version) tell(one);
}

/** One of each writer; whose writer is not known yet may be anybody's. */
function newestFirst(delivery: Delivery, before: readonly Delivery[]): Delivery | readonly Delivery[] {
  const newest = [delivery];
  for (const one of before) {
    const isOlder = newest.some(({ writer, seq }) => writer !== undefined && writer === one.writer && seq >= one.seq);
    if (!isOlder && newest.length < MAX_HEARD) newest.push(one);
  }
  return newest.length === 1 ? delivery : newest;
}

function isOne(delivery: Delivery | readonly Delivery[]): delivery is Delivery {
  return 'seq' in delivery;
}

const NOTHING: readonly Delivery[] = [];
/** Programs that hear of one object; all kubelets hear of a Service, and those that act on it are few. */
const MAX_HEARERS = 256;
/**
 * Events of one object that one program heard: two or three programs write one object; with two watches it hears each event twice,
 * and before it is known who wrote.
 */
const MAX_HEARD = 6;
