// Summarises the critical paths of several objects: how long the whole and each kind of step took, and which object was the slowest.

import { compareTimes } from '../core/origin.js';
import type { ObjectHistory } from '../object-history/model.js';
import type { GoalName } from './goals.js';
import { type CriticalPath, PATH_STEPS, type PathStep } from './model.js';
import { pathsIn } from './path.js';
import type { PathIndex } from './path-index.js';

export interface PathStatistics {
  readonly resource: string;
  /** Paths that reached their goal, the longest first. */
  readonly paths: readonly CriticalPath[];
  /** Of the whole; null: no object reached its goal. */
  readonly whole: DurationSummary | null;
  /** Of each kind of step, over the objects whose path has it; an object's legs of one kind are added up. */
  readonly steps: readonly StepSummary[];
  /** Objects that did not reach the goal, or have no beginning in the capture, with why. */
  readonly others: readonly ObjectWithoutGoal[];
  /** Objects that were not looked at, as there were too many. */
  readonly unlisted: number;
}

/** ns. Percentiles are nearest ranks: durations that one of the objects has. */
export interface DurationSummary {
  readonly objects: number;
  readonly p50: bigint;
  readonly p99: bigint;
  readonly max: bigint;
  /** Of all objects together. */
  readonly total: bigint;
  /** The path with the longest. */
  readonly slowest: CriticalPath;
}

export interface StepSummary extends DurationSummary {
  readonly step: PathStep;
}

export interface ObjectWithoutGoal {
  readonly namespace: string | null;
  readonly name: string;
  readonly why: string;
  /** As far as it came; absent: nothing of it can be measured. */
  readonly path?: CriticalPath;
}

/**
 * @param histories of objects of one kind, from the same messages as the index.
 * @param goal `ready` counts from the creation, `gone` from the request to delete.
 */
export function pathStatistics(
  index: PathIndex,
  histories: readonly ObjectHistory[],
  { resource, goal, unlisted }: { readonly resource: string; readonly goal: GoalName; readonly unlisted: number },
): PathStatistics {
  const reached: CriticalPath[] = [];
  const others: ObjectWithoutGoal[] = [];
  for (const history of histories) {
    const { namespace, name, incarnations } = history;
    for (const incarnation of incarnations) {
      const begin = goal === 'ready' ? beginningOf(incarnation.steps) : 'created';
      const [path] = begin === 'created' ? pathsIn(index, { ...history, incarnations: [incarnation] }, { goal }) : [];
      if (path?.isReached === true) reached.push(path);
      else if (path !== undefined) others.push({ namespace, name, why: whyNot(path), path });
      else others.push({ namespace, name, why: goal === 'gone' ? 'was not deleted' : 'was there before the capture' });
    }
    if (incarnations.length === 0) others.push({ namespace, name, why: 'no version of it was captured' });
  }
  reached.sort((a, b) => compareTimes(b.duration, a.duration));
  const steps = PATH_STEPS.flatMap((step): StepSummary[] => {
    const durations = reached.map((path) => ({ path, duration: stepDuration(path, step) }));
    const summary = summaryOf(durations.filter(({ duration }) => duration > 0n));
    return summary === null ? [] : [{ step, ...summary }];
  });
  const whole = summaryOf(reached.map((path) => ({ path, duration: path.duration })));
  return { resource, paths: reached, whole, steps, others, unlisted };
}

/** ns: the legs of one kind. */
export function stepDuration({ legs }: CriticalPath, step: PathStep): bigint {
  return legs.reduce((sum, leg) => (leg.step === step ? sum + leg.duration : sum), 0n);
}

function beginningOf(steps: ObjectHistory['incarnations'][number]['steps']): string | undefined {
  return steps.find((step) => step.kind === 'version')?.happened;
}

/** What its status, or a Warning, said last; else what took longest. */
function whyNot({ goal, legs, warnings, stuck }: CriticalPath): string {
  if (stuck !== undefined) return `${goal}: ${stuck.reasons.join(' and ')} (since message ${stuck.since.seq})`;
  const longest = legs.toSorted((a, b) => compareTimes(b.duration, a.duration)).at(0);
  const rest = warnings.at(-1) ?? (longest === undefined ? undefined : `${longest.who} ${longest.what}`);
  return rest === undefined ? goal : `${goal}: ${rest}`;
}

function summaryOf(
  found: readonly { readonly path: CriticalPath; readonly duration: bigint }[],
): DurationSummary | null {
  if (found.length === 0) return null;
  const sorted = found.toSorted((a, b) => compareTimes(a.duration, b.duration));
  const { path, duration } = sorted[sorted.length - 1];
  return {
    objects: sorted.length,
    p50: nearestRank(sorted, 50).duration,
    p99: nearestRank(sorted, 99).duration,
    max: duration,
    total: found.reduce((sum, one) => sum + one.duration, 0n),
    slowest: path,
  };
}

/** The smallest of which so many percent are no larger. */
function nearestRank<T>(sorted: readonly T[], percent: number): T {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1];
}
