// Folds equal things in a row: the same few arrows again and again, with the same notes, become one loop. Answers of a storm,
// which race, are put kind by kind first; nothing else is moved. What fails again and again with names that are made up each time is equal too, and
// says so. Knows steps, not what they mean.

import { EVENT_ENDING, SERVER_ENDING } from '../generated-names.js';
import { type Arrow, arrowsOf, type Loop, type Step } from '../model.js';

/** @returns the steps with loops, and how many messages went into them without being drawn. */
export function foldRepeats(drawn: readonly Step[]): { readonly steps: readonly Step[]; readonly repeated: number } {
  const steps = withStormsTold(drawn);
  const keys = steps.map(keyOf);
  const alike = keys.map((key) => key.replace(EVENT_ENDING, '').replace(SERVER_ENDING, ''));
  const out: Step[] = [];
  let repeated = 0;
  let at = 0;
  while (at < steps.length) {
    const equal = repeatAt(keys, steps, at);
    const found = equal ?? failingAt(alike, steps, at);
    if (found === null) {
      out.push(steps[at]);
      at += 1;
      continue;
    }
    const { length, times } = found;
    const body = steps.slice(at, at + length);
    const title = equal === null ? { title: `${times} times, each with another name` } : null;
    const loop: Loop = { kind: 'loop', times, ...title, steps: body };
    out.push(loop);
    repeated += arrowsOf(body).length * (times - 1);
    at += length * times;
  }
  return { steps: out, repeated };
}

/** As it was, nothing folded and nothing moved: only the bars of a storm are left out, which nobody could tell apart. */
export function withoutStormBars(drawn: readonly Step[]): readonly Step[] {
  return withoutStormActivations(drawn, stormsOf(drawn));
}

/** @returns the steps with storms told: no bars, and the answers of each storm kind by kind. */
function withStormsTold(drawn: readonly Step[]): readonly Step[] {
  const storms = stormsOf(drawn);
  if (storms.size === 0) return drawn;
  return withAnswersByKind(withoutStormActivations(drawn, storms), storms);
}

/**
 * Answers of a storm race: who gets 200 and who 429 is luck, and which comes first as well. Those that stand together are
 * told kind by kind, each in its order.
 */
function withAnswersByKind(steps: readonly Step[], storms: ReadonlyMap<number, number>): readonly Step[] {
  const out: Step[] = [];
  for (let at = 0; at < steps.length; ) {
    const storm = stormAnsweredBy(steps[at], storms);
    if (storm === undefined) {
      out.push(steps[at]);
      at += 1;
      continue;
    }
    const kinds = new Map<string, Step[]>();
    let kind: Step[] = [];
    for (; at < steps.length; at++) {
      const step = steps[at];
      if (step.kind !== 'note') {
        if (stormAnsweredBy(step, storms) !== storm) break;
        const key = step.kind === 'arrow' ? `${keyOf(step)} ${whyOf(step)}` : keyOf(step);
        kind = kinds.get(key) ?? [];
        kinds.set(key, kind);
      }
      kind.push(step);
    }
    for (const together of kinds.values()) out.push(...together);
  }
  return out;
}

/** Number of the storm whose answer a step is. */
function stormAnsweredBy(step: Step, storms: ReadonlyMap<number, number>): number | undefined {
  return step.kind === 'arrow' && step.message.kind === 'response' ? storms.get(step.message.exchange) : undefined;
}

/** Exchanges of storms, with the number of their storm: equal requests, or equal answers, in a row. */
function stormsOf(steps: readonly Step[]): ReadonlyMap<number, number> {
  const arrows = steps.filter((step) => step.kind === 'arrow');
  const storms = new Map<number, number>();
  for (let at = 0; at < arrows.length; ) {
    let end = at + 1;
    while (end < arrows.length && isAlike(arrows[at], arrows[end])) end += 1;
    if (end - at >= STORM)
      for (const { message } of arrows.slice(at, end))
        if (!storms.has(message.exchange)) storms.set(message.exchange, at);
    at = end;
  }
  return storms;
}

/**
 * Thirty clients ask the same at once, then get their answers: such runs fold only if no bar ties each request to its
 * own answer, and thirty bars say nothing anyway.
 */
function withoutStormActivations(steps: readonly Step[], storms: ReadonlyMap<number, number>): readonly Step[] {
  return steps.map((step) =>
    step.kind === 'arrow' && storms.has(step.message.exchange)
      ? { ...step, activates: false, deactivates: false }
      : step,
  );
}

function isAlike(a: Arrow, b: Arrow): boolean {
  return a.from === b.from && a.to === b.to && a.message.label === b.message.label;
}

/** Refusals of one status that have different reasons are not of one kind. */
function whyOf({ message: { reason, statusMessage } }: Arrow): string {
  return `${reason ?? ''} ${statusMessage ?? ''}`;
}

/**
 * The shortest block at `at` that comes again at once; whole exchanges only, so that no activation is torn, with the notes that
 * belong to its last arrow: what is said of the last time is not said of all.
 */
function repeatAt(
  keys: readonly string[],
  steps: readonly Step[],
  at: number,
): { length: number; times: number } | null {
  // A note belongs to the arrow before it.
  if (steps[at].kind === 'note') return null;
  for (let length = 1; length <= MAX_BLOCK && at + 2 * length <= steps.length; length++) {
    if (!isClosed(steps, at, length) || steps[at + length].kind === 'note') continue;
    let times = 1;
    while (isSame(keys, at, at + times * length, length) && steps[at + (times + 1) * length]?.kind !== 'note')
      times += 1;
    if (times > 1) return { length, times };
  }
  return null;
}

/** The same with names that are made up anew: what a controller tries again and again, and is refused. */
function failingAt(
  alike: readonly string[],
  steps: readonly Step[],
  at: number,
): { length: number; times: number } | null {
  const found = repeatAt(alike, steps, at);
  if (found === null) return null;
  const isRefused = steps
    .slice(at, at + found.length)
    .some((step) => step.kind === 'arrow' && (step.message.status ?? 0) >= 400);
  return isRefused ? found : null;
}

function isSame(keys: readonly string[], a: number, b: number, length: number): boolean {
  if (b + length > keys.length) return false;
  for (let i = 0; i < length; i++) if (keys[a + i] !== keys[b + i]) return false;
  return true;
}

function isClosed(steps: readonly Step[], at: number, length: number): boolean {
  const open = new Set<number>();
  for (let i = at; i < at + length; i++) {
    const step = steps[i];
    if (step.kind !== 'arrow') continue;
    if (step.activates) open.add(step.message.exchange);
    else if (step.deactivates && !open.delete(step.message.exchange)) return false;
  }
  return open.size === 0 && steps.slice(at, at + length).some((step) => step.kind === 'arrow');
}

function keyOf(step: Step): string {
  if (step.kind === 'arrow')
    return `${step.from} ${step.via?.join(' ') ?? ''} ${step.to} ${step.activates} ${step.deactivates} ${step.message.label}`;
  if (step.kind === 'note') return `note ${step.over.join(' ')} ${step.lines.join('\n')}`;
  return `loop ${step.times} ${step.steps.map(keyOf).join('\n')}`;
}

/** Steps in a block that repeats: two exchanges with a note each. */
const MAX_BLOCK = 6;
/** So many equal arrows in a row are a storm, not a dialogue. */
const STORM = 5;
