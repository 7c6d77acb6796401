// Shows the controls above the chart and reports changes of the reader's choice.

import type { Model } from '../model.js';
import { modelCounts } from '../model.js';
import type { Choice } from '../visibility.js';
import { add, button, byId, element } from './element.js';

export interface ToolActions {
  /** The choice changed. */
  changed(): void;
  search(text: string): void;
  reset(): void;
  /** Shows the steps of the critical paths. */
  path(): void;
  help(): void;
}

export class Toolbar {
  readonly search: HTMLInputElement;
  readonly #choice: Choice;
  readonly #actions: ToolActions;
  readonly #boxes: { readonly input: HTMLInputElement; readonly set: Set<number>; readonly value: number }[] = [];
  readonly #menus: { readonly menu: HTMLDetailsElement; readonly count: HTMLElement; readonly set: Set<number> }[] = [];
  readonly #problems: HTMLElement;

  constructor(model: Model, choice: Choice, actions: ToolActions) {
    this.#choice = choice;
    this.#actions = actions;
    const { participants, layers, folds, words, path } = model.view;
    const counts = modelCounts(model);
    this.search = element('input', {
      type: 'search',
      id: 'search',
      placeholder: 'Find text (/)',
      'aria-label': 'Find text in fields, heads and bodies',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    this.search.addEventListener('input', () => actions.search(this.search.value));
    this.#problems = button('Problems', () => {
      choice.problems = !choice.problems;
      this.refresh();
      actions.changed();
    });
    this.#problems.title = 'Only what went wrong: what kubeseq summary lists';
    const byCount = (values: readonly string[], count: readonly number[]) =>
      values
        .map((_, i) => i)
        .filter((i) => count[i] > 0)
        .sort((a, b) => count[b] - count[a]);
    const all = <T>(values: readonly T[]): number[] => values.map((_, i) => i);
    add(
      byId('tools'),
      this.search,
      this.#menu('Participants', choice.participants, all(participants), (i) => participants[i].name, counts.ends),
      this.#menu('Verbs', choice.verbs, byCount(words, counts.verbs), (i) => words[i], counts.verbs),
      this.#menu('Resources', choice.resources, byCount(words, counts.resources), (i) => words[i], counts.resources),
      this.#menu('Layers', choice.layers, all(layers), (i) => layers[i].name, counts.layers),
      this.#menu('Unfold', choice.unfolded, byCount(folds, counts.folds), (i) => folds[i], counts.folds, true),
      this.#problems,
      path.length === 0 ? null : button('Path', actions.path, { title: 'Where the time went: the critical path' }),
      button('Reset', actions.reset),
      button('Theme', changeTheme, { title: 'Light or dark' }),
      button('?', actions.help, { 'aria-label': 'Keys and what the drawing means' }),
    );
    document.addEventListener('pointerdown', (event) => {
      for (const { menu } of this.#menus)
        if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
    });
    this.refresh();
  }

  /** Closes an open menu. @returns whether there was one. */
  closeMenus(): boolean {
    const open = this.#menus.filter(({ menu }) => menu.open);
    for (const { menu } of open) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    }
    return open.length > 0;
  }

  /** Shows the current choice. */
  refresh(): void {
    for (const { input, set, value } of this.#boxes) input.checked = set.has(value);
    for (const { count, set } of this.#menus) count.textContent = set.size === 0 ? '' : ` ${set.size}`;
    this.#problems.setAttribute('aria-pressed', String(this.#choice.problems));
  }

  #menu(
    title: string,
    set: Set<number>,
    values: readonly number[],
    nameOf: (value: number) => string,
    counts: readonly number[],
    withAll = false,
  ): HTMLElement | null {
    if (values.length === 0) return null;
    const count = element('span', { class: 'count' });
    const menu = element('details', { class: 'menu' }, element('summary', {}, title, count));
    const choose = (change: () => void): void => {
      change();
      this.refresh();
      this.#actions.changed();
    };
    const field = element('fieldset', {}, element('legend', {}, title));
    const setAll = (): void => {
      for (const value of values) set.add(value);
    };
    if (withAll)
      add(
        field,
        button('All', () => choose(setAll)),
      );
    add(
      field,
      button('None', () => choose(() => set.clear())),
    );
    for (const value of values) {
      const input = element('input', { type: 'checkbox' });
      input.addEventListener('change', () => choose(() => void (input.checked ? set.add(value) : set.delete(value))));
      this.#boxes.push({ input, set, value });
      add(field, element('label', {}, input, nameOf(value), element('small', {}, String(counts[value] ?? 0))));
    }
    add(menu, field);
    this.#menus.push({ menu, count, set });
    return menu;
  }
}

function changeTheme(): void {
  const root = document.documentElement;
  const isDark =
    root.dataset['theme'] === undefined
      ? matchMedia('(prefers-color-scheme: dark)').matches
      : root.dataset['theme'] === 'dark';
  root.dataset['theme'] = isDark ? 'light' : 'dark';
}
