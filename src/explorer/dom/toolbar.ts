// Shows the controls above the chart and reports changes of the reader's choice.

import type { Model } from '../model.js';
import { modelCounts, objectText } from '../model.js';
import type { Choice, TimeRange } from '../visibility.js';
import { add, button, byId, element } from './element.js';
import { ChoiceMenu, keepInside } from './menu.js';
import { TimeMenu } from './time-menu.js';

export interface ToolActions {
  /** The choice changed. */
  changed(): void;
  search(text: string): void;
  /** Shows only what happened in a part of the time; null: all of it. */
  zoom(time: TimeRange | null): void;
  chapter(seq: number): void;
  reset(): void;
  /** Shows counts of what is shown. */
  statistics(): void;
  /** Shows the steps of the critical paths. */
  path(): void;
  help(): void;
}

export class Toolbar {
  readonly search: HTMLInputElement;
  readonly #choice: Choice;
  readonly #actions: ToolActions;
  readonly #menus: { readonly menu: HTMLDetailsElement; refresh(): void }[] = [];
  readonly #problems: HTMLElement;

  /** @param exports the menu that saves what is shown. */
  constructor(model: Model, choice: Choice, actions: ToolActions, exports: HTMLDetailsElement) {
    this.#choice = choice;
    this.#actions = actions;
    const { participants, layers, folds, words, objects, path } = model.view;
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
    const byCount = (values: readonly unknown[], count: readonly number[]) =>
      values
        .map((_, i) => i)
        .filter((i) => count[i] > 0)
        .sort((a, b) => count[b] - count[a]);
    const named = byCount(objects, counts.objects).filter((i) => objects[i][2] !== null);
    const all = <T>(values: readonly T[]): number[] => values.map((_, i) => i);
    add(
      byId('tools'),
      this.search,
      this.#menu('Participants', choice.participants, all(participants), (i) => participants[i].name, counts.ends),
      this.#menu('Objects', choice.objects, named, (i) => objectText(objects[i]), counts.objects),
      this.#menu(
        'Namespaces',
        choice.namespaces,
        byCount(model.namespaces, counts.namespaces),
        (i) => model.namespaces[i],
        counts.namespaces,
      ),
      this.#menu('Verbs', choice.verbs, byCount(words, counts.verbs), (i) => words[i], counts.verbs),
      this.#menu('Resources', choice.resources, byCount(words, counts.resources), (i) => words[i], counts.resources),
      this.#menu('Layers', choice.layers, all(layers), (i) => layers[i].name, counts.layers),
      this.#menu('Unfold', choice.unfolded, byCount(folds, counts.folds), (i) => folds[i], counts.folds, true),
      this.#timeMenu(model),
      this.#problems,
      path.length === 0 ? null : button('Path', actions.path, { title: 'Where the time went: the critical path' }),
      button('Statistics', actions.statistics, { title: 'Requests, errors and latencies of what is shown' }),
      exports,
      button('Reset', actions.reset),
      button('Theme', changeTheme, { title: 'Light or dark' }),
      button('?', actions.help, { 'aria-label': 'Keys and what the drawing means' }),
    );
    this.#menus.push({ menu: exports, refresh: () => {} });
    document.addEventListener('pointerdown', (event) => {
      for (const { menu } of this.#menus)
        if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
    });
    for (const { menu } of this.#menus) menu.addEventListener('toggle', () => keepInside(menu));
    addEventListener('resize', () => {
      for (const { menu } of this.#menus) keepInside(menu);
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
    for (const menu of this.#menus) menu.refresh();
    this.#problems.setAttribute('aria-pressed', String(this.#choice.problems));
  }

  #timeMenu(model: Model): HTMLElement {
    const created = new TimeMenu(model, this.#choice, this.#actions);
    this.#menus.push(created);
    return created.menu;
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
    const { changed } = this.#actions;
    const created = new ChoiceMenu({ title, set, values, nameOf, counts, withAll, changed });
    this.#menus.push(created);
    return created.menu;
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
