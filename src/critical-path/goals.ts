// Finds the message that reaches a goal of an object, in its history: a table of kinds and of the conditions that their controllers set.

import { dictionary } from '../core/collections/dictionary.js';
import { problemWords } from '../core/status-words.js';
import { splitApiVersion } from '../kubernetes/api/kinds.js';
import type { Deletion, Message, ShownValue } from '../kubernetes/messages/message.js';
import type { FieldChange, Incarnation, Revision, RevisionKind } from '../object-history/model.js';

/** `ready`: what the kind calls finished; `gone`: the object is deleted. */
export type GoalName = 'ready' | 'gone';

export interface Goal {
  readonly words: string;
  readonly isReached: boolean;
  /** Of a goal that was not reached: what the object's status said last that keeps it from there. */
  readonly stuck?: Stuck;
  /** Of a goal that was reached: the first problem that the object's status told of only afterwards. */
  readonly later?: LaterProblem;
  /** Of `gone`: who deleted it. */
  readonly deletion?: Deletion;
  /** The write that created the object, or marked it for deletion; null: it was made before the capture. */
  readonly firstWrite: Message | null;
  /** The write that reached the goal; where it was not captured, the event that shows it. */
  readonly lastWrite: Message;
  /** The last message on the path: the answer to that write, or the event. */
  readonly end: Message;
}

/** Why an object is not ready. */
export interface Stuck {
  /** One word of the component that found it: `ErrImagePull`. */
  readonly why: string;
  /** All such words since then, in the order in which they came first; the last one is not `why` if that came back. */
  readonly reasons: readonly string[];
  /** The first message since which its status has had a problem of the same container, or condition. */
  readonly since: Message;
}

/** What went wrong with an object after it was ready. */
export interface LaterProblem {
  /** `container crash: terminated (Error, exit code 3)` */
  readonly words: string;
  /** The message that shows it first. */
  readonly at: Message;
}

/** An object that was ready before the capture: nothing can be measured. */
export interface ReadyBefore {
  /** `Available` */
  readonly words: string;
  /** The message that shows it first. */
  readonly at: Message;
}

/** @returns undefined: it was not ready when the capture first shows it, or it was created in the capture. */
export function readyBefore({ steps, apiVersion }: Incarnation, resource: string): ReadyBefore | undefined {
  const first = steps.find((step): step is Revision => step.kind === 'version');
  if (first?.happened !== 'seen') return undefined;
  const words = goalRow(resource, apiVersion)?.test(first.changes ?? []) ?? null;
  return words === null ? undefined : { words, at: first.first };
}

/** @returns null: the kind has no such goal, the capture nothing of it, or the object had reached it before the capture. */
export function goalOf(incarnation: Incarnation, resource: string, name: GoalName): Goal | null {
  const { steps, apiVersion, deletion } = incarnation;
  const revisions = steps.filter((step): step is Revision => step.kind === 'version');
  const last = revisions.at(-1);
  if (last === undefined) return null;
  if (name === 'gone') {
    if (!revisions.some(({ happened }) => happened === 'marked for deletion' || happened === 'deleted')) return null;
    const words = last.happened === 'deleted' ? 'gone' : 'not gone yet';
    const asked = deletion?.askedBy?.request ?? firstWriteOf(revisions, 'marked for deletion', 'deleted');
    return { ...goalAt(last, words, last.happened === 'deleted', asked), deletion };
  }
  const firstWrite = firstWriteOf(revisions, 'created');
  const row = goalRow(resource, apiVersion);
  const test = row?.test;
  const going = revisions.findIndex(({ happened }) => happened === 'marked for deletion' || happened === 'deleted');
  for (const [i, revision] of revisions.entries()) {
    const words = revision.happened === 'seen' ? null : reached(revision, test);
    if (words === null) continue;
    const until = going < 0 ? revisions.length : going;
    return { ...goalAt(revision, words, true, firstWrite), later: laterProblem(revisions.slice(0, until), i) };
  }
  if (readyBefore(incarnation, resource) !== undefined) return null;
  // What was told last, before it had to go.
  const newest = going < 0 ? last : revisions[going - 1];
  if (newest === undefined || row === undefined) return null;
  const told = going < 0 ? revisions : revisions.slice(0, going);
  return { ...goalAt(newest, `never ${row.words}`, false, firstWrite), stuck: stuckIn(told) ?? warnedOf(steps) };
}

/** @param reached index of the revision that reached the goal. */
function laterProblem(revisions: readonly Revision[], reached: number): LaterProblem | undefined {
  const known = new Set<string>();
  for (const [i, revision] of revisions.entries()) {
    const at = shownBy(revision);
    for (const words of (at.problems ?? []).map(problemWords)) {
      if (i > reached && !known.has(words)) return { words, at };
      known.add(words);
    }
  }
  return undefined;
}

/** The message that tells of the problems of a revision. */
function shownBy({ author, first }: Revision): Message {
  return author?.request.problems === undefined ? first : author.request;
}

/** By the writes of its status, of which those without a problem end what was before. */
function stuckIn(revisions: readonly Revision[]): Stuck | undefined {
  let stuck: (Stuck & { readonly of: string }) | undefined;
  for (const revision of revisions) {
    const { changes } = revision;
    const message = shownBy(revision);
    const [problem] = message.problems ?? [];
    if (problem !== undefined) {
      const { of, state, reason, exitCode } = problem;
      const ended = exitCode === undefined ? '' : `, exit code ${exitCode}`;
      const why = `${reason || `${of} ${state}`}${ended}`;
      const before = stuck?.of === of ? stuck : undefined;
      const reasons = new Set([...(before?.reasons ?? []), why]);
      stuck = { of, why, reasons: [...reasons], since: before?.since ?? message };
    } else if (stuck !== undefined && changes?.some(({ path }) => isRunning(path, stuck)) === true) stuck = undefined;
  }
  if (stuck === undefined) return undefined;
  const { why, reasons, since } = stuck;
  return { why, reasons, since };
}

/** Does the container run now? */
function isRunning(path: string, stuck: { readonly of: string } | undefined): boolean {
  const container = / (\S+)$/.exec(stuck?.of ?? '')?.[1];
  return container !== undefined && path.startsWith('status.') && path.includes(`[${container}].state.running`);
}

/** Where its status says nothing: the newest Warning about it. */
function warnedOf(steps: Incarnation['steps']): Stuck | undefined {
  const warnings = steps.flatMap((step) =>
    step.kind === 'k8sEvent' && step.message.k8sEvent?.type === 'Warning' ? [step.message] : [],
  );
  const why = warnings.at(-1)?.k8sEvent?.reason;
  const since = warnings.find(({ k8sEvent }) => k8sEvent?.reason === why);
  return why === undefined || since === undefined ? undefined : { why, reasons: [why], since };
}

function goalAt(
  { author, first, happened }: Revision,
  words: string,
  isReached: boolean,
  firstWrite: Message | null,
): Goal {
  // A deletion is seen to be complete by the event alone.
  const end = happened === 'deleted' ? first : (author?.response ?? first);
  return { words, isReached, firstWrite, lastWrite: author?.request ?? first, end };
}

/** What a revision reaches, in words. A kind without conditions is finished when it is created. */
function reached({ changes, happened }: Revision, test: GoalTest | undefined): string | null {
  if (test === undefined) return happened === 'created' ? 'created' : null;
  return test(changes ?? []);
}

function firstWriteOf(revisions: readonly Revision[], ...happened: readonly RevisionKind[]): Message | null {
  const revision = revisions.find((one) => happened.includes(one.happened));
  return revision?.author?.request ?? revision?.first ?? null;
}

/** @returns the goal in words, if changes of a revision reach it. */
type GoalTest = (changes: readonly FieldChange[]) => string | null;

/** Does a condition become true? */
function becomes(type: string): GoalTest {
  const [whole, status] = [`status.conditions[${type}]`, `status.conditions[${type}].status`];
  return (changes) =>
    changes.some(
      ({ path, after }) =>
        (path === whole && field(after, 'status') === 'True') || (path === status && after === 'True'),
    )
      ? type
      : null;
}

function is(path: string, value: string): GoalTest {
  return (changes) => (changes.some((change) => change.path === path && change.after === value) ? value : null);
}

/** The first of several goals that is reached. */
function either(...tests: readonly GoalTest[]): GoalTest {
  return (changes) => {
    for (const test of tests) {
      const words = test(changes);
      if (words !== null) return words;
    }
    return null;
  };
}

function field(value: ShownValue | undefined, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown })[name] : undefined;
}

interface GoalRow {
  readonly group: string;
  /** The goal in a word. */
  readonly words: string;
  readonly test: GoalTest;
}

/** @param apiVersion null: no body shows it. @returns undefined: nothing says when an object of this kind is finished. */
function goalRow(resource: string, apiVersion: string | null): GoalRow | undefined {
  const row = GOALS[resource];
  // Another group's kind may have the same name, as Jobs of Volcano.
  return apiVersion === null || splitApiVersion(apiVersion).apiGroup === row?.group ? row : undefined;
}

/**
 * Resource → its group, and what its controllers write when it is finished (k8s.io/api: core/v1 PodConditionType, PodPhase,
 * NodeConditionType, PersistentVolumePhase; apps/v1 DeploymentConditionType; batch/v1 JobConditionType; certificates/v1
 * RequestConditionType; k8s.io/apiextensions-apiserver CustomResourceDefinitionConditionType; k8s.io/kube-aggregator
 * APIServiceConditionType).
 */
const GOALS: Readonly<Record<string, GoalRow>> = dictionary({
  pods: {
    group: '',
    words: 'Ready',
    test: either(becomes('Ready'), is('status.phase', 'Succeeded'), is('status.phase', 'Failed')),
  },
  deployments: { group: 'apps', words: 'Available', test: becomes('Available') },
  jobs: { group: 'batch', words: 'Complete', test: either(becomes('Complete'), becomes('Failed')) },
  persistentvolumeclaims: { group: '', words: 'Bound', test: is('status.phase', 'Bound') },
  persistentvolumes: { group: '', words: 'Bound', test: is('status.phase', 'Bound') },
  nodes: { group: '', words: 'Ready', test: becomes('Ready') },
  certificatesigningrequests: {
    group: 'certificates.k8s.io',
    words: 'Approved',
    test: either(becomes('Approved'), becomes('Denied')),
  },
  customresourcedefinitions: { group: 'apiextensions.k8s.io', words: 'Established', test: becomes('Established') },
  apiservices: { group: 'apiregistration.k8s.io', words: 'Available', test: becomes('Available') },
});
