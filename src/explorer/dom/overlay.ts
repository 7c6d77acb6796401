// Draws behind the rows: the bars of exchanges and the paths of causes. Of thousands only those near the viewport have an element.

import type { Bar } from '../lanes.js';
import type { ChartRow, Link, Trace } from '../model.js';
import type { Chunks, Range } from './chunks.js';
import { element } from './element.js';
import type { RowElements } from './rows.js';

export interface Drawing {
  readonly bars: readonly Bar[];
  readonly trace: Trace | null;
  isShown(row: ChartRow): boolean;
  /** Middle of a participant's lane, px. */
  xOf(participant: number): number;
}

/** @returns elements for every bar and path that touches the near rows. */
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
    marks.push(...pathOf(link, drawing, (row) => chunks.lineOf(row, near)));
  }
  return marks;
}

/** Numbers and times of the near rows, for when the rows' own are scrolled out of view. */
export function timesOf(shown: readonly ChartRow[], rows: RowElements, chunks: Chunks, range: Range): HTMLElement[] {
  const near = chunks.near(range);
  if (near[0] < 0) return [];
  return shown
    .filter(({ index }) => index >= near[0] && index <= near[1])
    .map((row) => {
      const [time] = rows.itemOf(row).getElementsByTagName('time');
      const mark = element('div', {}, ...time.cloneNode(true).childNodes);
      mark.style.top = `${chunks.lineOf(row, near) - ROW_TOP}px`;
      return mark;
    });
}

/** From the arrowhead of a cause down its receiver's lifeline to the arrow that the receiver sent. */
function pathOf({ cause, effect }: Link, drawing: Drawing, lineOf: (row: ChartRow) => number): HTMLElement[] {
  const [top, bottom] = [lineOf(cause), lineOf(effect)];
  const side = drawing.trace?.causes.includes(cause) === true ? 'way before' : 'way after';
  const name = effect.isProven ? side : `${side} perhaps`;
  const [x1, x2] = [drawing.xOf(cause.to), drawing.xOf(effect.from)];
  const out = [box(name, x2 - PATH_WIDTH / 2, top, PATH_WIDTH, bottom - top)];
  // A shared informer received the event, and one of its controllers acted.
  if (x1 !== x2) out.push(box(name, Math.min(x1, x2), top - PATH_WIDTH / 2, Math.abs(x2 - x1), PATH_WIDTH));
  return out;
}

function box(name: string, x: number, y: number, width: number, height: number): HTMLElement {
  const mark = element('div', { class: name });
  mark.style.cssText = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
  return mark;
}

/** px: bars side by side, from the middle of the lane. */
const BAR_LEFT = [-3, -7, 1];
const BAR_WIDTH = 6;
const PATH_WIDTH = 4;
/** From the top of a row to its arrow. */
const ROW_TOP = 27;
