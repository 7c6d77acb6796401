// Renders a report of `kubeseq top` as JSON, for programs.

import type { UsageFinding } from '../../top/findings/finding.js';
import type { TopCounts, TopReport } from '../../top/top-report.js';
import { jsonText } from '../escape/json-text.js';
import { formatTime } from '../time.js';

/** @param digits of a second's fraction: 6 or 9. */
export function renderTopJson(report: TopReport, digits: number): string {
  const { first, last, seconds, by, total, rows, moreRows, ungrouped, findings } = report;
  const timeOf = (ns: bigint | null): string | null => (ns === null ? null : formatTime(ns, digits));
  const finding = ({ kind, clients, what, count, first, last, messages }: UsageFinding): object => ({
    kind,
    clients: clients.map(({ name }) => name),
    what,
    count,
    first: timeOf(first),
    last: timeOf(last),
    messages,
  });
  return `${jsonText(
    {
      first: timeOf(first),
      last: timeOf(last),
      seconds,
      by,
      total,
      rows: rows.map(({ values, ...counts }) => ({
        ...Object.fromEntries(by.map((key, i) => [key, values[i]])),
        ...(counts satisfies TopCounts),
      })),
      moreRows,
      ungrouped,
      findings: findings.map(finding),
    },
    2,
  )}\n`;
}
