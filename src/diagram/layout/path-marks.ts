// Which messages of a diagram are on a critical path, and how many of that path are not drawn.

import type { Message } from '../../kubernetes/messages/message.js';

/** A message on a critical path. */
export interface PathMark {
  readonly seq: number;
  /** What the time before it went into, how long and which share of the whole; null: it is the first. */
  readonly words: string | null;
}

/** By number of the message; undefined: it is not on the path. */
export type PathMarks = ReadonlyMap<number, PathMark>;

export function marksOf(path: readonly PathMark[] = []): PathMarks {
  return new Map(path.map((mark) => [mark.seq, mark]));
}

/** A line for the last note; empty: all steps are drawn. */
export function undrawnSteps(marks: PathMarks, drawn: readonly Message[]): readonly string[] {
  const left = new Set([...marks.values()].filter(({ words }) => words !== null).map(({ seq }) => seq));
  for (const { seq } of drawn) left.delete(seq);
  if (left.size === 0) return [];
  return [`${left.size} ${left.size === 1 ? 'step' : 'steps'} of the path not drawn: kubeseq path has all`];
}
