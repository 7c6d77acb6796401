// Shows what several objects share: a loop with their number and names around the steps of the one that is drawn, where
// those stand together; else a note where they begin. Moves no arrow: the order stays that of the capture. Knows steps.

import { type Arrow, arrowsOf, type Loop, type Note, type Step } from './model.js';
import type { Lane } from './siblings.js';

/** @param noteAt a note over the two ends of an arrow. */
export function showLanes(
  steps: readonly Step[],
  lanes: readonly Lane[],
  noteAt: (arrow: Arrow, line: string) => Note,
): readonly Step[] {
  let shown = steps;
  for (const lane of lanes) shown = showLane(shown, lane, noteAt);
  return shown;
}

function showLane(steps: readonly Step[], lane: Lane, noteAt: (arrow: Arrow, line: string) => Note): readonly Step[] {
  const exchanges = new Set(lane.requests.map((request) => request.exchange));
  const wakers = new Set(lane.requests.map((request) => request.causedBy));
  const requests = new Set(lane.requests.map((request) => request.seq));
  const isPart = (step: Step): boolean => {
    const arrows = arrowsOf([step]);
    return (
      arrows.length > 0 &&
      arrows.every(({ message }) => {
        if (exchanges.has(message.exchange)) return true;
        if (message.kind === 'event') return wakers.has(message.seq);
        if (message.protocol !== 'kubernetes' && requests.has(message.causedBy ?? 0)) {
          exchanges.add(message.exchange);
          return true;
        }
        return false;
      })
    );
  };
  const first = steps.findIndex((step) => arrowsOf([step]).some(({ message }) => exchanges.has(message.exchange)));
  if (first < 0) return steps;
  let begin = first;
  while (begin > 0 && isPart(steps[begin - 1])) begin -= 1;
  let end = first;
  while (end < steps.length && (steps[end].kind === 'note' || isPart(steps[end]))) end += 1;
  const inside = steps.slice(begin, end);
  const drawn = new Set(arrowsOf(inside).map(({ message }) => message.exchange));
  const isWhole = lane.requests.every((request) => drawn.has(request.exchange)) && isClosed(inside);
  if (isWhole) {
    const loop: Loop = { kind: 'loop', times: lane.times, title: lane.title, steps: inside };
    return [...steps.slice(0, begin), loop, ...steps.slice(end)];
  }
  const note = noteAt(arrowsOf([steps[first]])[0], `${lane.title} go this way`);
  return [...steps.slice(0, first + 1), note, ...steps.slice(first + 1)];
}

/** No bar begins in it that ends behind it. */
function isClosed(steps: readonly Step[]): boolean {
  const open = new Set<number>();
  for (const { activates, deactivates, message } of arrowsOf(steps)) {
    if (activates) open.add(message.exchange);
    else if (deactivates) open.delete(message.exchange);
  }
  return open.size === 0;
}
