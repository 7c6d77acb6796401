// Shows the menu of time: from when to when, and the chapters of the story.

import { elapsedText } from '../../core/duration.js';
import type { Model } from '../model.js';
import type { Choice, TimeRange } from '../visibility.js';
import { add, button, element } from './element.js';

interface TimeActions {
  zoom(time: TimeRange | null): void;
  /** Brings the message with which a chapter begins into view. */
  chapter(seq: number): void;
}

export class TimeMenu {
  readonly menu = element('details', { class: 'menu' });
  readonly #choice: Choice;
  readonly #count = element('span', { class: 'count' });
  readonly #from: HTMLInputElement;
  readonly #to: HTMLInputElement;

  constructor(model: Model, choice: Choice, { zoom, chapter }: TimeActions) {
    this.#choice = choice;
    const { chapters } = model.view;
    const field = (name: string): HTMLInputElement => {
      const input = element('input', { type: 'number', step: 'any', 'aria-label': name, placeholder: name });
      input.addEventListener('change', () => zoom(this.#typed()));
      return input;
    };
    this.#from = field('from second');
    this.#to = field('to second');
    add(this.menu, element('summary', {}, chapters.length === 0 ? 'Time' : 'Chapters', this.#count));
    const content = element(
      'fieldset',
      {},
      element('legend', {}, 'Seconds since the first frame'),
      element('div', { class: 'times' }, this.#from, this.#to),
      button('All of it', () => zoom(null)),
    );
    const listed = chapters.slice(0, MAX_LISTED);
    listed.forEach(([seq, title], i) => {
      const row = model.rowOf(seq);
      if (row === undefined) return;
      const next = model.rowOf(chapters[i + 1]?.[0] ?? -1);
      const time = { from: row.micros, to: next === undefined ? Number.POSITIVE_INFINITY : next.micros - 1 };
      const name = `${elapsedText(row.micros * 1e3)} ${title}`;
      const only = button('only', () => zoom(time), { 'aria-label': `Only ${name}` });
      add(
        content,
        element(
          'div',
          { class: 'chapter' },
          button(name, () => chapter(seq)),
          only,
        ),
      );
    });
    if (listed.length < chapters.length)
      add(content, element('p', {}, `… and ${chapters.length - listed.length} more`));
    add(this.menu, content);
  }

  /** Shows the current choice. */
  refresh(): void {
    const { time } = this.#choice;
    const text = (micros: number | undefined): string =>
      micros === undefined || !Number.isFinite(micros) ? '' : String(micros / 1e6);
    this.#from.value = text(time?.from);
    this.#to.value = text(time?.to);
    this.#count.textContent = time === null ? '' : ` ${text(time.from)} to ${text(time.to) || 'the end'}`;
  }

  /** null: no limit is typed. */
  #typed(): TimeRange | null {
    const micros = (input: HTMLInputElement, otherwise: number): number =>
      input.value === '' || Number.isNaN(input.valueAsNumber) ? otherwise : Math.round(input.valueAsNumber * 1e9) / 1e3;
    const [from, to] = [micros(this.#from, Number.NEGATIVE_INFINITY), micros(this.#to, Number.POSITIVE_INFINITY)];
    return Number.isFinite(from) || Number.isFinite(to) ? { from, to } : null;
  }
}

/** Limit: chapters that the menu of a page lists: a reader of more looks for text instead. */
const MAX_LISTED = 300;
