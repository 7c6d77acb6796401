// Measures rows for the chart. The browser skips chunks of rows that are far away and needs their height in advance; single rows are
// measured only near the viewport, because measuring lays them out.

import { CHUNK } from '../../render/html/html-format.js';
import type { ChartRow } from '../model.js';
import type { Gap } from '../visibility.js';
import { BLOCK, type RowElements } from './rows.js';

/** px from the top of the stage: the part near the viewport. */
export interface Range {
  readonly top: number;
  readonly bottom: number;
}

export class Chunks {
  readonly #rows: RowElements;
  readonly #chunks: readonly HTMLElement[];
  readonly #blocks: readonly HTMLElement[];
  /** px of each chunk; 0: none of its rows is shown. */
  #heights: readonly number[] = [];
  #blockHeights: readonly number[] = [];

  /** @param root the scrolled element. @param moved called when other chunks come near, or a height changes. */
  constructor(root: Element, rows: RowElements, moved: () => void) {
    this.#rows = rows;
    this.#chunks = rows.chunks;
    this.#blocks = rows.blocks;
    const places = new Map<Element, number>(rows.chunks.map((chunk, i) => [chunk, i]));
    const observer = (rootMargin: string): IntersectionObserver =>
      new IntersectionObserver(
        (entries) => {
          for (const { target, isIntersecting } of entries) {
            const chunk = places.get(target);
            if (isIntersecting && chunk !== undefined) this.#make(chunk);
            target.classList.toggle('far', !isIntersecting);
          }
          moved();
        },
        { root, rootMargin },
      );
    const sizes = new ResizeObserver(moved);
    const [near, nearBlocks] = [observer('100% 0px'), observer('200% 0px')];
    for (const chunk of this.#chunks) {
      near.observe(chunk);
      sizes.observe(chunk);
    }
    for (const block of this.#blocks) nearBlocks.observe(block);
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
    const blockHeights = this.#blocks.map((_, i) => sum(heights.slice(i * BLOCK, (i + 1) * BLOCK)));
    const y = typeof from === 'number' ? from : sum(heights.slice(0, Math.floor(from.index / CHUNK)));
    const [before, blocksBefore] = [this.#heights, this.#blockHeights];
    this.#heights = heights;
    this.#blockHeights = blockHeights;
    hold(this.#chunks, heights, before, { top: y - height, bottom: y + 2 * height }, (i) => this.#make(i));
    hold(this.#blocks, blockHeights, blocksBefore, { top: y - 2 * height, bottom: y + 3 * height });
    requestAnimationFrame(() => requestAnimationFrame(() => this.#admit()));
  }

  /** Makes the rows of a chunk of which some are shown. */
  #make(i: number): void {
    if (this.#heights[i] > 0) this.#rows.make(i);
  }

  #admit(): void {
    for (const one of [...this.#chunks, ...this.#blocks]) one.classList.remove('held');
  }

  /** Indices of the first and the last row that are near and laid out. */
  near({ top, bottom }: Range): readonly [first: number, last: number] {
    let first = -1;
    let last = -1;
    this.#blocks.forEach((block, at) => {
      if (block.classList.contains('far') || this.#blockHeights[at] === 0) return;
      const blockTop = block.offsetTop;
      for (let i = at * BLOCK; i < Math.min((at + 1) * BLOCK, this.#chunks.length); i++) {
        const chunk = this.#chunks[i];
        if (chunk.classList.contains('far') || this.#heights[i] === 0) continue;
        const y = blockTop + chunk.offsetTop;
        if (y > bottom || y + chunk.offsetHeight < top) continue;
        if (first < 0) first = i;
        last = i;
      }
    });
    return [first * CHUNK, (last + 1) * CHUNK - 1];
  }

  /** y of an arrow, px from the top of the stage. Rows beyond the near ones are placed at their edge. */
  lineOf(row: ChartRow, [first, last]: readonly [number, number]): number {
    const { index } = row;
    const at = Math.floor(Math.max(first, Math.min(last, index)) / CHUNK);
    const chunk = this.#chunks[at];
    const top = this.#blocks[Math.floor(at / BLOCK)].offsetTop + chunk.offsetTop;
    if (index < first) return top;
    if (index > last) return top + chunk.offsetHeight;
    const button = this.#rows.itemOf(row).getElementsByTagName('button')[0];
    return top + button.offsetTop + ARROW;
  }
}

/** Sets the heights of elements, and has the browser skip those beyond a range. @param isNear called with each of the others. */
function hold(
  elements: readonly HTMLElement[],
  heights: readonly number[],
  before: readonly number[],
  { top, bottom }: Range,
  isNear: (index: number) => void = () => {},
): void {
  let y = 0;
  heights.forEach((own, i) => {
    const { style, classList } = elements[i];
    if (before[i] !== own) style.setProperty('--height', `${own}px`);
    const isFar = y > bottom || y + own < top;
    if (!isFar) isNear(i);
    classList.toggle('far', isFar);
    classList.toggle('held', isFar);
    y += own;
  });
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
