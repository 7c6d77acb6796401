// Writes what a page shows as mermaid text, in the form of `kubeseq diagram`: its readers take it as an expectation, too.

import { escapeMermaid, labelLines } from '../render/escape/mermaid-escape.js';
import { lanePlaces } from './lanes.js';
import { type ChartRow, type Model, RESPONSE } from './model.js';

/** @param shown rows in order. */
export function mermaidText(model: Model, shown: readonly ChartRow[]): string {
  const lines = ['sequenceDiagram', '    autonumber'];
  const places = lanePlaces(model, shown);
  let box: string | undefined;
  model.view.participants.forEach(({ name, box: wanted }, i) => {
    if (places[i] < 0) return;
    if (wanted !== box && box !== undefined) lines.push('    end');
    if (wanted !== box && wanted !== undefined) lines.push(`    box transparent ${label(wanted)}`);
    box = wanted;
    lines.push(`${box === undefined ? '' : '    '}    participant P${i} as ${label(name)}`);
  });
  if (box !== undefined) lines.push('    end');
  if (shown.length === 0) lines.push('    participant K as capture', '    Note over K: nothing to draw');
  for (const row of shown) {
    lines.push(`    %% ${row.seq}`);
    const stops = [row.from, ...row.via, row.to];
    const line = row.kind === RESPONSE ? '-->>' : '->>';
    for (let i = 1; i < stops.length; i++)
      lines.push(`    P${stops[i - 1]} ${line} P${stops[i]}: ${label(model.view.labels[row.index])}`);
  }
  return `${lines.join('\n')}\n`;
}

function label(text: string): string {
  return labelLines(text).map(escapeMermaid).join('<br>');
}
