// Makes a sequence fit a slide: narrow labels, and a closing note only about what is missing.

import type { Sequence } from '../model.js';
import { closingLines, closingSteps, coverageLines } from '../notes/closing-note.js';

/** @returns the same arrows. What the note would have said of messages that are not drawn is a remark. */
export function forTalk(sequence: Sequence): Sequence {
  const { participants, coverage } = sequence;
  const talk = { ...sequence, labelWidth: TALK_WIDTH };
  if (participants.length === 0) return talk;
  const steps = sequence.steps.filter((step) => step.kind !== 'note' || step.isClosing !== true);
  const isWhole = coverage.failed.length === 0 && coverage.missing.length === 0;
  if (isWhole)
    return { ...talk, steps, closing: [], remarks: [...(sequence.remarks ?? []), ...coverageLines(coverage)] };
  const closing = closingLines({ ...coverage, delivered: [], folded: {}, foldedFailures: {}, others: [] });
  const [first, last] = [participants[0].id, participants[participants.length - 1].id];
  return { ...talk, steps: [...steps, ...closingSteps(closing, first === last ? [first] : [first, last])], closing };
}

/** Characters of a line of a label: what fits between neighbours that mermaid places as near as it can, 200 pixels. */
const TALK_WIDTH = 25;
