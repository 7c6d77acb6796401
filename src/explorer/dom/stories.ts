// Makes the list at the page's side lead to messages: a story to all of its, a problem to the first that shows it.

import type { ChartRow, Model } from '../model.js';
import type { Choice } from '../visibility.js';
import { byId } from './element.js';

interface StoryActions {
  /** Opens the message that shows a problem. */
  open(row: ChartRow): void;
  /** Shows a story; null: everything again. */
  show(story: number | null): void;
}

export class StoryList {
  readonly #choice: Choice;
  /** null: the page lists nothing. */
  readonly #list = document.getElementById('stories');

  constructor({ rowOf }: Model, choice: Choice, { open, show }: StoryActions) {
    this.#choice = choice;
    byId('chart').addEventListener('pointerdown', () => void this.uncover());
    this.#list?.addEventListener('click', ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null;
      if (button === null) return;
      const { message, story } = button.dataset;
      this.uncover();
      const row = rowOf(Number(message));
      if (row !== undefined) open(row);
      else show(choice.stories.has(Number(story)) ? null : Number(story));
    });
  }

  get isListed(): boolean {
    return this.#list !== null;
  }

  /** Shows the list, or takes it away: which of them is usual depends on the width of the window. */
  toggle(): void {
    this.#list?.classList.toggle('toggled');
  }

  /** Takes the list away where it covers the messages. @returns whether it did. */
  uncover(): boolean {
    const isOver =
      this.#list !== null && this.#list.offsetWidth > 0 && getComputedStyle(this.#list).position === 'fixed';
    if (isOver) this.toggle();
    return isOver;
  }

  /** Shows the current choice. */
  refresh(): void {
    for (const button of this.#list?.querySelectorAll<HTMLElement>('[data-story]') ?? [])
      button.setAttribute('aria-pressed', String(this.#choice.stories.has(Number(button.dataset['story']))));
  }
}
