// Finds the message that reaches a goal of an object, in its history: a table of kinds and of the conditions that their controllers set.

import { dictionary } from '../core/collections/dictionary.js';
import type { Message, ShownValue } from '../kubernetes/messages/message.js';
import type { FieldChange, Incarnation, Revision, RevisionKind } from '../object-history/model.js';

/** `ready`: what the kind calls finished; `gone`: the object is deleted. */
export type GoalName = 'ready' | 'gone';

export interface Goal {
  readonly words: string;
  readonly isReached: boolean;
  /** The request that asked for it; null: from before the capture. */
  readonly wish: Message | null;
  /** The last message on the path, and the write before it; the same where the write was not captured. */
  readonly end: Message;
  readonly write: Message;
}

/** @returns null: the kind has no such goal, or the capture nothing of it. */
export function goalOf({ steps }: Incarnation, resource: string, name: GoalName): Goal | null {
  const revisions = steps.filter((step): step is Revision => step.kind === 'version');
  const last = revisions.at(-1);
  if (last === undefined) return null;
  if (name === 'gone') {
    if (!revisions.some(({ happened }) => happened === 'marked for deletion' || happened === 'deleted')) return null;
    const words = last.happened === 'deleted' ? 'gone' : 'not gone yet';
    return goalAt(last, words, last.happened === 'deleted', wishIn(revisions, 'marked for deletion', 'deleted'));
  }
  const wish = wishIn(revisions, 'created');
  for (const revision of revisions) {
    const words = reached(revision, GOALS[resource]);
    if (words !== null) return goalAt(revision, words, true, wish);
  }
  // What was told last, before it had to go.
  const going = revisions.findIndex(({ happened }) => happened === 'marked for deletion' || happened === 'deleted');
  const newest = going < 0 ? last : revisions[going - 1];
  return newest === undefined || GOALS[resource] === undefined ? null : goalAt(newest, 'not there yet', false, wish);
}

function goalAt({ author, first, happened }: Revision, words: string, isReached: boolean, wish: Message | null): Goal {
  // A deletion is seen to be complete by the event alone.
  const response = happened === 'deleted' ? first : (author?.response ?? first);
  return { words, isReached, wish, end: response, write: author?.request ?? first };
}

/** What a revision reaches, in words. A kind without conditions is finished when it is created. */
function reached({ changes, happened }: Revision, test: GoalTest | undefined): string | null {
  if (test === undefined) return happened === 'created' ? 'created' : null;
  return test(changes ?? []);
}

function wishIn(revisions: readonly Revision[], ...happened: readonly RevisionKind[]): Message | null {
  const revision = revisions.find((one) => happened.includes(one.happened));
  return revision?.author?.request ?? revision?.first ?? null;
}

/** @returns the goal in words, if changes of a revision reach it. */
type GoalTest = (changes: readonly FieldChange[]) => string | null;

/** Does a condition become true? */
function becomes(type: string, words = type): GoalTest {
  const [whole, status] = [`status.conditions[${type}]`, `status.conditions[${type}].status`];
  return (changes) =>
    changes.some(
      ({ path, after }) =>
        (path === whole && field(after, 'status') === 'True') || (path === status && after === 'True'),
    )
      ? words
      : null;
}

function is(path: string, value: string): GoalTest {
  return (changes) => (changes.some((change) => change.path === path && change.after === value) ? value : null);
}

function first(...tests: readonly GoalTest[]) {
  return (changes: readonly FieldChange[]): string | null => {
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

/** Resource → what its controllers write when it is finished (k8s.io/api: PodConditionType, DeploymentConditionType, JobConditionType …). */
const GOALS: Readonly<Record<string, GoalTest>> = dictionary({
  pods: first(becomes('Ready'), is('status.phase', 'Succeeded'), is('status.phase', 'Failed')),
  deployments: becomes('Available'),
  jobs: first(becomes('Complete'), becomes('Failed')),
  persistentvolumeclaims: is('status.phase', 'Bound'),
  persistentvolumes: is('status.phase', 'Bound'),
  nodes: becomes('Ready'),
  certificatesigningrequests: first(becomes('Approved'), becomes('Denied')),
  customresourcedefinitions: becomes('Established'),
  apiservices: becomes('Available'),
});
