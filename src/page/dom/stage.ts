// The drawing itself: lanes and their heads, rows that come and go, gaps, bars, and the ways of causes. Knows geometry;
// which rows are seen, others decide.

import { type Bar, barsOf } from '../bars.js';
import type { Link, Trace } from '../causes.js';
import { lanePlaces, laneRules } from '../lanes.js';
import type { Model, Row } from '../model.js';
import { durationText, type Gap, gapsOf, type Seen } from '../visibility.js';
import { byId, element } from './element.js';

export class Stage {
  readonly items: readonly HTMLElement[];
  /** Rows that are seen, in order. */
  shown: readonly Row[] = [];
  gaps: ReadonlyMap<Row, Gap> = new Map();
  readonly #model: Model;
  readonly #chart = byId('chart');
  readonly #stage = byId('stage');
  readonly #boxes: HTMLElement[] = [];
  readonly #sheet: CSSStyleSheet;
  readonly #overlay = element('div', { id: 'overlay' });
  readonly #times: readonly HTMLElement[];
  #lit: HTMLElement[] = [];
  #trace: Trace | null = null;
  /** Place of each participant among the lanes that are seen; -1: it has none. */
  #places: number[] = [];
  #bars: readonly Bar[] = [];
  #drawn: readonly [number, number] | null = null;
  #waiting = false;

  /** @param sheet holds the rules of the lanes. */
  constructor(model: Model, sheet: CSSStyleSheet) {
    this.#model = model;
    this.#sheet = sheet;
    this.items = [...byId('rows').children].filter((item) => item instanceof HTMLElement);
    this.#times = this.items.map((item) => item.querySelector('time') as HTMLElement);
    byId('lanes').append(...model.view.participants.map((_, i) => element('div', { class: `lane p${i}` })), this.#overlay);
    new ResizeObserver(() => this.#fit()).observe(this.#chart);
    this.#chart.addEventListener('scroll', () => this.#drawSoon(), { passive: true });
  }

  show(seen: readonly Seen[]): void {
    const { rows } = this.#model;
    this.shown = rows.filter((row) => seen[row.index] === 'shown');
    this.gaps = gapsOf(this.#model, seen);
    for (const { index } of rows) {
      const isHidden = seen[index] !== 'shown';
      if (this.items[index].hidden !== isHidden) this.items[index].hidden = isHidden;
    }
    for (const [{ index }, gap] of this.gaps) this.#mark(this.items[index], this.#times[index], gap);
    this.#bars = barsOf(this.#model, this.shown);
    this.#place();
    this.#drawn = null;
    this.#drawSoon();
  }

  /** Lights up why a message came and what came of it; null: nothing any more. */
  light(row: Row | null, trace: Trace | null): void {
    for (const item of this.#lit) item.classList.remove('here', 'cause', 'effect', 'mate');
    this.#lit = [];
    this.#trace = trace;
    const add = (rows: readonly Row[], name: string): void => {
      for (const { index } of rows) {
        this.items[index].classList.add(name);
        this.#lit.push(this.items[index]);
      }
    };
    if (row !== null && trace !== null) {
      add([row], 'here');
      add(trace.causes, 'cause');
      add(trace.effects, 'effect');
      add(
        this.#model.exchangeOf(row).filter((one) => one !== row),
        'mate',
      );
    }
    this.#stage.classList.toggle('tracing', row !== null);
    this.#drawn = null;
    this.#drawSoon();
  }

  scrollTo(row: Row, block: ScrollLogicalPosition = 'nearest'): void {
    const item = this.items[row.index];
    item.scrollIntoView({ block, inline: 'nearest' });
    // Sideways, the arrow matters and not the whole row.
    const { left, right } = this.#span(row);
    const { scrollLeft, clientWidth } = this.#chart;
    if (left < scrollLeft + GUTTER || right > scrollLeft + clientWidth)
      this.#chart.scrollLeft = Math.max(0, left - GUTTER - LANE_MIN);
  }

  #mark(item: HTMLElement, time: HTMLElement, { size, micros, folded }: Gap): void {
    const more = folded.length === 0 ? undefined : `+${folded.length}`;
    if (time.dataset['more'] !== more) {
      if (more === undefined) delete time.dataset['more'];
      else time.dataset['more'] = more;
    }
    const gap = size === 4 ? durationText(micros) : undefined;
    if (item.dataset['gap'] !== gap) {
      if (gap === undefined) delete item.dataset['gap'];
      else item.dataset['gap'] = gap;
    }
    for (const one of [1, 2, 3]) item.classList.toggle(`g${one}`, size === one);
  }

  /** Gives a lane to whoever sends or receives what is seen. */
  #place(): void {
    this.#places = lanePlaces(this.#model, this.shown);
    this.#sheet.replaceSync(laneRules(this.#places));
    this.#chart.style.setProperty('--lanes', String(Math.max(...this.#places) + 1));
    this.#boxHeads();
    this.#fit();
  }

  /** Lanes share the room that there is, down to a width in which a name can be read. */
  #fit(): void {
    const lanes = this.#places.filter((place) => place >= 0).length;
    const room = this.#chart.clientWidth - GUTTER - LABEL_ROOM;
    const lane = Math.max(LANE_MIN, Math.min(LANE_MAX, Math.floor(room / Math.max(1, lanes))));
    this.#chart.style.setProperty('--lane', `${lane}px`);
    this.#drawn = null;
    this.#drawSoon();
  }

  /** Controllers stand in their manager's box. */
  #boxHeads(): void {
    for (const box of this.#boxes.splice(0)) box.remove();
    const { participants } = this.#model.view;
    for (let i = 0; i < participants.length; i++) {
      const { box } = participants[i];
      if (box === undefined || this.#places[i] < 0) continue;
      const first = this.#places[i];
      let last = first;
      for (; participants[i + 1]?.box === box; i++) if (this.#places[i + 1] >= 0) last = this.#places[i + 1];
      const made = element('li', { class: 'box', 'aria-hidden': 'true' }, box);
      made.style.setProperty('--p', String(first));
      made.style.setProperty('--n', String(last - first + 1));
      this.#boxes.push(made);
      byId('heads').append(made);
    }
  }

  #drawSoon(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#draw();
    });
  }

  /** Bars and causes around what is seen of the page: thousands of them exist, few are near. */
  #draw(): void {
    const { scrollTop, clientHeight } = this.#chart;
    const [from, to] = this.#drawn ?? [0, -1];
    if (this.#drawn !== null && scrollTop >= from && scrollTop + clientHeight <= to) return;
    const range = [scrollTop - clientHeight, scrollTop + 2 * clientHeight] as const;
    this.#drawn = range;
    const top = this.#stage.offsetTop;
    const isNear = (y1: number, y2: number): boolean => y2 + top >= range[0] && y1 + top <= range[1];
    const marks: HTMLElement[] = [];
    for (const { request, response, level } of this.#bars) {
      const [y1, y2] = [this.#y(request), this.#y(response)];
      if (isNear(y1, y2)) marks.push(mark('bar', this.#x(request.to) - 3 + level * 4, y1, 6, y2 - y1));
    }
    for (const link of this.#trace?.links ?? []) marks.push(...this.#way(link, isNear));
    this.#overlay.replaceChildren(...marks);
  }

  /** From the arrowhead of a cause down the line of who received it, to the arrow that this one sent. */
  #way({ cause, effect }: Link, isNear: (y1: number, y2: number) => boolean): HTMLElement[] {
    if (this.items[cause.index].hidden || this.items[effect.index].hidden) return [];
    const [y1, y2] = [this.#y(cause), this.#y(effect)];
    if (!isNear(y1, y2)) return [];
    const name = this.#trace?.causes.includes(cause) === true ? 'way before' : 'way after';
    const [x1, x2] = [this.#x(cause.to), this.#x(effect.from)];
    const out = [mark(name, x2 - 2, y1, 4, y2 - y1)];
    if (x1 !== x2) out.push(mark(name, Math.min(x1, x2), y1 - 2, Math.abs(x2 - x1), 4));
    return out;
  }

  /** Middle of a participant's lane, px. */
  #x(participant: number): number {
    const lane = Number.parseFloat(this.#chart.style.getPropertyValue('--lane'));
    return GUTTER + (this.#places[participant] + 0.5) * lane;
  }

  /** Line of an arrow, px from the top of the stage. */
  #y({ index }: Row): number {
    return (this.#times[index].parentElement as HTMLElement).offsetTop + ARROW_Y;
  }

  #span(row: Row): { left: number; right: number } {
    const [a, b] = [this.#x(row.from), this.#x(row.to)];
    return { left: Math.min(a, b), right: Math.max(a, b) };
  }
}

function mark(name: string, x: number, y: number, width: number, height: number): HTMLElement {
  const made = element('div', { class: name });
  made.style.cssText = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
  return made;
}

/** px, as in page.css. */
const GUTTER = 104;
const ARROW_Y = 27;
/** Room for labels right of the last lane. */
const LABEL_ROOM = 120;
const LANE_MIN = 96;
const LANE_MAX = 220;
