// Measures rows for the chart. The browser skips chunks of rows that are far away and needs their height in advance; single rows are
// measured only near the viewport, because measuring lays them out.

import { CHUNK } from '../../render/html/html-format.js';
import type { ChartRow } from '../model.js';
import type { Gap } from '../visibility.js';
import type { Rows } from './rows.js';

/** px from the top of the stage: the part near the viewport. */
export interface Range {
  readonly top: number;
  readonly bottom: number;
}

export class Chunks {
  readonly #rows: Rows;
  readonly #chunks: readonly HTMLElement[];
  /** px of each chunk; 0: none of its rows is shown. */
  #heights: readonly number[] = [];

  /** @param root the scrolled element. @param moved called when other chunks come near, or a height changes. */
  constructor(root: Element, rows: Rows, moved: () => void) {
    this.#rows = rows;
    this.#chunks = rows.chunks;
    const places = new Map<Element, number>(rows.chunks.map((chunk, i) => [chunk, i]));
    const near = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) this.#make(places.get(target) as number);
          target.classList.toggle('far', !isIntersecting);
        }
        moved();
      },
      { root, rootMargin: '100% 0px' },
    );
    const sizes = new ResizeObserver(moved);
    for (const chunk of rows.chunks) {
      near.observe(chunk);
      sizes.observe(chunk);
    }
  }

  /**
   * Sets the height of each chunk from its rows, gaps and notes. It is called before rows are shown or hidden, so that chunks far away
   * are skipped at once; otherwise the browser would lay out hundreds of rows for nothing.
   *
   * @param height of the viewport. @param from its top, or the row that will be in it.
   */
  reserve(gaps: ReadonlyMap<ChartRow, Gap>, height: number, from: number | ChartRow): void {
    const heights = this.#chunks.map(() => 0);
    for (const [row, { size }] of gaps)
      heights[Math.floor(row.index / CHUNK)] += ROW + GAPS[size] + NOTE * this.#rows.notesOf(row);
    const y = typeof from === 'number' ? from : sum(heights.slice(0, Math.floor(from.index / CHUNK)));
    const before = this.#heights;
    this.#heights = heights;
    let top = 0;
    heights.forEach((own, i) => {
      const chunk = this.#chunks[i];
      if (before[i] !== own) chunk.style.setProperty('--height', `${own}px`);
      const isFar = top > y + 2 * height || top + own < y - height;
      if (!isFar) this.#make(i);
      chunk.classList.toggle('far', isFar);
      chunk.classList.toggle('held', isFar);
      top += own;
    });
    requestAnimationFrame(() => requestAnimationFrame(() => this.#admit()));
  }

  /** Makes the rows of a chunk of which some are shown. */
  #make(i: number): void {
    if (this.#heights[i] > 0) this.#rows.make(i);
  }

  #admit(): void {
    for (const chunk of this.#chunks) chunk.classList.remove('held');
  }

  /** Indices of the first and the last row that are near and laid out. */
  near({ top, bottom }: Range): readonly [first: number, last: number] {
    let first = -1;
    let last = -1;
    this.#chunks.forEach((chunk, i) => {
      if (chunk.classList.contains('far') || this.#heights[i] === 0) return;
      const y = chunk.offsetTop;
      if (y > bottom || y + chunk.offsetHeight < top) return;
      if (first < 0) first = i;
      last = i;
    });
    return [first * CHUNK, (last + 1) * CHUNK - 1];
  }

  /** y of an arrow, px from the top of the stage. Rows beyond the near ones are placed at their edge. */
  lineOf(row: ChartRow, [first, last]: readonly [number, number]): number {
    const { index } = row;
    const chunk = this.#chunks[Math.floor(Math.max(first, Math.min(last, index)) / CHUNK)];
    if (index < first) return chunk.offsetTop;
    if (index > last) return chunk.offsetTop + chunk.offsetHeight;
    const button = this.#rows.itemOf(row).getElementsByTagName('button')[0];
    return chunk.offsetTop + button.offsetTop + ARROW;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** px, as in page.css. */
const ROW = 36;
const GAPS = [0, 3, 8, 16, 35] as const;
const NOTE = 33;
/** From the top of a row to its arrow. */
const ARROW = 27;
