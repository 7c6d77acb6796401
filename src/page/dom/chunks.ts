// Where rows stand. The browser leaves out chunks of rows that are far away; how high they would be is told to it here, and
// heights of single rows are asked for only where they are near, because asking lays them out. Knows the sizes of page.css.

import { CHUNK } from '../../render/html-format.js';
import type { Row } from '../model.js';
import type { Gap } from '../visibility.js';

/** px from the top of the stage: what is near. */
export interface Range {
  readonly top: number;
  readonly bottom: number;
}

export class Chunks {
  readonly #chunks: readonly HTMLElement[];
  readonly #buttons: readonly HTMLElement[];
  /** Notes of each row. */
  readonly #notes: readonly number[];
  #heights: number[] = [];

  constructor(chunks: readonly HTMLElement[], buttons: readonly HTMLElement[]) {
    this.#chunks = chunks;
    this.#buttons = buttons;
    this.#notes = buttons.map((button) => (button.parentElement?.childElementCount ?? 1) - 1);
  }

  /** What scrolls past stands where it will stand: heights as rows, gaps and notes have them. */
  reserve(gaps: ReadonlyMap<Row, Gap>): void {
    const heights = this.#chunks.map(() => 0);
    for (const [{ index }, { size }] of gaps)
      heights[Math.floor(index / CHUNK)] += ROW + GAPS[size] + NOTE * this.#notes[index];
    heights.forEach((height, i) => {
      if (this.#heights[i] !== height) this.#chunks[i].style.setProperty('--height', `${height}px`);
    });
    this.#heights = heights;
  }

  /** Indices of the first and the last row of what is near. */
  near({ top, bottom }: Range): readonly [first: number, last: number] {
    const tops = this.#chunks.map((chunk) => chunk.offsetTop);
    const after = tops.findIndex((one) => one > bottom);
    const last = after < 0 ? this.#chunks.length : after;
    let first = 0;
    while (first + 1 < last && tops[first + 1] <= top) first += 1;
    return [first * CHUNK, last * CHUNK - 1];
  }

  /** Line of an arrow, px from the top of the stage. What is beyond the near rows is at their edge. */
  lineOf({ index }: Row, [first, last]: readonly [number, number]): number {
    const near = Math.max(first, Math.min(last, index));
    const chunk = this.#chunks[Math.floor(near / CHUNK)];
    if (index < first) return chunk.offsetTop;
    if (index > last) return chunk.offsetTop + chunk.offsetHeight;
    return chunk.offsetTop + this.#buttons[index].offsetTop + ARROW;
  }
}

/** px, as in page.css. */
const ROW = 36;
const GAPS = [0, 3, 8, 16, 35] as const;
const NOTE = 33;
/** From the top of a row to its arrow. */
const ARROW = 27;
