// Lists the steps of the marked critical paths, each with its time and share, as links to their messages.

import { elapsedText } from '../../core/duration.js';
import type { ViewStep } from '../../render/html/html-format.js';
import type { ChartRow, Model } from '../model.js';
import { type ExchangeCounts, type ParticipantStatistics, statisticsOf } from '../statistics.js';
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

interface StatisticsActions {
  openParticipant(participant: number): void;
  open(row: ChartRow): void;
  /** Lists the messages that a number counts. */
  list(title: string, rows: readonly ChartRow[]): void;
}

/** Tables whose numbers lead to what they count, and whose times to the answers that took so long. */
export function statisticsTables(model: Model, shown: readonly ChartRow[], actions: StatisticsActions): HTMLElement[] {
  const { total, clients, servers } = statisticsOf(model, shown);
  const nameOf = ({ participant }: ParticipantStatistics): HTMLElement =>
    button(model.view.participants[participant].name, () => actions.openParticipant(participant), { class: 'who' });
  const table = (title: string, rows: readonly (readonly [HTMLElement | string, ExchangeCounts])[]): HTMLElement =>
    element(
      'table',
      {},
      element('caption', {}, title),
      element('tr', {}, ...HEADS.map((head) => element('th', { scope: 'col' }, head))),
      ...rows.map(([name, counts]) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, name),
          ...cellsOf(counts, typeof name === 'string' ? name : (name.textContent ?? ''), actions),
        ),
      ),
    );
  const list = (all: readonly ParticipantStatistics[]) =>
    all.slice(0, MAX_LISTED).map((one) => [nameOf(one), one] as const);
  return [table('By who requests', [...list(clients), ['all', total]]), table('By who answers', list(servers))];
}

function cellsOf(counts: ExchangeCounts, name: string, { open, list }: StatisticsActions): HTMLElement[] {
  const { requests, errors, unanswered, p50, p99 } = counts;
  const cell = (text: string, act: () => void): HTMLElement => element('td', {}, text === '' ? '' : button(text, act));
  const number = (rows: readonly ChartRow[], i: number): HTMLElement =>
    cell(rows.length === 0 ? '' : String(rows.length), () => list(`${HEADS[i + 1]}: ${name}`, rows));
  const time = (row: ChartRow | null): HTMLElement =>
    row === null ? element('td') : cell(elapsedText(row.latency * 1e3), () => open(row));
  return [...[requests, errors, unanswered].map(number), time(p50), time(p99)];
}

const HEADS = ['', 'requests', 'errors', 'no answer', 'p50', 'p99'] as const;
/** Limit: participants that a table of a page's statistics lists, those with the most requests first; `kubeseq top` has all. */
const MAX_LISTED = 100;
