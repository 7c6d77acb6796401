// Draws the chart: lanes and their heads, rows, gaps, and highlighted causes.

import { appendTo } from '../../core/collections/multimap.js';
import { elapsedText } from '../../core/duration.js';
import { type Bar, barsOf, lanePlaces } from '../lanes.js';
import type { ChartRow, Link, Model, Trace } from '../model.js';
import { type EntryVisibility, type Gap, gapsOf } from '../visibility.js';
import { Chunks, type Range } from './chunks.js';
import { byId, element } from './element.js';
import { whileIdle } from './idle.js';
import { GUTTER, LANE_NARROWEST, type LaneLayout } from './lanes.js';
import { RowElements } from './rows.js';

export class Chart {
  /** Shown rows, in order. */
  shown: readonly ChartRow[] = [];
  gaps: ReadonlyMap<ChartRow, Gap> = new Map();
  readonly #model: Model;
  readonly #lanes: LaneLayout;
  readonly #chart = byId('chart');
  readonly #stage = byId('stage');
  readonly #overlay = element('div', { id: 'overlay' });
  readonly #gutter = element('div', { id: 'gutter', 'aria-hidden': 'true' });
  readonly #rows: RowElements;
  readonly #chunks: Chunks;
  /** Classes of the highlighted rows. */
  readonly #highlighted = new Map<ChartRow, string[]>();
  #seen: readonly EntryVisibility[] = [];
  #trace: Trace | null = null;
  #bars: readonly Bar[] = [];
  /** px: last known width of the viewport; reading it would force a layout. */
  #width: number;
  #drawn: Range | null = null;
  /** The chunks are in the document. */
  #isEntered = false;
  #isScheduled = false;
  /** Scrolled horizontally. */
  #isScrolled = false;

  constructor(model: Model, lanes: LaneLayout) {
    this.#model = model;
    this.#lanes = lanes;
    this.#rows = new RowElements(model, (item, row) => this.#prepare(item, row));
    const elements = model.view.participants.map((_, i) => element('div', { class: `lane p${i}` }));
    byId('lanes').append(...elements, this.#overlay);
    this.#stage.prepend(this.#gutter);
    this.#width = this.#chart.clientWidth;
    this.#chunks = new Chunks(this.#chart, this.#rows, () => this.#redraw());
    this.#lanes.boxHeads(model.view);
    this.#chart.addEventListener('scroll', () => this.#drawSoon(), { passive: true });
    new ResizeObserver(() => {
      this.#width = this.#chart.clientWidth;
      this.#fit();
    }).observe(this.#chart);
    addEventListener('beforeprint', () => {
      this.#rows.makeAll();
      this.#lanes.fit(PAPER, true);
    });
    addEventListener('afterprint', () => this.#fit());
  }

  /** The element of a row. */
  itemOf(row: ChartRow): HTMLElement {
    return this.#rows.itemOf(row);
  }

  /** Makes the elements of all rows while the browser is idle, so that it finds their text. */
  makeAll(): Promise<void> {
    return whileIdle(() => this.#rows.makeNext());
  }

  /** @param anchor stays in view, if it is shown. */
  show(seen: readonly EntryVisibility[], anchor: ChartRow | null): void {
    const { rows } = this.#model;
    this.#seen = seen;
    this.shown = rows.filter((row) => seen[row.index] === 'shown');
    this.gaps = gapsOf(this.#model, seen);
    const { scrollTop, clientHeight } = this.#chart;
    this.#chunks.reserve(
      this.gaps,
      clientHeight,
      anchor === null || seen[anchor.index] !== 'shown' ? scrollTop : anchor,
    );
    for (const row of rows) {
      const item = this.#rows.madeItemOf(row);
      if (item === undefined) continue;
      const isHidden = seen[row.index] !== 'shown';
      if (item.hidden !== isHidden) item.hidden = isHidden;
    }
    for (const [row, gap] of this.gaps) {
      const item = this.#rows.madeItemOf(row);
      if (item !== undefined) mark(item, gap);
    }
    this.#bars = barsOf(this.#model, this.shown);
    if (this.#lanes.place(lanePlaces(this.#model, this.shown))) this.#lanes.boxHeads(this.#model.view);
    if (!this.#isEntered) this.#enter();
    this.#fit();
  }

  /** Highlights the causes and effects of a message; null removes the highlight. */
  highlight(row: ChartRow | null, trace: Trace | null): void {
    for (const one of this.#highlighted.keys())
      this.#rows.madeItemOf(one)?.classList.remove('here', 'cause', 'effect', 'perhaps', 'mate');
    this.#highlighted.clear();
    this.#trace = trace;
    if (row !== null && trace !== null) {
      this.#addClass([row], 'here');
      this.#addClass(trace.causes, 'cause');
      this.#addClass(trace.effects, 'effect');
      this.#addClass([...trace.uncertain], 'perhaps');
      this.#addClass(
        this.#model.exchangeOf(row).filter((one) => one !== row),
        'mate',
      );
    }
    this.#stage.classList.toggle('tracing', row !== null);
    this.#redraw();
  }

  scrollTo(row: ChartRow, block: ScrollLogicalPosition = 'nearest'): void {
    const { scrollLeft, clientWidth } = this.#chart;
    // The details panel, if just opened, narrowed the chart.
    if (clientWidth !== this.#width) {
      this.#width = clientWidth;
      this.#fit();
    }
    this.#rows.itemOf(row).scrollIntoView({ block });
    // Horizontally the arrow matters, not the whole row.
    const [a, b] = [this.#lanes.xOf(row.from), this.#lanes.xOf(row.to)];
    const isSeen = Math.min(a, b) >= scrollLeft + GUTTER && Math.max(a, b) <= scrollLeft + clientWidth;
    this.#chart.scrollLeft = isSeen ? scrollLeft : Math.max(0, Math.min(a, b) - GUTTER - LANE_NARROWEST);
  }

  #addClass(rows: readonly ChartRow[], name: string): void {
    for (const row of rows) {
      this.#rows.madeItemOf(row)?.classList.add(name);
      appendTo(this.#highlighted, row, name);
    }
  }

  /** Puts the chunks in the place of the rows that the page's HTML has. */
  #enter(): void {
    this.#isEntered = true;
    const { scrollTop } = this.#chart;
    byId('rows').replaceChildren(...this.#rows.blocks);
    this.#chart.scrollTop = scrollTop;
  }

  /** Gives a new element the state that the others have. */
  #prepare(item: HTMLElement, row: ChartRow): void {
    item.hidden = this.#seen[row.index] !== 'shown';
    const gap = this.gaps.get(row);
    if (gap !== undefined) mark(item, gap);
    item.classList.add(...(this.#highlighted.get(row) ?? []));
  }

  #fit(): void {
    this.#lanes.fit(this.#width);
    this.#redraw();
  }

  #redraw(): void {
    this.#drawn = null;
    this.#drawSoon();
  }

  #drawSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#draw();
    });
  }

  #draw(): void {
    const { scrollTop, scrollLeft, clientHeight } = this.#chart;
    const isScrolled = scrollLeft > 0;
    if (isScrolled !== this.#isScrolled) this.#drawn = null;
    this.#isScrolled = isScrolled;
    const top = scrollTop - this.#stage.offsetTop;
    const bottom = top + clientHeight;
    if (this.#drawn !== null && top >= this.#drawn.top && bottom <= this.#drawn.bottom) return;
    this.#drawn = { top: top - clientHeight, bottom: bottom + clientHeight };
    const drawing = {
      bars: this.#bars,
      trace: this.#trace,
      isShown: ({ index }: ChartRow) => this.#seen[index] === 'shown',
      xOf: (participant: number) => this.#lanes.xOf(participant),
    };
    this.#overlay.replaceChildren(...marksOf(drawing, this.#chunks, this.#drawn));
    this.#gutter.replaceChildren(...(isScrolled ? timesOf(this.shown, this.#rows, this.#chunks, this.#drawn) : []));
  }
}

/** Shows the gap between a row and the one before it. */
function mark(item: HTMLElement, { size, micros, folded }: Gap): void {
  setData(item, 'gap', size === 4 ? elapsedText(micros * 1e3) : undefined);
  const time = item.getElementsByTagName('time')[0];
  setData(time, 'more', folded.length === 0 ? undefined : `+${folded.length}`);
  for (const one of [1, 2, 3]) item.classList.toggle(`g${one}`, size === one);
}

function setData(item: HTMLElement, name: string, text: string | undefined): void {
  if (item.dataset[name] === text) return;
  if (text === undefined) delete item.dataset[name];
  else item.dataset[name] = text;
}

/** px, as in page.css: of a printed page, A3 across without its margins, at 96 a inch. */
const PAPER = 1510;

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
