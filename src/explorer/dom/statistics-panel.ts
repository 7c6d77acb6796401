// Shows the statistics of what is shown as tables of participants.

import { elapsedText } from '../../core/duration.js';
import type { ChartRow, Model } from '../model.js';
import { type ExchangeCounts, type ParticipantStatistics, statisticsOf } from '../statistics.js';
import { button, element } from './element.js';

/** @param openParticipant called with the participant whose name was chosen. */
export function statisticsTables(
  model: Model,
  shown: readonly ChartRow[],
  openParticipant: (participant: number) => void,
): HTMLElement[] {
  const { total, clients, servers } = statisticsOf(model, shown);
  const nameOf = ({ participant }: ParticipantStatistics): HTMLElement =>
    button(model.view.participants[participant].name, () => openParticipant(participant), { class: 'who' });
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
          ...cellsOf(counts).map((cell) => element('td', {}, cell)),
        ),
      ),
    );
  const list = (all: readonly ParticipantStatistics[]) =>
    all.slice(0, MAX_LISTED).map((one) => [nameOf(one), one] as const);
  return [table('By who requests', [...list(clients), ['all', total]]), table('By who answers', list(servers))];
}

function cellsOf({ requests, errors, unanswered, p50, p99 }: ExchangeCounts): string[] {
  const time = (micros: number | null): string => (micros === null ? '' : elapsedText(micros * 1e3));
  const count = (number: number): string => (number === 0 ? '' : String(number));
  return [String(requests), count(errors), count(unanswered), time(p50), time(p99)];
}

const HEADS = ['', 'requests', 'errors', 'no answer', 'p50', 'p99'] as const;
/** Limit: participants that a table of a page's statistics lists, those with the most requests first; `kubeseq top` has all. */
const MAX_LISTED = 100;
