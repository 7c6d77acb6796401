// Shows a menu of values that a reader chooses from; where there are many, with a field that finds some of them.

import { add, button, element } from './element.js';

interface MenuValues {
  readonly title: string;
  /** The chosen values, which the menu changes. */
  readonly set: Set<number>;
  readonly values: readonly number[];
  readonly counts: readonly number[];
  /** Has a button that chooses all. */
  readonly withAll?: boolean;
  nameOf(value: number): string;
  /** The reader chose something. */
  changed(): void;
}

export class ChoiceMenu {
  readonly menu: HTMLDetailsElement;
  readonly #values: MenuValues;
  readonly #count = element('span', { class: 'count' });
  readonly #list = element('div');
  #boxes: { readonly input: HTMLInputElement; readonly value: number }[] = [];
  #text = '';

  constructor(values: MenuValues) {
    this.#values = values;
    const { title, set, withAll } = values;
    this.menu = element('details', { class: 'menu' }, element('summary', {}, title, this.#count));
    const field = element('fieldset', {}, element('legend', {}, title));
    const setAll = (): void => {
      for (const value of values.values) set.add(value);
    };
    if (withAll === true)
      add(
        field,
        button('All', () => this.#choose(setAll)),
      );
    add(
      field,
      button('None', () => this.#choose(() => set.clear())),
    );
    if (values.values.length > MANY) add(field, this.#finder());
    add(field, this.#list);
    add(this.menu, field);
    this.#fill();
  }

  /** Shows the current choice. */
  refresh(): void {
    const { set } = this.#values;
    this.#count.textContent = set.size === 0 ? '' : ` ${set.size}`;
    const isListed = new Set(this.#boxes.map(({ value }) => value));
    if ([...set].some((value) => !isListed.has(value))) this.#fill();
    for (const { input, value } of this.#boxes) input.checked = set.has(value);
  }

  #finder(): HTMLElement {
    const input = element('input', {
      type: 'search',
      placeholder: 'Find',
      'aria-label': `Find in ${this.#values.title}`,
      autocomplete: 'off',
    });
    input.addEventListener('input', () => {
      this.#text = input.value.toLowerCase();
      this.#fill();
      this.refresh();
    });
    return input;
  }

  /** Lists the chosen values and the first of those that are looked for. */
  #fill(): void {
    const { set, values, nameOf, counts } = this.#values;
    const found = values.filter((value) => set.has(value) || nameOf(value).toLowerCase().includes(this.#text));
    const listed = found.filter((value, i) => set.has(value) || i < MAX_LISTED);
    this.#boxes = [];
    this.#list.replaceChildren(
      ...listed.map((value) => {
        const input = element('input', { type: 'checkbox' });
        input.addEventListener('change', () =>
          this.#choose(() => void (input.checked ? set.add(value) : set.delete(value))),
        );
        this.#boxes.push({ input, value });
        return element('label', {}, input, nameOf(value), element('small', {}, String(counts[value] ?? 0)));
      }),
    );
    if (listed.length < found.length) add(this.#list, element('p', {}, `… and ${found.length - listed.length} more`));
  }

  #choose(change: () => void): void {
    change();
    this.refresh();
    this.#values.changed();
  }
}

/** Moves what an open menu shows to the left, until its right edge is inside the window. On narrow screens the style places it. */
export function keepInside(menu: HTMLDetailsElement): void {
  const content = menu.querySelector('fieldset');
  if (!menu.open || content === null) return;
  const { left } = menu.getBoundingClientRect();
  const room = document.documentElement.clientWidth - content.offsetWidth - MARGIN;
  content.style.setProperty('--left', `${Math.max(MARGIN, Math.min(left, room)) - left}px`);
}

/** Pixels between a menu and the edge of the window. */
const MARGIN = 8;
/** Values; more of them have a field that finds some. */
const MANY = 20;
/** Limit: values that a menu of a page lists: a capture has thousands of objects, and its field finds the others. */
const MAX_LISTED = 200;
