// Shows what several objects share: a loop with their number and names around the steps of the one that is drawn, where
// those stand together; else a note where they begin. Moves no arrow: the order stays that of the capture. Knows steps.

import { type Arrow, arrowsOf, type Note, type Step } from '../model.js';
import type { FoldGroup } from './similar-objects.js';

/** @param noteAt a note over the two ends of an arrow. */
export function showLanes(
  steps: readonly Step[],
  lanes: readonly FoldGroup[],
  noteAt: (arrow: Arrow, line: string) => Note,
): readonly Step[] {
  if (lanes.length === 0) return steps;
  const places = new Map<number, number>();
  steps.forEach((step, at) => {
    for (const { message } of arrowsOf([step])) if (!places.has(message.exchange)) places.set(message.exchange, at);
  });
  const notes = new Map<number, Note[]>();
  const loops = new Map<number, { readonly end: number; readonly lane: FoldGroup }>();
  for (const lane of lanes) {
    const first = Math.min(...lane.requests.map((request) => places.get(request.exchange) ?? Infinity));
    if (first === Infinity) continue;
    const range = rangeOf(steps, first, lane);
    if (range !== null) loops.set(range.begin, { end: range.end, lane });
    else {
      const note = noteAt(arrowsOf([steps[first]])[0], lane.sentence);
      notes.set(first, [...(notes.get(first) ?? []), note]);
    }
  }
  const shown: Step[] = [];
  for (let at = 0; at < steps.length; at++) {
    const loop = loops.get(at);
    if (loop === undefined) shown.push(steps[at], ...(notes.get(at) ?? []));
    else {
      const { times, title } = loop.lane;
      shown.push({ kind: 'loop', times, title, steps: steps.slice(at, loop.end) });
      at = loop.end - 1;
    }
  }
  return shown;
}

/** Where all steps of a lane, and nothing else, stand together; null: nowhere. */
function rangeOf(steps: readonly Step[], first: number, lane: FoldGroup): { begin: number; end: number } | null {
  const parts = partsOf(lane);
  let begin = first;
  while (begin > 0 && parts(steps[begin - 1])) begin -= 1;
  let end = first;
  while (end < steps.length && (steps[end].kind === 'note' || parts(steps[end]))) end += 1;
  const inside = arrowsOf(steps.slice(begin, end));
  const drawn = new Set(inside.map(({ message }) => message.exchange));
  const isWhole = lane.requests.every((request) => drawn.has(request.exchange));
  return isWhole && isClosed(inside) ? { begin, end } : null;
}

/** Its exchanges, the events that woke them, and what another door did to carry them out. */
function partsOf({ requests }: FoldGroup): (step: Step) => boolean {
  const exchanges = new Set(requests.map((request) => request.exchange));
  const seqs = new Set(requests.map((request) => request.seq));
  const wakers = new Set(requests.map((request) => request.causedBy));
  const isPart = ({ message }: Arrow): boolean => {
    if (exchanges.has(message.exchange)) return true;
    if (message.kind === 'event') return wakers.has(message.seq);
    if (message.protocol === 'kubernetes' || !seqs.has(message.causedBy ?? 0)) return false;
    exchanges.add(message.exchange);
    return true;
  };
  return (step) => {
    const arrows = arrowsOf([step]);
    return arrows.length > 0 && arrows.every(isPart);
  };
}

/** No bar begins in it that ends behind it. */
function isClosed(arrows: readonly Arrow[]): boolean {
  const open = new Set<number>();
  for (const { activates, deactivates, message } of arrows) {
    if (activates) open.add(message.exchange);
    else if (deactivates) open.delete(message.exchange);
  }
  return open.size === 0;
}
