// Makes the elements of rows, a chunk at a time: those near the viewport when they are needed, the others while the browser is idle.

import { CHUNK, type ViewNote } from '../../render/html/html-format.js';
import { rowParts } from '../../render/html/row-parts.js';
import type { ChartRow, Model } from '../model.js';
import { element, lineNode } from './element.js';

export class RowElements {
  /** One element for each chunk of rows; empty until the rows are made. */
  readonly chunks: readonly HTMLElement[];
  /** Elements around chunks. */
  readonly blocks: readonly HTMLElement[];
  readonly #model: Model;
  readonly #names: readonly string[];
  readonly #items: (HTMLElement | undefined)[];
  readonly #template = templateRow();
  readonly #prepare: (item: HTMLElement, row: ChartRow) => void;
  /** Chunks before this one are made. */
  #next = 0;

  /** @param prepare called with each new element before it is in the document. */
  constructor(model: Model, prepare: (item: HTMLElement, row: ChartRow) => void) {
    this.#model = model;
    this.#prepare = prepare;
    this.#names = model.view.participants.map(({ name }) => name);
    this.#items = new Array<undefined>(model.rows.length).fill(undefined);
    this.chunks = Array.from({ length: Math.ceil(model.rows.length / CHUNK) }, () =>
      element('div', { class: 'chunk' }),
    );
    this.blocks = Array.from({ length: Math.ceil(this.chunks.length / BLOCK) }, (_, i) =>
      element('div', { class: 'block' }, ...this.chunks.slice(i * BLOCK, (i + 1) * BLOCK)),
    );
  }

  /** Number of notes of a row. */
  notesOf(row: ChartRow): number {
    return this.#model.notesOf(row).length;
  }

  itemOf({ index }: ChartRow): HTMLElement {
    this.make(Math.floor(index / CHUNK));
    return this.#items[index] as HTMLElement;
  }

  /** undefined if the row is not made yet. */
  madeItemOf({ index }: ChartRow): HTMLElement | undefined {
    return this.#items[index];
  }

  /** Makes the rows of a chunk, unless they are there. */
  make(chunk: number): void {
    const first = chunk * CHUNK;
    if (this.#items[first] !== undefined) return;
    const items = this.#model.rows.slice(first, first + CHUNK).map((row) => {
      const item = this.#itemFor(row);
      this.#items[row.index] = item;
      this.#prepare(item, row);
      return item;
    });
    this.chunks[chunk].append(...items);
  }

  /** Makes the next chunk that is missing. @returns whether there may be more of them. */
  makeNext(): boolean {
    if (this.#next < this.chunks.length) this.make(this.#next++);
    return this.#next < this.chunks.length;
  }

  makeAll(): void {
    while (this.makeNext());
  }

  /** The same as the writer's row (render/html/plain-rows.ts). */
  #itemFor(row: ChartRow): HTMLElement {
    const parts = rowParts(row, this.#model.view.labels[row.index], this.#names);
    const item = this.#template.cloneNode(true) as HTMLElement;
    item.id = `m${row.seq}`;
    item.dataset['seq'] = String(row.seq);
    item.className = parts.className;
    const button = item.firstElementChild as HTMLElement;
    const [time, ends, label] = button.children;
    time.firstElementChild?.append(parts.number);
    time.append(` ${parts.time}`);
    ends.append(lineNode(parts.ends));
    if (parts.tag === '') label.firstElementChild?.remove();
    else label.firstElementChild?.append(parts.tag);
    label.append(lineNode(parts.rest));
    if (parts.after !== '') label.append(element('em', {}, parts.after));
    for (const one of row.via) button.append(element('u', { class: `v${one}` }));
    for (const note of this.#model.notesOf(row)) {
      if (note[1] === 0) button.before(noteElement(note));
      else item.append(noteElement(note));
    }
    return item;
  }
}

/** Chunks of a block: the browser looks at each block in every frame, at chunks only in those that are near. */
export const BLOCK = 16;

function templateRow(): HTMLElement {
  const button = element(
    'button',
    { type: 'button', tabindex: -1 },
    element('time', {}, element('small')),
    element('span'),
    element('b', {}, element('i')),
  );
  return element('div', { role: 'listitem' }, button);
}

function noteElement([, , from, to, ...lines]: ViewNote): HTMLElement {
  const text = element('bdi');
  lines.forEach((line, i) => {
    if (i > 0) text.append(element('br'));
    text.append(lineNode(line));
  });
  return element('p', { class: `note f${from} t${to}` }, element('span', {}, text));
}
