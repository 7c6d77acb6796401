// Folds equal steps in a row: a block of arrows that repeats, with the same notes, becomes one loop. Concurrent
// responses are grouped by kind first; nothing else is moved.

import { append } from '../../core/collections/many.js';
import { counted } from '../../core/quantity.js';
import { EVENT_ENDING, SERVER_ENDING } from '../generated-names.js';
import { type Arrow, arrowsOf, type Loop, type Step } from '../model.js';

/** @returns the steps with loops, and the number of messages that are not drawn because of them. */
export function foldRepeats(drawn: readonly Step[]): { readonly steps: readonly Step[]; readonly repeated: number } {
  const steps = groupedBursts(drawn);
  const keys = steps.map(keyOf);
  const withoutNames = keys.map((key) => key.replace(EVENT_ENDING, '').replace(SERVER_ENDING, ''));
  const out: Step[] = [];
  let repeated = 0;
  let at = 0;
  while (at < steps.length) {
    const equal = repeatAt(keys, steps, at);
    const found = equal ?? failingAt(withoutNames, steps, at);
    if (found === null) {
      out.push(steps[at]);
      at += 1;
      continue;
    }
    const { length, times } = found;
    const body = steps.slice(at, at + length);
    const title = equal === null ? { title: `${counted(times, 'time')}, each with another name` } : null;
    const loop: Loop = { kind: 'loop', times, ...title, steps: body };
    out.push(loop);
    repeated += arrowsOf(body).length * (times - 1);
    at += length * times;
  }
  return { steps: out, repeated };
}

/** Removes the activations of bursts, which a reader could not tell apart, and folds nothing. */
export function withoutBurstBars(drawn: readonly Step[]): readonly Step[] {
  return withoutBurstActivations(drawn, burstsOf(drawn));
}

function groupedBursts(drawn: readonly Step[]): readonly Step[] {
  const bursts = burstsOf(drawn);
  if (bursts.size === 0) return drawn;
  return withAnswersByKind(withoutBurstActivations(drawn, bursts), bursts);
}

/** Responses of a burst race, and which client gets 200 or 429 is chance: adjacent ones are grouped by label and reason. */
function withAnswersByKind(steps: readonly Step[], bursts: ReadonlyMap<number, number>): readonly Step[] {
  const out: Step[] = [];
  for (let at = 0; at < steps.length; ) {
    const burst = burstAnsweredBy(steps[at], bursts);
    if (burst === undefined) {
      out.push(steps[at]);
      at += 1;
      continue;
    }
    const kinds = new Map<string, Step[]>();
    let kind: Step[] = [];
    for (; at < steps.length; at++) {
      const step = steps[at];
      if (step.kind !== 'note') {
        if (burstAnsweredBy(step, bursts) !== burst) break;
        const key = step.kind === 'arrow' ? `${keyOf(step)} ${whyOf(step)}` : keyOf(step);
        kind = kinds.get(key) ?? [];
        kinds.set(key, kind);
      }
      kind.push(step);
    }
    for (const together of kinds.values()) append(out, together);
  }
  return out;
}

/** Number of the burst whose response a step is. */
function burstAnsweredBy(step: Step, bursts: ReadonlyMap<number, number>): number | undefined {
  return step.kind === 'arrow' && step.message.kind === 'response' ? bursts.get(step.message.exchange) : undefined;
}

/** Exchange → number of its burst: at least BURST equal requests, or equal responses, in a row. */
function burstsOf(steps: readonly Step[]): ReadonlyMap<number, number> {
  const arrows = steps.filter((step) => step.kind === 'arrow');
  const bursts = new Map<number, number>();
  for (let at = 0; at < arrows.length; ) {
    let end = at + 1;
    while (end < arrows.length && isEqualArrow(arrows[at], arrows[end])) end += 1;
    if (end - at >= BURST)
      for (const { message } of arrows.slice(at, end))
        if (!bursts.has(message.exchange)) bursts.set(message.exchange, at);
    at = end;
  }
  return bursts;
}

/** Without activations, the requests of a burst are equal, and so are its responses: only then they fold. */
function withoutBurstActivations(steps: readonly Step[], bursts: ReadonlyMap<number, number>): readonly Step[] {
  return steps.map((step) =>
    step.kind === 'arrow' && bursts.has(step.message.exchange)
      ? { ...step, activates: false, deactivates: false }
      : step,
  );
}

function isEqualArrow(a: Arrow, b: Arrow): boolean {
  return a.from === b.from && a.to === b.to && a.message.label === b.message.label;
}

function whyOf({ message: { reason, statusMessage } }: Arrow): string {
  return `${reason ?? ''} ${statusMessage ?? ''}`;
}

/**
 * The shortest block at `at` that repeats directly. It has whole exchanges only, so that each activation ends, and the notes of
 * its last arrow, so that a note about the last repetition is not drawn for all.
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

/** The same apart from generated names: a controller that retries and is refused each time. */
function failingAt(
  withoutNames: readonly string[],
  steps: readonly Step[],
  at: number,
): { length: number; times: number } | null {
  const found = repeatAt(withoutNames, steps, at);
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
    return `${step.from} ${step.via?.join(' ') ?? ''} ${step.to} ${step.activates} ${step.deactivates} ${step.message.label}${step.isOnPath === true ? ` ${step.message.seq}` : ''}`;
  if (step.kind === 'note') return `note ${step.over.join(' ')} ${step.lines.join('\n')}`;
  return `loop ${step.times} ${step.steps.map(keyOf).join('\n')}`;
}

/** Limit: steps of a block that becomes a loop: two exchanges with a note each. */
const MAX_BLOCK = 6;
/** So many equal arrows in a row are sent concurrently. */
const BURST = 5;
