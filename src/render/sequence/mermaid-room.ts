// How much room notes have: mermaid puts neighbours as far from each other as the longest label between them needs, and a note
// over several is as wide as their distance; longer lines stand over its edges. Estimated in characters. Knows labels as they
// are broken into lines; mermaid's measure is pixels (packages/mermaid/src/diagrams/sequence/sequenceRenderer.ts).

import { type Arrow, arrowsOf, legsOf, type Note, type Sequence } from '../../diagram/model.js';
import { labelLines } from '../escape/mermaid-escape.js';

export interface Room {
  /** Characters of a line in a note. */
  of(note: Note): number;
}

export function distancesOf({ participants, steps }: Sequence): Room {
  const places = new Map(participants.map(({ id }, i) => [id, i]));
  const distances = participants.map(() => NEIGHBOURS);
  const fromLeft = (...ids: readonly string[]): number[] => ids.map((id) => places.get(id) ?? 0).sort((a, b) => a - b);
  const widen = ({ from, to, message }: Arrow): void => {
    const [left, right] = fromLeft(from, to);
    if (right - left !== 1) return;
    for (const line of labelLines(message.label)) distances[left] = Math.max(distances[left], line.length + MARGIN);
  };
  for (const arrow of arrowsOf(steps)) for (const leg of legsOf(arrow)) widen(leg);
  return {
    of({ over }) {
      const [left, right = left] = fromLeft(...over);
      // A note over one of them makes room for itself.
      if (left === right) return Number.POSITIVE_INFINITY;
      return Math.max(
        NARROWEST,
        distances.slice(left, right).reduce((sum, one) => sum + one, 0),
      );
    },
  };
}

/** Two whose boxes are 150 pixels wide and 50 apart, with letters of some 7 pixels. */
const NEIGHBOURS = 28;
/** Beside the longest label. */
const MARGIN = 2;
/** Narrower notes are higher than they are wide. */
const NARROWEST = 48;
