// Renders a difference as one mermaid diagram: common arrows plain, arrows of the first side on red, of the second on green; long common
// stretches as a count.

import { counted } from '../../core/quantity.js';
import type { Difference, DiffLine } from '../../diff/compare.js';
import type { DiffSide } from '../../diff/item.js';
import { escapeMermaid, shorten, wrap } from '../escape/mermaid-escape.js';

export function renderDiffMermaid(difference: Difference, before: DiffSide, after: DiffSide): string {
  const shown = shownLines(difference.lines);
  const names = participants(before, after).filter((name) =>
    shown.some((line) => line.kind !== 'gap' && (line.item.from === name || line.item.to === name)),
  );
  const ids = new Map(names.map((name, i) => [name, `P${i + 1}`]));
  const out = ['sequenceDiagram'];
  for (const [name, id] of ids) out.push(`    participant ${id} as ${label(name)}`);
  if (names.length === 0)
    return `${[...out, '    participant P1 as both', '    Note over P1: no difference'].join('\n')}\n`;
  const ends = names.length === 1 ? 'P1' : `P1,P${names.length}`;
  out.push(`    Note over ${ends}: red: only in ${label(before.name)}<br>green: only in ${label(after.name)}`);
  let open: DiffLine['kind'] = 'same';
  for (const line of shown) {
    const kind = line.kind === 'gap' ? 'same' : line.kind;
    if (kind !== open) {
      if (open !== 'same') out.push('    end');
      if (kind !== 'same') out.push(`    rect ${COLOURS[kind]}`);
      open = kind;
    }
    if (line.kind === 'gap') out.push(`    Note over ${ends}: ${counted(line.count, 'arrow')} that both have`);
    else out.push(arrow(line, ids));
  }
  if (open !== 'same') out.push('    end');
  return `${out.join('\n')}\n`;
}

type ShownDifference = DiffLine | { readonly kind: 'gap'; readonly count: number };

/** Lines near a difference; the others as gaps with their number. */
function shownLines(lines: readonly DiffLine[]): ShownDifference[] {
  const near = lines.map(() => false);
  for (const [place, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let at = Math.max(0, place - CONTEXT); at <= Math.min(lines.length - 1, place + CONTEXT); at++)
      near[at] = true;
  }
  if (!near.includes(true)) return [];
  const shown: ShownDifference[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && !near[end]) end++;
    // A note saves nothing in place of one or two arrows.
    if (end - at > 2) shown.push({ kind: 'gap', count: end - at });
    else shown.push(...lines.slice(at, end));
    at = end;
    while (at < lines.length && near[at]) shown.push(lines[at++]);
  }
  return shown;
}

/** From left to right: the second side's participants, with the first side's others after the one that precedes them there. */
function participants(before: DiffSide, after: DiffSide): string[] {
  const names = [...after.participants];
  let place = 0;
  for (const name of before.participants) {
    const known = names.indexOf(name);
    if (known >= 0) place = known + 1;
    else names.splice(place++, 0, name);
  }
  return names;
}

function arrow({ item, kind }: DiffLine, ids: ReadonlyMap<string, string>): string {
  const sign = kind === 'added' ? '+ ' : kind === 'removed' ? '- ' : '';
  const line = item.kind === 'response' ? '-->>' : '->>';
  const indent = kind === 'same' ? '    ' : '        ';
  return `${indent}${ids.get(item.from)} ${line} ${ids.get(item.to)}: ${label(sign + item.label)}`;
}

function label(text: string): string {
  return wrap(shorten(text)).map(escapeMermaid).join('<br>');
}

/** Readable on light and dark pages. */
const COLOURS = { added: 'rgba(46, 160, 67, 0.25)', removed: 'rgba(248, 81, 73, 0.25)', same: '' } as const;
const CONTEXT = 6;
