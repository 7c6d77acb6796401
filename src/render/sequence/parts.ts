// Splits a long sequence into several diagrams that fit the renderer, between phases where possible, with continuous numbers.

import { type Phase, phasesOf } from '../../diagram/layout/phases.js';
import { arrowsOf, type Lifeline, legsOf, type Note, type Sequence, type Step } from '../../diagram/model.js';

export interface DiagramPart {
  /** Its phases: `set-up`, `create deployments (2)`. */
  readonly titles: readonly string[];
  readonly sequence: Sequence;
  /** Numbers of its first and last arrow in the whole story; last < first if it has none. */
  readonly first: number;
  readonly last: number;
}

/**
 * @param lengthOf characters of a sequence's text. @param limit in characters.
 * @returns one part if the whole fits. Only a part of a single step may exceed the limit.
 */
export function partsOf(
  sequence: Sequence,
  lengthOf: (sequence: Sequence) => number,
  limit: number = MAX_PART,
): readonly DiagramPart[] {
  const whole = lengthOf(sequence);
  if (whole <= limit) return [{ titles: [], sequence, first: 1, last: drawnIn(sequence.steps) }];
  const head = lengthOf({ ...sequence, steps: [] });
  const places = new Map(sequence.participants.map(({ id }, i) => [id, i]));
  const lengths = sequence.steps.map((step) => {
    // Other participants add the same to both lengths, and time for each.
    const participants = besides(step, sequence, places);
    return lengthOf({ ...sequence, participants, steps: [step] }) - lengthOf({ ...sequence, participants, steps: [] });
  });
  const parts: DiagramPart[] = [];
  let first = 1;
  for (const { titles, from, to } of cuts(sequence, lengths, limit - head)) {
    const part = slice(sequence, from, to);
    const last = first + drawnIn(part.steps) - 1;
    parts.push({ titles, sequence: part, first, last });
    first = last + 1;
  }
  return parts;
}

/** Participants that decide how long the text of a step is: of an arrow its ends, of a note all over which it stands. */
function besides(step: Step, { participants }: Sequence, places: ReadonlyMap<string, number>): readonly Lifeline[] {
  if (step.kind === 'loop') return participants;
  const ids = step.kind === 'note' ? step.over : [step.from, ...(step.via ?? []), step.to];
  const at = [...new Set(ids.map((id) => places.get(id) ?? 0))].sort((a, b) => a - b);
  return step.kind === 'note' ? participants.slice(at[0], at[at.length - 1] + 1) : at.map((i) => participants[i]);
}

/** Numbered arrows: each leg of an arrow by way of a Service has its own number. */
export function drawnIn(steps: readonly Step[]): number {
  return arrowsOf(steps).reduce((count, arrow) => count + legsOf(arrow).length, 0);
}

interface SequencePart {
  readonly titles: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Several acts joined: `titles` are those of their first phases. */
  readonly joined?: true;
}

/** The titles when acts are joined: each act's first phase suffices. */
function headsOf({ titles, joined }: SequencePart): readonly string[] {
  return joined === true ? titles : titles.slice(0, 1);
}

/** Keeps a write and its effects (an act) together if they fit; joins short acts and cuts long ones. */
function cuts(sequence: Sequence, lengths: readonly number[], room: number): SequencePart[] {
  const sums = [0];
  for (const length of lengths) sums.push(sums[sums.length - 1] + length);
  const lengthOf = (from: number, to: number): number => sums[to] - sums[from];
  const open = openBefore(sequence.steps);
  const pieces: SequencePart[] = [];
  for (const act of actsOf(phasesOf(sequence))) {
    const whole: SequencePart = {
      titles: act.map(({ title }) => title),
      from: act[0].from,
      to: act[act.length - 1].to,
    };
    const last = pieces[pieces.length - 1];
    if (last !== undefined && lengthOf(last.from, whole.to) <= room * JOINED)
      pieces[pieces.length - 1] = {
        titles: [...headsOf(last), act[0].title],
        from: last.from,
        to: whole.to,
        joined: true,
      };
    else if (lengthOf(whole.from, whole.to) <= room) pieces.push(whole);
    else
      for (const { title, from, to } of act) {
        let at = from;
        for (let count = 1; at < to; count++) {
          const end = lengthOf(at, to) <= room ? to : cutWithin(at, to, sums, open, room);
          pieces.push({ titles: [count === 1 ? title : `${title} (${count})`], from: at, to: end });
          at = end;
        }
      }
  }
  return pieces;
}

function actsOf(phases: readonly Phase[]): Phase[][] {
  const acts: Phase[][] = [];
  for (const phase of phases) {
    if (phase.goesOn && acts.length > 0) acts[acts.length - 1].push(phase);
    else acts.push([phase]);
  }
  return acts;
}

function cutWithin(from: number, to: number, sums: readonly number[], open: readonly number[], room: number): number {
  let last = from + 1;
  while (last < to && sums[last + 1] - sums[from] <= room) last += 1;
  let best = last;
  for (let at = last; at > from && sums[at] - sums[from] > room / 2; at--) if (open[at] < open[best]) best = at;
  return best;
}

/** How many exchanges are open before each step. */
function openBefore(steps: readonly Step[]): number[] {
  const open: number[] = [0];
  for (const step of steps) {
    const change = step.kind !== 'arrow' ? 0 : step.activates ? 1 : step.deactivates ? -1 : 0;
    open.push(open[open.length - 1] + change);
  }
  return open;
}

/** Some steps as a sequence: no bar begins or ends outside, notes stand over its own participants. */
export function slice(sequence: Sequence, from: number, to: number): Sequence {
  return withSteps(sequence, sequence.steps.slice(from, to));
}

export function withSteps(sequence: Sequence, steps: readonly Step[]): Sequence {
  const closed = withoutTornBars(steps);
  const used = new Set(arrowsOf(closed).flatMap(({ from, via = [], to }) => [from, ...via, to]));
  if (used.size === 0) for (const step of closed) if (step.kind === 'note') for (const id of step.over) used.add(id);
  const participants = sequence.participants.filter(({ id }) => used.has(id));
  const order = sequence.participants.map(({ id }) => id);
  return { ...sequence, participants, steps: closed.map((step) => noteOver(step, participants, order)) };
}

function withoutTornBars(steps: readonly Step[]): Step[] {
  const seen = new Map<number, number>();
  for (const step of steps) {
    if (step.kind !== 'arrow' || !(step.activates || step.deactivates)) continue;
    seen.set(step.message.exchange, (seen.get(step.message.exchange) ?? 0) + 1);
  }
  return steps.map((step) =>
    step.kind === 'arrow' && seen.get(step.message.exchange) === 1
      ? { ...step, activates: false, deactivates: false }
      : step,
  );
}

function noteOver(step: Step, participants: readonly Lifeline[], order: readonly string[]): Step {
  if (step.kind !== 'note') return step;
  const ids = participants.map(({ id }) => id);
  if (step.over.every((id) => ids.includes(id))) return step;
  const [left, right] = [order.indexOf(step.over[0]), order.indexOf(step.over[step.over.length - 1])];
  const inside = ids.filter((id) => order.indexOf(id) >= left && order.indexOf(id) <= right);
  const over = inside.length === 0 ? ids : inside;
  const note: Note = { ...step, over: over.length === 1 ? [over[0]] : [over[0], over[over.length - 1]] };
  return note;
}

/** Share of the limit up to which acts are joined: a story that must be cut reads better in acts. */
const JOINED = 3 / 8;
/** Limit: characters of a mermaid text: GitHub's fixed limit is 50,000 (mermaid's `maxTextSize`), and people edit pasted text. */
export const MAX_PART = 40_000;
