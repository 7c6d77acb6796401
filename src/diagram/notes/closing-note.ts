// Writes the last note of a diagram: how much of the capture it covers, in at most three lines that are read at a glance.

import { counted } from '../../core/quantity.js';
import type { FollowedName } from '../../kubernetes/api/kinds.js';
import type { MessageIndex } from '../message-index.js';
import { type Coverage, NOTE_WIDTH, type Note, type SequencePicture } from '../model.js';
import { FollowedObjects } from '../selection/followed-objects.js';

/** Everything there is to say, a line each. */
export function coverageLines(coverage: Coverage): readonly string[] {
  const { delivered, folded, others, failed } = coverage;
  const reasons = listed(folded);
  return [
    ...(delivered.length === 0 ? [] : [DELIVERED + delivered.join(', ')]),
    ...(reasons.length === 0 ? [] : [NOT_DRAWN + reasons.join(', ')]),
    ...failuresLine(coverage),
    ...others,
    ...failed,
    missingLine(coverage),
  ];
}

/**
 * What stands in the note.
 *
 * @returns all lines where they are few and short, else the most important ones, each with the number of what it leaves out.
 */
export function closingLines(coverage: Coverage): readonly string[] {
  const all = coverageLines(coverage);
  if (all.length <= MAX_LINES && all.every((line) => line.length <= NOTE_WIDTH)) return all;
  const notDrawn = notDrawnLine(coverage);
  const others = notDrawn.length === 0 ? coverage.others : [];
  const failed = coverage.failed.length === 0 ? [] : [fitted('', coverage.failed, '; ')];
  const unread = [...failed, fitted(coverage.missing.length === 0 ? '' : MISSING, missingOf(coverage))];
  const necessary = [...notDrawn, ...others, ...unread];
  if (necessary.length > MAX_LINES) return [...necessary.slice(0, MAX_LINES - 1), unread.join('; ')];
  const isRoom = coverage.delivered.length > 0 && necessary.length < MAX_LINES;
  return isRoom ? [fitted(DELIVERED, coverage.delivered), ...necessary] : necessary;
}

/** The note with these lines. @param over null: the diagram is empty. */
export function closingSteps(lines: readonly string[], over: Note['over'] | null): readonly Note[] {
  return over === null ? [] : [{ kind: 'note', over, lines, isClosing: true }];
}

/** Lines for the reader of the file, which a picture does not show: with all there is to say, where the last note does not say it. */
export function remarksFor({ remarks = [], steps, closing, coverage }: SequencePicture): readonly string[] {
  const last = steps[steps.length - 1];
  // An expectation has no such note: what was not drawn is a fact of one run.
  if (last?.kind !== 'note' || last.isClosing !== true || coverage === undefined) return remarks;
  const all = coverageLines(coverage);
  return all.every((line, i) => line === closing[i]) ? remarks : [...remarks, ...all];
}

/** `not drawn: 1114 layer cri, 287 delivered without reaction and 1505 more; 12 requests failed`. */
function notDrawnLine({ folded, foldedFailures, others }: Coverage): readonly string[] {
  const parts = listed(folded);
  if (parts.length === 0) return [];
  const failed = sumOf(foldedFailures);
  const tail = [...(failed === 0 ? [] : [`${requests(failed)} failed`]), ...others].map((one) => `; ${one}`).join('');
  const numbers = Object.values(folded).sort((a, b) => b - a);
  for (let shown = parts.length; shown > 0; shown--) {
    const rest = numbers.slice(shown).reduce((sum, one) => sum + one, 0);
    const more = rest === 0 ? '' : ` and ${rest} more`;
    const line = NOT_DRAWN + parts.slice(0, shown).join(', ') + more + tail;
    if (line.length <= NOTE_WIDTH) return [line];
  }
  return [`${NOT_DRAWN}${counted(sumOf(folded), 'message')}${tail}`];
}

/** As many of the parts as fit. */
function fitted(start: string, parts: readonly string[], separator = ', '): string {
  for (let shown = parts.length; shown > 1; shown--) {
    const more = shown === parts.length ? '' : ` and ${parts.length - shown} more`;
    const line = start + parts.slice(0, shown).join(separator) + more;
    if (line.length <= NOTE_WIDTH) return line;
  }
  const more = parts.length === 1 ? '' : ` and ${parts.length - 1} more`;
  return start + parts[0] + more;
}

function failuresLine({ foldedFailures }: Coverage): readonly string[] {
  const [only, ...others] = Object.keys(foldedFailures);
  if (only === undefined) return [];
  const total = sumOf(foldedFailures);
  return [
    `of what is not drawn, ${requests(total)} failed: ${others.length === 0 ? only : listed(foldedFailures).join(', ')}`,
  ];
}

export function missingLine(coverage: Pick<Coverage, 'missing' | 'complete'>): string {
  return (coverage.missing.length === 0 ? '' : MISSING) + missingOf(coverage).join(', ');
}

function missingOf({ missing, complete }: Pick<Coverage, 'missing' | 'complete'>): readonly string[] {
  return missing.length === 0 ? [complete] : missing;
}

/** The most frequent reason first. */
function listed(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([reason, number]) => `${number} ${reason}`);
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0);
}

function requests(count: number): string {
  return counted(count, 'request');
}

const DELIVERED = 'also delivered to: ';
const NOT_DRAWN = 'not drawn: ';
const MISSING = 'missing in the capture: ';
/** Limit: lines of the last note, which a picture shows beside the story and not in its place. */
const MAX_LINES = 3;

// Says that a followed object may own others that the capture does not link to it: these are older than the capture, and no message
// shows their owner.

/** @returns the line; none where the object was created in the capture, or what it owns is known. */
export function olderObjects(index: MessageIndex, root: FollowedName | undefined): readonly string[] {
  if (root === undefined || !OWNERS.has(root.resource)) return [];
  const followed = new FollowedObjects(index, [root]);
  if (followed.owns(root)) return [];
  const isNew = index.messages.some(
    (message) => message.verb === 'create' && message.subresource === undefined && followed.isAbout(message),
  );
  return isNew ? [] : [MAY_BE_MISSING];
}

const MAY_BE_MISSING = 'objects that it owned before the capture may be missing';
/** Whose controllers create objects that they own (pkg/controller). */
const OWNERS: ReadonlySet<string> = new Set([
  ...['deployments', 'replicasets', 'replicationcontrollers', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs'],
]);
