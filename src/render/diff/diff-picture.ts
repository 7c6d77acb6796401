// Draws a difference as one sequence: arrows of one side alone are marked, and long common stretches are a count.

import { counted } from '../../core/quantity.js';
import type { Arrow, Note, PicturedMessage, SequencePicture, Step } from '../../diagram/model.js';
import type { Difference, DiffLine } from '../../diff/compare.js';
import type { DiffSide } from '../../diff/item.js';

export function diffPicture(difference: Difference, before: DiffSide, after: DiffSide): SequencePicture {
  const shown = shownLines(difference.lines);
  const names = participants(before, after).filter((name) =>
    shown.some((line) => line.kind !== 'gap' && (line.item.from === name || line.item.to === name)),
  );
  if (names.length === 0) return { participants: [], steps: [], closing: ['no difference'], total: 1 };
  const ids = new Map(names.map((name, i) => [name, `P${i + 1}`]));
  const over: Note['over'] = names.length === 1 ? ['P1'] : ['P1', `P${names.length}`];
  const note = (...lines: readonly string[]): Note => ({ kind: 'note', over, lines });
  const steps: Step<PicturedMessage>[] = [
    note(`red: only in ${before.name}`, `green: only in ${after.name}`),
    ...shown.map((line) =>
      line.kind === 'gap' ? note(`${counted(line.count, 'arrow')} that both have`) : arrow(line, ids),
    ),
  ];
  const lanes = [...ids].map(([name, id]) => ({ id, name }));
  return { participants: lanes, steps, closing: [], total: shown.length };
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

function arrow({ item, kind }: DiffLine, ids: ReadonlyMap<string, string>): Arrow<PicturedMessage> {
  const { from, to, label, seq, source } = item;
  const ends = { from: ids.get(from) ?? '', to: ids.get(to) ?? '' };
  const sign = kind === 'added' ? '+ ' : kind === 'removed' ? '- ' : '';
  const isOnlyIn = kind === 'added' ? 'after' : kind === 'removed' ? 'before' : undefined;
  const message = { kind: item.kind, label: `${sign}${label}`, seq, frames: source?.message.frames ?? [0, 0] } as const;
  return { kind: 'arrow', message, ...ends, activates: false, deactivates: false, isOnlyIn };
}

const CONTEXT = 6;
