// Draws the overview: when messages were, over the whole time of the capture, with chapters, failures and the part that is in view. A part of
// it that is dragged over is zoomed into.

import { elapsedText } from '../../core/duration.js';
import { counted } from '../../core/quantity.js';
import type { ChartRow, Model } from '../model.js';
import type { TimeRange } from '../visibility.js';
import { byId, element } from './element.js';

interface StripActions {
  /** Shows only what happened in a part of the time. */
  zoom(time: TimeRange): void;
  /** Brings the first shown row from a time on into view. @param micros since the first frame. */
  jump(micros: number): void;
}

export class Strip {
  readonly #model: Model;
  readonly #canvas = element('canvas', { id: 'strip', role: 'img' });
  readonly #from: number;
  readonly #to: number;
  #shown: readonly ChartRow[] = [];
  #time: TimeRange | null = null;
  /** Where a drag began and is, px; null: there is none. */
  #drag: readonly [number, number] | null = null;
  #isScheduled = false;

  constructor(model: Model, actions: StripActions) {
    this.#model = model;
    const { rows } = model;
    this.#from = Math.min(0, rows[0]?.micros ?? 0);
    this.#to = Math.max(this.#from + 1, rows[rows.length - 1]?.micros ?? 0);
    byId('main').before(this.#canvas);
    this.#canvas.hidden = rows.length < FEW;
    this.#canvas.title = 'Messages over time. Drag over a part to zoom into it, click to go to a time.';
    this.#listen(actions);
    new ResizeObserver(() => this.#drawSoon()).observe(this.#canvas);
    // Finding the part in view lays rows out, so it waits for the end; Safari 18 does not tell of it.
    const end = 'onscrollend' in globalThis ? 'scrollend' : 'scroll';
    byId('chart').addEventListener(end, () => this.#drawSoon(), { passive: true });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#drawSoon());
    new MutationObserver(() => this.#drawSoon()).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  }

  /** @param shown rows in order. @param time what they are limited to. */
  show(shown: readonly ChartRow[], time: TimeRange | null): void {
    this.#shown = shown;
    this.#time = time;
    const took = elapsedText((this.#to - this.#from) * 1e3);
    this.#canvas.setAttribute('aria-label', `${counted(shown.length, 'message')} over ${took}; the Time menu zooms`);
    this.#drawSoon();
  }

  #listen({ zoom, jump }: StripActions): void {
    const canvas = this.#canvas;
    canvas.addEventListener('pointerdown', ({ offsetX, pointerId }) => {
      canvas.setPointerCapture(pointerId);
      this.#drag = [offsetX, offsetX];
    });
    canvas.addEventListener('pointermove', ({ offsetX }) => {
      if (this.#drag === null) return;
      this.#drag = [this.#drag[0], offsetX];
      this.#drawSoon();
    });
    canvas.addEventListener('pointerup', () => {
      if (this.#drag === null) return;
      const [a, b] = this.#drag;
      this.#drag = null;
      if (Math.abs(a - b) < CLICK) jump(this.#timeAt(a));
      else zoom({ from: this.#timeAt(Math.min(a, b)), to: this.#timeAt(Math.max(a, b)) });
      this.#drawSoon();
    });
    canvas.addEventListener('pointercancel', () => {
      this.#drag = null;
      this.#drawSoon();
    });
  }

  /** Rounded to whole µs. */
  #timeAt(x: number): number {
    const part = Math.max(0, Math.min(1, x / this.#canvas.clientWidth));
    return Math.round(this.#from + part * (this.#to - this.#from));
  }

  #drawSoon(): void {
    if (this.#isScheduled || this.#canvas.hidden) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#draw();
    });
  }

  #draw(): void {
    const canvas = this.#canvas;
    const { clientWidth: width, clientHeight: height } = canvas;
    const context = canvas.getContext('2d');
    if (context === null || width === 0) return;
    canvas.width = width * devicePixelRatio;
    canvas.height = height * devicePixelRatio;
    context.scale(devicePixelRatio, devicePixelRatio);
    const style = getComputedStyle(canvas);
    const colour = (name: string): string => style.getPropertyValue(`--${name}`);
    const xOf = (micros: number): number => ((micros - this.#from) / (this.#to - this.#from)) * width;
    const shade = (from: number, to: number, name: string): void => {
      context.fillStyle = colour(name);
      context.fillRect(from, 0, Math.max(2, to - from), height);
    };
    if (this.#time !== null)
      shade(xOf(Math.max(this.#from, this.#time.from)), xOf(Math.min(this.#to, this.#time.to)), 'here');
    const view = this.#inView();
    if (view !== null) shade(xOf(view.from), xOf(view.to), 'bar');
    const draw = (rows: readonly ChartRow[], name: string): void => {
      const counts = new Map<number, number>();
      for (const { micros } of rows) {
        const x = Math.min(Math.ceil(width / STEP) - 1, Math.floor(xOf(micros) / STEP));
        counts.set(x, (counts.get(x) ?? 0) + 1);
      }
      context.fillStyle = colour(name);
      for (const [x, count] of counts) {
        const tall = Math.min(height - 4, 3 + Math.log2(count) * 3.5);
        context.fillRect(x * STEP, height - tall, STEP, tall);
      }
    };
    draw(this.#model.rows, 'strong-line');
    draw(this.#shown, 'request');
    draw(
      this.#shown.filter(({ failed }) => failed),
      'problem',
    );
    context.fillStyle = colour('path-line');
    for (const [seq] of this.#model.view.chapters) {
      const row = this.#model.rowOf(seq);
      if (row !== undefined) context.fillRect(Math.min(width - 2, xOf(row.micros)), 0, 2, 8);
    }
    if (this.#drag !== null) {
      context.globalAlpha = 0.4;
      shade(Math.min(...this.#drag), Math.max(...this.#drag), 'path-line');
    }
  }

  /** The time of the rows between the heads and the bottom of the chart; null: there are none. */
  #inView(): TimeRange | null {
    const { left, bottom } = byId('chart').getBoundingClientRect();
    const { bottom: top } = byId('heads').getBoundingClientRect();
    const timeAt = (y: number): number | undefined => {
      const item = document.elementFromPoint(left + INSET, y)?.closest('[data-seq]');
      return item == null ? undefined : this.#model.rowOf(Number(item.getAttribute('data-seq')))?.micros;
    };
    const from = timeAt(top + INSET) ?? timeAt(top + 2 * INSET);
    const to = timeAt(bottom - INSET) ?? timeAt(bottom - 2 * INSET) ?? this.#shown[this.#shown.length - 1]?.micros;
    return from === undefined || to === undefined || to < from ? null : { from, to };
  }
}

/** Rows; fewer need no overview. */
const FEW = 10;
/** px of a bar. */
const STEP = 2;
/** px within which a drag is a click. */
const CLICK = 4;
/** px from the edge of the chart to where its first and last row are looked for. */
const INSET = 24;
