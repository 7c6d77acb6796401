// The mark of a spooled message: the reason for which it is folded if no diagram needs it. Who seems to be a person may turn out to
// be a program later, so there are two reasons, a byte each.

import { FOLD_REASONS, type FoldReason } from '../disposition.js';

/** @param ofPerson if a person sends or receives it in the end. @param ofProgram if not. */
export function foldMark(ofPerson: FoldReason, ofProgram: FoldReason = ofPerson): number {
  return NUMBERS[ofPerson] | (NUMBERS[ofProgram] << 8);
}

export function foldReasonIn(mark: number, isOfPerson: boolean): FoldReason {
  return FOLD_REASONS[isOfPerson ? mark & 0xff : mark >> 8];
}

/** Is it a message of a layer that is not drawn? */
export function isOfLayer(mark: number): boolean {
  return OF_LAYERS[mark & 0xff];
}

const NUMBERS = Object.fromEntries(FOLD_REASONS.map((reason, i) => [reason, i])) as Readonly<
  Record<FoldReason, number>
>;
const OF_LAYERS: readonly boolean[] = FOLD_REASONS.map((reason) => reason.startsWith('layer-'));
