// Which messages of a diagram are on a critical path, and how many of that path are not drawn.

import { elapsedText } from '../../core/duration.js';
import { counted } from '../../core/quantity.js';
import type { Message } from '../../kubernetes/messages/message.js';

/** A message on a critical path. */
export interface PathMark {
  readonly seq: number;
  /** What the time before it went into; null: it is the first message of its path. */
  readonly leg: MarkedLeg | null;
  /** Of the first message: which path begins, `pods default/nginx: Ready after 1.4 s`. */
  readonly head: string | null;
}

export interface MarkedLeg {
  /** ns. */
  readonly duration: bigint;
  /** Percent of the whole path. */
  readonly share: number;
  /** Who did what. */
  readonly what: string;
}

/** By number of the message; undefined: it is not on the path. */
export type PathMarks = ReadonlyMap<number, PathMark>;

export function marksOf(path: readonly PathMark[] = []): PathMarks {
  return new Map(path.map((mark) => [mark.seq, mark]));
}

/** `561 ms, 40 %: kubelet (node-1) sets up volumes, the sandbox and its network`. */
export function legWords({ duration, share, what }: MarkedLeg): string {
  return `${elapsedText(duration)}, ${share.toFixed(0)} %: ${what}`;
}

/** A line for the last note; empty: all steps are drawn. */
export function undrawnSteps(marks: PathMarks, drawn: readonly Message[]): readonly string[] {
  const left = new Set([...marks.values()].filter(({ leg }) => leg !== null).map(({ seq }) => seq));
  for (const { seq } of drawn) left.delete(seq);
  if (left.size === 0) return [];
  return [`${counted(left.size, 'step')} of the path not drawn: kubeseq path has all`];
}
