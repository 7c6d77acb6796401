// Draws a group of similar objects: as a loop around the steps of the drawn one where these stand together, otherwise
// as a note at its first step.

import { smallestOf } from '../../core/collections/many.js';
import { type Arrow, arrowsOf, type Note, type Step } from '../model.js';
import type { FoldGroup } from './similar-objects.js';

/** @param noteAt creates a note over the two ends of an arrow. */
export function drawFoldGroups(
  steps: readonly Step[],
  groups: readonly FoldGroup[],
  noteAt: (arrow: Arrow, line: string) => Note,
): readonly Step[] {
  if (groups.length === 0) return steps;
  const places = new Map<number, number>();
  steps.forEach((step, at) => {
    for (const { message } of arrowsOf([step])) if (!places.has(message.exchange)) places.set(message.exchange, at);
  });
  const notes = new Map<number, Note[]>();
  const loops = new Map<number, { readonly end: number; readonly group: FoldGroup }>();
  for (const group of groups) {
    const first = smallestOf(group.requests.map((request) => places.get(request.exchange) ?? Infinity));
    if (first === Infinity) continue;
    const range = rangeOf(steps, first, group);
    if (range !== null) loops.set(range.begin, { end: range.end, group });
    else {
      const note = noteAt(arrowsOf([steps[first]])[0], group.sentence);
      notes.set(first, [...(notes.get(first) ?? []), note]);
    }
  }
  const shown: Step[] = [];
  for (let at = 0; at < steps.length; at++) {
    const loop = loops.get(at);
    if (loop === undefined) shown.push(steps[at], ...(notes.get(at) ?? []));
    else {
      const { times, title } = loop.group;
      shown.push({ kind: 'loop', times, title, steps: steps.slice(at, loop.end) });
      at = loop.end - 1;
    }
  }
  return shown;
}

/** The range that contains all steps of a group and no other; null: there is none. */
function rangeOf(steps: readonly Step[], first: number, group: FoldGroup): { begin: number; end: number } | null {
  const isPart = partOf(group);
  let begin = first;
  while (begin > 0 && isPart(steps[begin - 1])) begin -= 1;
  let end = first;
  while (end < steps.length && (steps[end].kind === 'note' || isPart(steps[end]))) end += 1;
  const inside = arrowsOf(steps.slice(begin, end));
  const drawn = new Set(inside.map(({ message }) => message.exchange));
  const isWhole = group.requests.every((request) => drawn.has(request.exchange));
  return isWhole && isClosed(inside) ? { begin, end } : null;
}

/** Tests whether a step belongs to a group: its exchanges, the events that triggered them, and requests of other protocols that carry them out. */
function partOf({ requests }: FoldGroup): (step: Step) => boolean {
  const exchanges = new Set(requests.map((request) => request.exchange));
  const seqs = new Set(requests.map((request) => request.seq));
  const triggers = new Set(requests.map((request) => request.causedBy));
  const isPart = ({ message }: Arrow): boolean => {
    if (exchanges.has(message.exchange)) return true;
    if (message.kind === 'event') return triggers.has(message.seq);
    if (message.protocol === 'kubernetes' || !seqs.has(message.causedBy ?? 0)) return false;
    exchanges.add(message.exchange);
    return true;
  };
  return (step) => {
    const arrows = arrowsOf([step]);
    return arrows.length > 0 && arrows.every(isPart);
  };
}

/** Does every activation that begins here end here? */
function isClosed(arrows: readonly Arrow[]): boolean {
  const open = new Set<number>();
  for (const { activates, deactivates, message } of arrows) {
    if (activates) open.add(message.exchange);
    else if (deactivates) open.delete(message.exchange);
  }
  return open.size === 0;
}
