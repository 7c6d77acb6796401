// What is drawn behind the rows that are near: the bars of exchanges, and the ways of causes. Thousands of them exist;
// only those near what is seen have an element. Knows geometry, not what the rows mean.

import type { Bar } from '../bars.js';
import type { Link, Trace } from '../causes.js';
import type { ChartRow } from '../model.js';
import type { Chunks, Range } from './chunks.js';
import { element } from './element.js';

export interface Drawing {
  readonly bars: readonly Bar[];
  readonly trace: Trace | null;
  isShown(row: ChartRow): boolean;
  /** Middle of a participant's lane, px. */
  xOf(participant: number): number;
}

/** @returns elements for everything that touches the near rows. */
export function marksOf(drawing: Drawing, chunks: Chunks, range: Range): HTMLElement[] {
  const near = chunks.near(range);
  if (near[0] < 0) return [];
  const touches = (a: ChartRow, b: ChartRow): boolean =>
    Math.min(a.index, b.index) <= near[1] && Math.max(a.index, b.index) >= near[0];
  const marks: HTMLElement[] = [];
  for (const { request, response, level } of drawing.bars) {
    if (!touches(request, response)) continue;
    const [top, bottom] = [chunks.lineOf(request, near), chunks.lineOf(response, near)];
    marks.push(box('bar', drawing.xOf(request.to) + BAR_LEFT[level], top, BAR_WIDTH, bottom - top));
  }
  for (const link of drawing.trace?.links ?? []) {
    const { cause, effect } = link;
    if (!drawing.isShown(cause) || !drawing.isShown(effect) || !touches(cause, effect)) continue;
    marks.push(...wayOf(link, drawing, (row) => chunks.lineOf(row, near)));
  }
  return marks;
}

/** Numbers and times of the near rows, where the rows' own have been scrolled away sideways. */
export function timesOf(
  shown: readonly ChartRow[],
  items: readonly HTMLElement[],
  chunks: Chunks,
  range: Range,
): HTMLElement[] {
  const near = chunks.near(range);
  if (near[0] < 0) return [];
  return shown
    .filter(({ index }) => index >= near[0] && index <= near[1])
    .map((row) => {
      const [time] = items[row.index].getElementsByTagName('time');
      const made = element('div', {}, ...time.cloneNode(true).childNodes);
      made.style.top = `${chunks.lineOf(row, near) - ROW_TOP}px`;
      return made;
    });
}

/** From the arrowhead of a cause down the line of who received it, to the arrow that this one sent. */
function wayOf({ cause, effect }: Link, drawing: Drawing, lineOf: (row: ChartRow) => number): HTMLElement[] {
  const [top, bottom] = [lineOf(cause), lineOf(effect)];
  const name = drawing.trace?.causes.includes(cause) === true ? 'way before' : 'way after';
  const [x1, x2] = [drawing.xOf(cause.to), drawing.xOf(effect.from)];
  const out = [box(name, x2 - WAY / 2, top, WAY, bottom - top)];
  // A shared informer was told, its controller acted.
  if (x1 !== x2) out.push(box(name, Math.min(x1, x2), top - WAY / 2, Math.abs(x2 - x1), WAY));
  return out;
}

function box(name: string, x: number, y: number, width: number, height: number): HTMLElement {
  const made = element('div', { class: name });
  made.style.cssText = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
  return made;
}

/** px: bars side by side, from the middle of the lane. */
const BAR_LEFT = [-3, -7, 1];
const BAR_WIDTH = 6;
const WAY = 4;
/** From the top of a row to its arrow. */
const ROW_TOP = 27;
