// Finds the message that reaches a goal of an object, in its history: a table of kinds and of the conditions that their controllers set.

import { dictionary } from '../core/collections/dictionary.js';
import { splitApiVersion } from '../kubernetes/api/kinds.js';
import type { Message, ShownValue } from '../kubernetes/messages/message.js';
import type { Deletion } from '../object-history/deletions.js';
import type { FieldChange, Incarnation, Revision, RevisionKind } from '../object-history/model.js';

/** `ready`: what the kind calls finished; `gone`: the object is deleted. */
export type GoalName = 'ready' | 'gone';

export interface Goal {
  readonly words: string;
  readonly isReached: boolean;
  /** Of `gone`: who deleted it. */
  readonly deletion?: Deletion;
  /** The write that created the object, or marked it for deletion; null: it was made before the capture. */
  readonly firstWrite: Message | null;
  /** The write that reached the goal; where it was not captured, the event that shows it. */
  readonly lastWrite: Message;
  /** The last message on the path: the answer to that write, or the event. */
  readonly end: Message;
}

/** @returns null: the kind has no such goal, or the capture nothing of it. */
export function goalOf({ steps, apiVersion, deletion }: Incarnation, resource: string, name: GoalName): Goal | null {
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
  const test = goalTest(resource, apiVersion);
  for (const revision of revisions) {
    const words = reached(revision, test);
    if (words !== null) return goalAt(revision, words, true, firstWrite);
  }
  // What was told last, before it had to go.
  const going = revisions.findIndex(({ happened }) => happened === 'marked for deletion' || happened === 'deleted');
  const newest = going < 0 ? last : revisions[going - 1];
  return newest === undefined || test === undefined ? null : goalAt(newest, 'not there yet', false, firstWrite);
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

/** @param apiVersion null: no body shows it. @returns undefined: nothing says when an object of this kind is finished. */
function goalTest(resource: string, apiVersion: string | null): GoalTest | undefined {
  const row = GOALS[resource];
  if (row === undefined || apiVersion === null) return row?.test;
  // Another group's kind may have the same name, as Jobs of Volcano.
  return splitApiVersion(apiVersion).apiGroup === row.group ? row.test : undefined;
}

/**
 * Resource → its group, and what its controllers write when it is finished (k8s.io/api: core/v1 PodConditionType, PodPhase,
 * NodeConditionType, PersistentVolumePhase; apps/v1 DeploymentConditionType; batch/v1 JobConditionType; certificates/v1
 * RequestConditionType; k8s.io/apiextensions-apiserver CustomResourceDefinitionConditionType; k8s.io/kube-aggregator
 * APIServiceConditionType).
 */
const GOALS: Readonly<Record<string, { readonly group: string; readonly test: GoalTest }>> = dictionary({
  pods: { group: '', test: either(becomes('Ready'), is('status.phase', 'Succeeded'), is('status.phase', 'Failed')) },
  deployments: { group: 'apps', test: becomes('Available') },
  jobs: { group: 'batch', test: either(becomes('Complete'), becomes('Failed')) },
  persistentvolumeclaims: { group: '', test: is('status.phase', 'Bound') },
  persistentvolumes: { group: '', test: is('status.phase', 'Bound') },
  nodes: { group: '', test: becomes('Ready') },
  certificatesigningrequests: {
    group: 'certificates.k8s.io',
    test: either(becomes('Approved'), becomes('Denied')),
  },
  customresourcedefinitions: { group: 'apiextensions.k8s.io', test: becomes('Established') },
  apiservices: { group: 'apiregistration.k8s.io', test: becomes('Available') },
});
