// Describes the steps of an object history in words for text and Markdown, not escaped: who did what, and values of fields.

import { largestOf, smallestOf } from '../../core/collections/many.js';
import { elapsedText } from '../../core/duration.js';
import { framesText } from '../../core/origin.js';
import { counted } from '../../core/quantity.js';
import { isRecord } from '../../core/record.js';
import { objectText } from '../../kubernetes/api/object-ref.js';
import { senderText } from '../../kubernetes/lives/deletion-words.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type {
  Attempt,
  Disruption,
  FieldChange,
  Incarnation,
  Mutation,
  ObjectHistory,
  RelatedEvent,
  Revision,
  Tenure,
} from '../../object-history/model.js';
import { formatOffset } from '../time.js';

/** `created`; of the last version, if its author is not who asked for the deletion: `deletion finished`. */
export function happenedWords({ happened, author }: Revision, { deletion }: Incarnation): string {
  const isOther = author !== null && author.request.seq !== deletion?.askedBy?.request.seq;
  return happened === 'deleted' && isOther ? 'deletion finished' : happened;
}

/** `created by kubectl`. */
export function headline(version: Revision, life: Incarnation): string {
  const { author, managers, happened } = version;
  if (author !== null) return `${happenedWords(version, life)} by ${senderText(author.request)}`;
  const { askedBy = null } = life.deletion ?? {};
  const isEnd = happened === 'marked for deletion' || happened === 'deleted';
  if (isEnd && askedBy !== null) return `${happened}: ${senderText(askedBy.request)} asked for it`;
  const owners = managers.length === 0 ? '' : `; its managedFields name ${managers.join(', ')}`;
  if (happened === 'seen') return 'seen first; its write is not in the capture';
  return `${happened}; its write is not in the capture${owners}`;
}

/** `PATCH /api/v1/namespaces/default/pods/nginx/status, 200 OK`. */
export function requestLine(request: Message, response: Message | undefined): string {
  const answer = response === undefined ? 'no answer' : response.label.replace(/^\[RESP\] /, '');
  return `${request.label.replace(/^\[REQ\] /, '')}, ${answer}`;
}

/** Evidence that a write created a revision, if its response does not say so. */
export function evidence({ author }: Revision): string | null {
  if (author === null) return null;
  const facts = author.how === 'answer' ? [] : [HOW[author.how]];
  const { inferred } = author.request;
  if (inferred !== undefined) facts.push(`concluded, not read: ${inferred.join(', ')}`);
  return facts.length === 0 ? null : facts.join('; ');
}

export function attemptLine({ what, request, response }: Attempt): string {
  const who = senderText(request);
  if (what === 'refused') return `${who} was refused${whyRefused(response)}`;
  if (what === 'dry run') return `${who} sent a dry run`;
  if (what === 'no change') return `${who} changed nothing`;
  return what === 'done' ? `${who} wrote; no version of it was seen` : `${who} sent a request and got no answer`;
}

/** The API server's reason and message, already redacted. */
function whyRefused(response: Attempt['response']): string {
  const { reason = '', statusMessage = '' } = response ?? {};
  const text = statusMessage === '' ? '' : `: ${shortened(statusMessage, LONGEST_TEXT)}`;
  return `${reason === '' ? '' : ` (${reason})`}${text}`;
}

export function k8sEventLine({ message, times }: RelatedEvent): string {
  const { component, type, reason, message: text } = message.k8sEvent!;
  const often = times === 1 ? '' : ` (${counted(times, 'time')})`;
  const kind = type === 'Warning' ? 'warns' : 'reports';
  return `${component === '' ? message.from.name : component} ${kind} ${reason}: ${shortened(text, LONGEST_TEXT)}${often}`;
}

/** `message 976, frames 1783 to 1785`. */
export function place(messages: readonly (Message | undefined)[], captures: readonly string[] | undefined): string {
  const all = messages.filter((one) => one !== undefined);
  const files = [...new Set(all.flatMap(({ capture, lastCapture }) => [capture, lastCapture ?? capture]))];
  const ranges = files.map((file) => {
    const frames = all.flatMap((one) => [
      ...(one.capture === file ? [one.frames[0]] : []),
      ...((one.lastCapture ?? one.capture) === file ? [one.frames[1]] : []),
    ]);
    const [first, last] = [smallestOf(frames), largestOf(frames)];
    const range = framesText([first, last]);
    return captures === undefined ? range : `${range} of ${captures[file] ?? ''}`;
  });
  return `message ${all[0].seq}, ${ranges.join(' and ')}`;
}

/** `+ spec.nodeName: node-1`, `~ status.phase: Pending → Running`, `- metadata.finalizers: [a]`. */
export function changeLine({ path, before, after }: FieldChange): string {
  if (before === undefined) return `+ ${path}: ${valueText(path, after)}`;
  if (after === undefined) return `- ${path}: ${valueText(path, before)}`;
  return `~ ${path}: ${valueText(path, before)} → ${valueText(path, after)}`;
}

/** `evicted by a drain of node-1 (EvictionByEvictionAPI), message 12, frame 30`. */
export function disruptionLine(
  { words, reason, message }: Disruption,
  captures: readonly string[] | undefined,
): string {
  return `${words}${reason === null ? '' : ` (${reason})`}, ${place([message], captures)}`;
}

/** `set by webhook m.shop.example.com, message 12, frames 30 to 31:`. */
export function mutationLine(
  { request, response, changes }: Mutation,
  captures: readonly string[] | undefined,
): string {
  const what = changes.length === 0 ? 'changed on its way by' : 'set by';
  return `${what} ${response.from.name}, ${place([request, response], captures)}:`;
}

/** The patch's operations (RFC 6902). */
export function patchLines({ response }: Mutation): string[] {
  return (response.patch ?? []).map((operation) => `patch ${shortened(JSON.stringify(operation), LONGEST_TEXT)}`);
}

/** `Pod default/nginx`. */
export function nameOf({ resource, namespace, name }: ObjectHistory, life: Incarnation | undefined): string {
  return objectText(life?.kind ?? resource, namespace, name);
}

/** `7 versions: kubelet (node-1) 5, kubectl 2`: revisions by author, the busiest first. */
export function authorCounts({ steps }: Incarnation): string {
  const counts = new Map<string, number>();
  for (const step of steps) {
    if (step.kind !== 'version') continue;
    const name = step.author?.request.from.name ?? 'not in the capture';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const total = steps.filter(({ kind }) => kind === 'version').length;
  if (total === 0) return 'no version of it was seen';
  const by = [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${count}`);
  return `${counted(total, 'version')}, by writer: ${by.join(', ')}`;
}

/** `held by vm_60c4 (kube-scheduler) from 0.277880 to 104.316598: 46 renewals, at most 11.2 s apart (lease 15 s); released`. */
export function tenureLine(tenure: Tenure, first: bigint): string {
  const { holder, participant, begin, end, ended } = tenure;
  const who = participant === null ? holder : `${holder} (${participant})`;
  const until = end === null ? 'on' : `to ${formatOffset(end.time - first)}`;
  const how =
    end === null ? 'held at the end of the capture' : `${ended}${sinceRenewalText(tenure)}, message ${end.seq}`;
  return `held by ${who} from ${formatOffset(begin.time - first)} ${until}, from message ${begin.seq}: ${renewalsText(tenure)}; ${how}`;
}

/** `46 renewals, 2 without success (message 12), at most 11.2 s apart (lease 15 s)`. */
export function renewalsText({ renewals, failed, longestGap, leaseSeconds }: Tenure): string {
  const lease = leaseSeconds === null ? '' : ` (lease ${leaseSeconds} s)`;
  const apart = renewals === 0 ? '' : `, at most ${elapsedText(longestGap)} apart${lease}`;
  const without = failed.length === 0 ? '' : `, ${failed.length} without success (message ${failed[0].seq})`;
  return `${counted(renewals, 'renewal')}${without}${apart}`;
}

/** `, 16.6 s after the last renewal, 1.6 s beyond its lease`; empty while it is held. */
export function sinceRenewalText({ end, lastRenewal, leaseSeconds }: Tenure): string {
  if (end === null) return '';
  const since = end.time - lastRenewal.time;
  const over = leaseSeconds === null ? 0n : since - BigInt(Math.round(leaseSeconds * 1e9));
  const late = over > 0n ? `, ${elapsedText(over)} beyond its lease` : '';
  return `, ${elapsedText(since)} after the last renewal${late}`;
}

/** Notes on the fields that are shown. */
export function remarks({ incarnations }: ObjectHistory): string[] {
  const versions = incarnations.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'version' ? [step] : [])),
  );
  const isRedacted = versions.some(({ sent, changes }) => [...(sent ?? []), ...(changes ?? [])].some(hasRedacted));
  return isRedacted ? ['REDACTED values cannot be compared: where only such a one changed, nothing is shown'] : [];
}

function hasRedacted({ before, after }: FieldChange): boolean {
  // REDACTED with a number shows that the value changed.
  return /REDACTED(?! \((?:\d+ characters, )?value)/.test(JSON.stringify([before, after]));
}

function valueText(path: string, value: unknown): string {
  const text = CONDITION.test(path) ? conditionText(value) : STATE.test(path) ? stateText(value) : null;
  return text ?? plainText(isRecord(value) ? withoutName(path, value) : value);
}

/** An element of a list without the member that names it in the path. */
function withoutName(path: string, value: Readonly<Record<string, unknown>>): unknown {
  const name = /\[([^[\]]*)\]$/.exec(path)?.[1];
  const rest = Object.entries(value).filter(([key, one]) => !(NAMES.has(key) && String(one) === name));
  return rest.length === 0 ? value : Object.fromEntries(rest);
}

/** `False (ContainersNotReady)`. */
function conditionText(value: unknown): string | null {
  if (!isRecord(value) || typeof value['status'] !== 'string') return null;
  const { status, reason } = value;
  return typeof reason === 'string' && reason !== '' ? `${status} (${reason})` : status;
}

/** `waiting (ContainerCreating)`, `terminated (Completed, exit code 0)`. */
function stateText(value: unknown): string | null {
  if (!isRecord(value)) return null;
  const [[name, inner] = []] = Object.entries(value);
  if (name === undefined || !isRecord(inner)) return null;
  const more = [inner['reason'], inner['exitCode'] === undefined ? undefined : `exit code ${inner['exitCode']}`];
  const details = more.filter((one) => typeof one === 'string');
  return details.length === 0 ? name : `${name} (${details.join(', ')})`;
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return stringText(value);
  return shortened(flow(value, 0), LONGEST_VALUE);
}

function stringText(value: string): string {
  const id = ID.exec(value);
  if (id !== null) return `${id[1]}${id[2].slice(0, ID_SHOWN)}…`;
  return NEEDS_QUOTES.test(value) ? JSON.stringify(shortened(value, LONGEST_VALUE)) : shortened(value, LONGEST_VALUE);
}

/** As YAML writes it on one line: `{name: nginx, ready: false}`. */
function flow(value: unknown, depth: number): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth >= FLOW_DEPTH) return '…';
  if (Array.isArray(value)) return `[${value.map((one) => flow(one, depth + 1)).join(', ')}]`;
  return `{${Object.entries(value)
    .filter(([, one]) => !isEmpty(one))
    .map(([name, one]) => `${name}: ${flow(one, depth + 1)}`)
    .join(', ')}}`;
}

/** Shortens in the middle, visibly. */
function shortened(text: string, limit: number): string {
  const characters = [...text.slice(0, 4 * limit)];
  if (characters.length <= limit && text.length <= 4 * limit) return text;
  const tail = [...text.slice(-limit)].slice(-Math.floor(limit / 4)).join('');
  return `${characters.slice(0, limit - Math.floor(limit / 4) - 1).join('')}…${tail}`;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

const HOW = {
  event: 'the response has no resourceVersion; the watch event that followed has it',
  'only write under way': 'concluded: the only write under way',
};
/** Limit: characters of a field's value; longer ones are shortened visibly in the middle. */
const LONGEST_VALUE = 80;
/** Limit: characters of an Event's message; longer ones are shortened visibly in the middle. */
const LONGEST_TEXT = 160;
const NAMES = new Set(['name', 'type', 'key', 'ip', 'port']);
/** Limit: levels of a value that are shown on one line. */
const FLOW_DEPTH = 4;
/** Generated ids: hashes, container ids, uids. */
const ID =
  /^((?:[a-z][\w+.-]*:\/\/)?(?:[\w./:-]+@)?(?:sha256:)?)([0-9a-f]{32,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const ID_SHOWN = 8;
const NEEDS_QUOTES = /^$|^[\s"[{]|\s$|: /;
const CONDITION = /(?:^|\.)conditions\[[^[\]]*\]$/;
const STATE = /\.(?:state|lastState)$/;
