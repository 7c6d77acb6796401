// What each program heard last of an object, as far as it can matter: the newest event of each writer. Knows events by their
// numbers, and programs by theirs.

/** An event as its receiver heard it. */
export interface Heard {
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
  readonly source?: Source;
}

/** The watches of one process of one subject. */
export interface Source {
  /** Message that told all of it anew to a process that began anew; 0: none. What was heard before that does not count. */
  since: number;
}

/** By speaker id of the process that heard. Most heard of one writer. */
export type Hearers = Map<number, Heard | readonly Heard[]>;

/** An event reached a process. @param known null: nobody heard anything so far. @returns it, or what takes its place. */
export function remember(known: Hearers | null, process: number, heard: Heard): Hearers {
  const by: Hearers = known ?? new Map();
  const before = by.get(process);
  if (before === undefined) {
    if (by.size >= MAX_HEARERS) by.delete(by.keys().next().value as number);
    by.set(process, heard);
  } else by.set(process, newestFirst(heard, isOne(before) ? [before] : before));
  return by;
}

/** Did its process begin anew since? */
export function isOver({ seq, source }: Heard): boolean {
  return source !== undefined && seq < source.since;
}

/** What a process heard, the newest first; what it heard before it began anew, too. */
export function heardBy(known: Hearers | null | undefined, process: number): readonly Heard[] {
  const heard = known?.get(process);
  return heard === undefined ? NOTHING : isOne(heard) ? [heard] : heard;
}

/** Tells what all heard of one version. */
export function eachOfVersion(known: Hearers | null, version: number, tell: (heard: Heard) => void): void {
  for (const heard of known?.values() ?? [])
    for (const one of isOne(heard) ? [heard] : heard) if (one.version === version) tell(one);
}

/** One of each writer; whose writer is not known yet may be anybody's. */
function newestFirst(heard: Heard, before: readonly Heard[]): Heard | readonly Heard[] {
  const newest = [heard];
  for (const one of before) {
    const isOlder = newest.some(({ writer, seq }) => writer !== undefined && writer === one.writer && seq >= one.seq);
    if (!isOlder && newest.length < MAX_HEARD) newest.push(one);
  }
  return newest.length === 1 ? heard : newest;
}

function isOne(heard: Heard | readonly Heard[]): heard is Heard {
  return 'seq' in heard;
}

const NOTHING: readonly Heard[] = [];
/** Programs that hear of one object; all kubelets hear of a Service, and those that act on it are few. */
const MAX_HEARERS = 256;
/**
 * Events of one object that one program heard: two or three programs write one object; with two watches it hears each event twice,
 * and before it is known who wrote.
 */
const MAX_HEARD = 6;
