// Lists the steps of the marked critical paths, each with its time and share, as links to their messages.

import type { ViewStep } from '../../render/html/html-format.js';
import type { ChartRow, Model } from '../model.js';
import { add, button, element } from './element.js';

interface PathActions {
  open(row: ChartRow): void;
  /** Why the row is hidden, in a word; empty if it is shown. */
  whyHidden(row: ChartRow): string;
}

/** @returns an element for each path. */
export function pathLists({ view, rowOf }: Model, actions: PathActions): HTMLElement[] {
  const sections: HTMLElement[] = [];
  let items = element('ol');
  for (const step of view.path) {
    if (step.head !== undefined) {
      items = element('ol', { class: 'steps' });
      sections.push(element('section', {}, element('h3', {}, step.head), items));
    }
    add(items, element('li', {}, stepItem(step, rowOf(step.seq), actions)));
  }
  return sections;
}

function stepItem(step: ViewStep, row: ChartRow | undefined, { open, whyHidden }: PathActions): HTMLElement {
  const { seq, took, share = 0, what } = step;
  const why = row === undefined ? 'not in this page' : whyHidden(row);
  const created =
    row === undefined ? element('div', { class: 'jump' }) : button('', () => open(row), { class: 'jump step' });
  const bar = element('span', { class: 'share' });
  bar.style.setProperty('--share', `${share}%`);
  add(
    created,
    element('strong', {}, took === undefined ? 'begins' : `${took}, ${share.toFixed(0)} %`),
    bar,
    element('span', { class: 'what' }, what ?? 'with this request'),
    element('small', {}, ` message ${seq}${why === '' ? '' : ` ${why}`}`),
  );
  return created;
}
