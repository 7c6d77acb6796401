// Builds the history of an object: revisions in order, each with the write that created it and the fields that it
// changed.

import { type Notice, notice } from '../core/notice.js';
import type { FollowedName } from '../kubernetes/api/kinds.js';
import { isDeletion } from '../kubernetes/lives/object-store.js';
import type { Deletion, Message, ObjectLife, ShownValue } from '../kubernetes/messages/message.js';
import { changesBetween, managersBetween } from './changes.js';
import { disruptionOf } from './disruption.js';
import type { Attempt, Author, HistoryStep, Incarnation, ObjectHistory, Revision, RevisionKind } from './model.js';
import { attributed } from './mutations.js';
import {
  type ObservedRevision,
  type ObservedWrite,
  RevisionCollector,
  type RevisionFields,
} from './revision-collector.js';
import { tenuresOf } from './tenures.js';

/** Collects messages, in order, with their bodies; then builds the history of the one object that the user named. */
export class HistoryBuilder {
  readonly #name: FollowedName;
  readonly #seen: RevisionCollector;
  /** The objects that had the name. */
  readonly #lives = new Set<ObjectLife>();

  constructor(name: FollowedName) {
    this.#name = name;
    this.#seen = new RevisionCollector(name);
  }

  /** limit.object where there was more than is kept: then the end of the life is missing. */
  notices(): readonly Notice[] {
    return this.#seen.isFull ? [notice('limit.object', 'its later versions, writes or Events are left out')] : [];
  }

  /** Other namespaces in which there is an object of that name. */
  get elsewhere(): readonly string[] {
    return [...this.#seen.elsewhere];
  }

  feed(message: Message): void {
    if (message.about !== undefined && this.#seen.isWanted(message.about)) this.#lives.add(message.about);
    this.#seen.feed(message);
  }

  /** The object in a list. @param response with the list. */
  feedItem(response: Message, item: ShownValue): void {
    this.#seen.showItem(response, item);
  }

  result(): ObjectHistory {
    const { resource, namespace, name } = this.#name;
    const versions = [...this.#seen.versions.values()];
    const uids = [...new Set(versions.map(({ uid }) => uid))];
    const builders = uids.map((uid) => {
      const own = versions.filter((one) => one.uid === uid);
      return new IncarnationBuilder(own, this.#deletionOf(uid));
    });
    const made = this.#seen.writes.filter((write) => !isDry(write));
    const used = new Set<ObservedWrite>();
    for (const builder of builders) for (const write of builder.authors(made)) used.add(write);
    const known = new Set(versions.flatMap(({ answered }) => answered));
    const result = builders.map((builder) => builder.result());
    const others = [
      ...this.#seen.writes.flatMap((write) => attemptOf(write, used, known)),
      ...[...this.#seen.k8sEvents.values()].map(
        ({ message, times }) => ({ kind: 'k8sEvent', message, times }) as const,
      ),
    ];
    const incarnations = placed(result, others, this.#deletionOf(null));
    if (resource !== 'leases') return { resource, namespace, name, incarnations };
    return { resource, namespace, name, incarnations: incarnations.map(withTenures) };
  }

  /** @param uid null: no body shows it. */
  #deletionOf(uid: string | null): Deletion | null {
    const lives = [...this.#lives];
    const known = uid === null ? undefined : lives.find((life) => life.uid === uid);
    const life = known ?? lives.findLast((one) => one.uid === null);
    return life?.deletion ?? null;
  }
}

function withTenures(incarnation: Incarnation): Incarnation {
  return { ...incarnation, tenures: tenuresOf(incarnation.steps) };
}

/** The versions of one uid. */
class IncarnationBuilder {
  readonly #versions: readonly ObservedRevision[];
  readonly #authors = new Map<ObservedRevision, Author>();
  readonly #writes = new Map<Message, ObservedWrite>();

  readonly #deletion: Deletion | null;

  constructor(versions: readonly ObservedRevision[], deletion: Deletion | null) {
    this.#versions = [...versions].sort(byVersion);
    this.#deletion = deletion;
  }

  /** Finds the write that made each version. @returns the writes that made one. */
  authors(writes: readonly ObservedWrite[]): ObservedWrite[] {
    const made: ObservedWrite[] = [];
    const bySeq = new Map(writes.map((write) => [write.request.seq, write]));
    const take = (version: ObservedRevision, write: ObservedWrite | undefined, how: Author['how']): void => {
      if (write === undefined || this.#authors.has(version)) return;
      this.#authors.set(version, { request: write.request, response: write.response, how });
      made.push(write);
      this.#writes.set(write.request, write);
    };
    for (const version of this.#versions) {
      // The response to a write that changed nothing has the version from before: its request was sent after that was first shown.
      const candidates = version.answered.filter(({ request }) => request.started <= version.first.time);
      const caused = candidates.find(({ request }) => version.causes.has(request.seq));
      take(version, caused ?? candidates[0], 'answer');
    }
    // An eviction makes two versions, and so does a delete without a grace period.
    for (const version of this.#versions)
      for (const cause of version.causes)
        if (!made.some(({ request }) => request.seq === cause && !isDeletion(request)))
          take(version, bySeq.get(cause), 'event');
    for (const version of this.#versions) {
      if (this.#authors.has(version)) continue;
      const under = writes.filter((write) => isUnderWay(write, version));
      if (under.length === 1 && this.#versions[0] !== version) take(version, under[0], 'only write under way');
    }
    return made;
  }

  result(): Incarnation {
    const steps: Revision[] = [];
    const bodies: unknown[] = [];
    let before: { readonly version: ObservedRevision; readonly body: RevisionFields; readonly at: number } | null =
      null;
    this.#versions.forEach((version, i) => {
      const body = version.body === undefined ? undefined : (JSON.parse(version.body) as RevisionFields);
      const known = this.#authors.get(version) ?? null;
      const happened = this.#happened(version, i, known, before?.body, body);
      const author = this.#deleterOf(version, happened, known) ?? known;
      const sent = i === 0 && isCreation(author) ? this.#sentBy(version) : undefined;
      const all = body === undefined ? null : changesBetween(sent ?? before?.body, body);
      const webhooks = author === null ? [] : (this.#writes.get(author.request)?.webhooks ?? []);
      const { changes, mutations } = attributed(all, webhooks);
      bodies.push(body);
      steps.push({
        kind: 'version',
        resourceVersion: version.resourceVersion,
        happened,
        first: version.first,
        author,
        managers: author === null && before !== null ? managersBetween(before.body, body) : [],
        ...(version.generation === undefined ? null : { generation: version.generation }),
        changes,
        ...(mutations.length === 0 ? null : { mutations }),
        ...(sent === undefined ? null : { sent: changesBetween(undefined, sent) }),
        ...(body !== undefined && before !== null && before.at < i - 1
          ? { since: before.version.resourceVersion }
          : null),
      });
      if (body !== undefined) before = { version, body, at: i };
    });
    const typed = this.#versions.find(({ kind }) => kind !== undefined);
    const { uid } = this.#versions[0];
    const kind = typed?.kind ?? null;
    const disruption = kind === 'Pod' ? disruptionOf(steps, bodies) : null;
    const head = { uid, apiVersion: typed?.apiVersion ?? null, kind, owners: this.#owners(), steps };
    return {
      ...head,
      ...(this.#deletion === null ? null : { deletion: this.#deletion }),
      ...(disruption === null ? null : { disruption }),
    };
  }

  /** Who requested the deletion of the object or its collection, where an event of the version follows from that. */
  #deleterOf({ causes }: ObservedRevision, happened: RevisionKind, known: Author | null): Author | null {
    if (happened !== 'marked for deletion' && happened !== 'deleted') return null;
    const { askedBy = null } = this.#deletion ?? {};
    if (askedBy === null || askedBy.request.seq === known?.request.seq || !causes.has(askedBy.request.seq)) return null;
    return { request: askedBy.request, response: askedBy.response, how: 'event' };
  }

  #happened(
    version: ObservedRevision,
    i: number,
    author: Author | null,
    before: RevisionFields | undefined,
    body: RevisionFields | undefined,
  ): RevisionKind {
    if (this.#isLast(version, i, author)) return 'deleted';
    if (i === 0) return isCreation(author) ? 'created' : 'seen';
    const isMarked = deletionOf(body) !== undefined && before !== undefined && deletionOf(before) === undefined;
    return isMarked ? 'marked for deletion' : 'changed';
  }

  /**
   * Whether the version is the object's last. A watch with a selector also has DELETED for an object that was only changed: it is gone if
   * a delete was the cause and no other event shows it.
   */
  #isLast(version: ObservedRevision, i: number, author: Author | null): boolean {
    if (i < this.#versions.length - 1) return false;
    return version.isDeleted || (version.isGone && !version.isThere && author?.request.verb === 'delete');
  }

  #sentBy(version: ObservedRevision): RevisionFields | undefined {
    const author = this.#authors.get(version);
    const write = version.answered.find(({ request }) => request === author?.request);
    return write?.sent !== undefined && !('$bytes' in write.sent) ? write.sent : undefined;
  }

  #owners(): Incarnation['owners'] {
    return this.#versions.find(({ first }) => first.object?.owners !== undefined)?.first.object?.owners ?? [];
  }
}

function byVersion(a: ObservedRevision, b: ObservedRevision): number {
  return compareVersions(a.resourceVersion, b.resourceVersion);
}

function compareVersions(x: string, y: string): number {
  // Numbers of etcd's revision, in every API server that there is; else in the order of their showing, which a sort keeps.
  if (!/^\d{1,20}$/.test(x) || !/^\d{1,20}$/.test(y)) return 0;
  return x.length - y.length || (x < y ? -1 : x > y ? 1 : 0);
}

function isCreation(author: Author | null): boolean {
  return author !== null && (author.request.verb === 'create' || author.response?.status === CREATED);
}

/** Begun before the version was shown, and not answered before with another version or a refusal. */
function isUnderWay({ request, response }: ObservedWrite, version: ObservedRevision): boolean {
  if (request.started > version.first.time) return false;
  if (response === undefined) return true;
  if (response.time < version.first.started || (response.status ?? 0) >= FAILURE) return false;
  const made = response.object?.kind === 'Status' ? null : response.object?.resourceVersion;
  return made == null || compareVersions(made, version.resourceVersion) > 0;
}

function deletionOf(body: RevisionFields | undefined): unknown {
  return (body?.['metadata'] as RevisionFields | undefined)?.['deletionTimestamp'];
}

function isDry({ request }: ObservedWrite): boolean {
  return request.dryRun === true;
}

/** @param known writes that were answered with a version. */
function attemptOf(
  write: ObservedWrite,
  used: ReadonlySet<ObservedWrite>,
  known: ReadonlySet<ObservedWrite>,
): Attempt[] {
  const { request, response } = write;
  if (used.has(write)) return [];
  if (response === undefined) return [{ kind: 'attempt', what: 'unanswered', request, response }];
  const isRefused = (response.status ?? 0) >= FAILURE;
  const what = isRefused ? 'refused' : isDry(write) ? 'dry run' : known.has(write) ? 'no change' : 'done';
  return [{ kind: 'attempt', what, request, response }];
}

/** Puts what belongs to no version where it happened: into the life that was going on, by time. */
function placed(
  incarnations: readonly Incarnation[],
  others: readonly Exclude<HistoryStep, Revision>[],
  deletion: Deletion | null,
): Incarnation[] {
  const sorted = [...incarnations].sort((a, b) => compare(startOf(a), startOf(b)));
  const rest = [...others].sort((a, b) => compare(timeOf(a), timeOf(b)));
  if (sorted.length === 0) {
    const unseen = { uid: null, apiVersion: null, kind: null, owners: [], steps: rest };
    return rest.length === 0 ? [] : [deletion === null ? unseen : { ...unseen, deletion }];
  }
  return sorted.map((incarnation, i) => {
    const next = sorted[i + 1];
    const own = rest.filter((step) => {
      const uid = step.kind === 'k8sEvent' ? step.message.k8sEvent?.uid : undefined;
      if (uid !== undefined && uid !== '' && incarnations.some((one) => one.uid === uid))
        return uid === incarnation.uid;
      const time = timeOf(step);
      return (i === 0 || time >= startOf(incarnation)) && (next === undefined || time < startOf(next));
    });
    return { ...incarnation, steps: mixed(incarnation.steps as readonly Revision[], own) };
  });
}

/** Versions keep their order. */
function mixed(versions: readonly Revision[], others: readonly HistoryStep[]): HistoryStep[] {
  const out: HistoryStep[] = [];
  let at = 0;
  for (const version of versions) {
    while (at < others.length && timeOf(others[at]) < timeOf(version)) out.push(others[at++]);
    out.push(version);
  }
  return [...out, ...others.slice(at)];
}

/** ns: the place of a step in the history. */
export function timeOf(step: HistoryStep): bigint {
  if (step.kind === 'version') return step.first.time;
  if (step.kind === 'k8sEvent') return step.message.time;
  return (step.response ?? step.request).time;
}

function startOf(incarnation: Incarnation): bigint {
  return timeOf(incarnation.steps[0]);
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const CREATED = 201;
const FAILURE = 400;
