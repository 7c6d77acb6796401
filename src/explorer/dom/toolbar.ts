// Shows the controls above the chart and reports changes of the reader's choice.

import { elapsedText } from '../../core/duration.js';
import { type Model, modelCounts, viewObjectText } from '../model.js';
import type { Choice, TimeRange } from '../visibility.js';
import { add, button, byId, element } from './element.js';
import { ChoiceMenu, keepInside } from './menu.js';

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
  /** Shows the list of stories, or takes it away; null: there is none. */
  readonly stories: (() => void) | null;
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
      actions.stories === null
        ? null
        : button('Stories', actions.stories, { title: 'What went wrong, and the stories' }),
      this.search,
      this.#menu('Participants', choice.participants, all(participants), (i) => participants[i].name, counts.ends),
      this.#menu('Objects', choice.objects, named, (i) => viewObjectText(objects[i]), counts.objects),
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
