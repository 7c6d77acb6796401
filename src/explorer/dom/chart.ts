// Draws the chart: lanes and their heads, rows, gaps, and highlighted causes.

import { type Bar, barsOf, lanePlaces, laneRules } from '../lanes.js';
import type { ChartRow, Model, Trace } from '../model.js';
import { durationText, type EntryVisibility, type Gap, gapsOf } from '../visibility.js';
import { Chunks, type Range } from './chunks.js';
import { byId, element } from './element.js';
import { marksOf, timesOf } from './overlay.js';

export class Chart {
  readonly items: readonly HTMLElement[];
  /** Shown rows, in order. */
  shown: readonly ChartRow[] = [];
  gaps: ReadonlyMap<ChartRow, Gap> = new Map();
  readonly #model: Model;
  /** Holds the rules of the lanes. */
  readonly #sheet: CSSStyleSheet;
  readonly #chart = byId('chart');
  readonly #stage = byId('stage');
  readonly #overlay = element('div', { id: 'overlay' });
  readonly #gutter = element('div', { id: 'gutter', 'aria-hidden': 'true' });
  readonly #boxes: HTMLElement[] = [];
  readonly #chunks: Chunks;
  #highlighted: HTMLElement[] = [];
  #trace: Trace | null = null;
  #bars: readonly Bar[] = [];
  /** Place of each participant among the lanes; -1 if it has none. */
  #places: number[] = [];
  /** px: last known width of the viewport; reading it would force a layout. */
  #width: number;
  #lane = LANE_NARROWEST;
  #drawn: Range | null = null;
  #isScheduled = false;
  /** Scrolled horizontally. */
  #isScrolled = false;

  constructor(model: Model, sheet: CSSStyleSheet) {
    this.#model = model;
    this.#sheet = sheet;
    this.items = [...document.querySelectorAll<HTMLElement>('#rows .row')];
    const chunks = [...document.querySelectorAll<HTMLElement>('#rows .chunk')];
    const buttons = [...document.querySelectorAll<HTMLElement>('#rows button')];
    this.#chunks = new Chunks(this.#chart, chunks, buttons, () => this.#redraw());
    const lanes = model.view.participants.map((_, i) => element('div', { class: `lane p${i}` }));
    byId('lanes').append(...lanes, this.#overlay);
    this.#stage.prepend(this.#gutter);
    this.#chart.addEventListener('scroll', () => this.#drawSoon(), { passive: true });
    this.#width = this.#chart.clientWidth;
    new ResizeObserver(() => {
      this.#width = this.#chart.clientWidth;
      this.#fit();
    }).observe(this.#chart);
    addEventListener('beforeprint', () => this.#fit(PAPER));
    addEventListener('afterprint', () => this.#fit());
  }

  /** @param anchor stays in view, if it is shown. */
  show(seen: readonly EntryVisibility[], anchor: ChartRow | null): void {
    const { rows } = this.#model;
    this.shown = rows.filter((row) => seen[row.index] === 'shown');
    this.gaps = gapsOf(this.#model, seen);
    const { scrollTop, clientHeight } = this.#chart;
    this.#chunks.reserve(
      this.gaps,
      clientHeight,
      anchor === null || seen[anchor.index] !== 'shown' ? scrollTop : anchor,
    );
    for (const { index } of rows) {
      const isHidden = seen[index] !== 'shown';
      if (this.items[index].hidden !== isHidden) this.items[index].hidden = isHidden;
    }
    for (const [{ index }, gap] of this.gaps) mark(this.items[index], gap);
    this.#bars = barsOf(this.#model, this.shown);
    this.#updateLanes();
  }

  /** Highlights the causes and effects of a message; null removes the highlight. */
  highlight(row: ChartRow | null, trace: Trace | null): void {
    for (const item of this.#highlighted) item.classList.remove('here', 'cause', 'effect', 'perhaps', 'mate');
    this.#highlighted = [];
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
    this.items[row.index].scrollIntoView({ block });
    // Horizontally the arrow matters, not the whole row.
    const [a, b] = [this.#x(row.from), this.#x(row.to)];
    const isSeen = Math.min(a, b) >= scrollLeft + GUTTER && Math.max(a, b) <= scrollLeft + clientWidth;
    this.#chart.scrollLeft = isSeen ? scrollLeft : Math.max(0, Math.min(a, b) - GUTTER - LANE_NARROWEST);
  }

  #addClass(rows: readonly ChartRow[], name: string): void {
    for (const { index } of rows) {
      this.items[index].classList.add(name);
      this.#highlighted.push(this.items[index]);
    }
  }

  /** Gives a lane to each sender and receiver of a shown row. */
  #updateLanes(): void {
    const places = lanePlaces(this.#model, this.shown);
    if (places.join() !== this.#places.join()) {
      this.#places = places;
      this.#sheet.replaceSync(laneRules(places));
      this.#chart.style.setProperty('--lanes', String(Math.max(0, ...places) + 1));
      this.#boxHeads();
    }
    this.#fit();
  }

  /** Lanes share the width, down to a width in which a name is legible. */
  #fit(paper?: number): void {
    const lanes = Math.max(0, ...this.#places) + 1;
    const room = (paper ?? this.#width) - GUTTER - LABEL_ROOM;
    const narrowest = paper === undefined ? LANE_NARROWEST : 1;
    this.#lane = Math.max(narrowest, Math.min(LANE_WIDEST, Math.floor(room / lanes)));
    this.#chart.style.setProperty('--lane', `${this.#lane}px`);
    this.#redraw();
  }

  /** Draws a box around the controllers of one manager. */
  #boxHeads(): void {
    for (const box of this.#boxes.splice(0)) box.remove();
    const { participants } = this.#model.view;
    for (let i = 0; i < participants.length; i++) {
      const { box } = participants[i];
      const first = this.#places[i];
      if (box === undefined || first < 0) continue;
      let last = first;
      for (; participants[i + 1]?.box === box; i++) if (this.#places[i + 1] >= 0) last = this.#places[i + 1];
      const head = element('li', { class: 'box', 'aria-hidden': 'true' }, box);
      head.style.setProperty('--p', String(first));
      head.style.setProperty('--n', String(last - first + 1));
      this.#boxes.push(head);
      byId('heads').append(head);
    }
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
      isShown: ({ index }: ChartRow) => !this.items[index].hidden,
      xOf: (participant: number) => this.#x(participant),
    };
    this.#overlay.replaceChildren(...marksOf(drawing, this.#chunks, this.#drawn));
    this.#gutter.replaceChildren(...(isScrolled ? timesOf(this.shown, this.items, this.#chunks, this.#drawn) : []));
  }

  #x(participant: number): number {
    return GUTTER + (this.#places[participant] + 0.5) * this.#lane;
  }
}

/** Shows the gap between a row and the one before it. */
function mark(item: HTMLElement, { size, micros, folded }: Gap): void {
  setData(item, 'gap', size === 4 ? durationText(micros) : undefined);
  const time = item.getElementsByTagName('time')[0];
  setData(time, 'more', folded.length === 0 ? undefined : `+${folded.length}`);
  for (const one of [1, 2, 3]) item.classList.toggle(`g${one}`, size === one);
}

function setData(item: HTMLElement, name: string, text: string | undefined): void {
  if (item.dataset[name] === text) return;
  if (text === undefined) delete item.dataset[name];
  else item.dataset[name] = text;
}

/** px, as in page.css. */
const GUTTER = 104;
/** Room for labels right of the last lane. */
const LABEL_ROOM = 120;
/** Of a printed page: A3 across without its margins, at 96 a inch. */
const PAPER = 1510;
const LANE_NARROWEST = 108;
const LANE_WIDEST = 220;
