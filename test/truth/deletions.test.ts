// Who deleted an object has one answer: all outputs give it, and the audit log of the same cluster agrees.

import { describe, expect, it } from 'vitest';
import {
  criticalPaths,
  explain,
  explorerData,
  HistoryBuilder,
  type Message,
  pathReport,
  renderObjectText,
  reportText,
  SummaryCollector,
} from '../../src/index.js';
import { deletionWords, senderText } from '../../src/kubernetes/lives/deletion-words.js';
import type { ObjectLife } from '../../src/kubernetes/messages/message.js';
import { exists, fixtureLines } from '../kit/fixtures.js';
import { TRIES_ALL } from '../kit/runs.js';
import { observeWhole, WITH_CAPTURES } from '../kit/whole-fixtures.js';

/** Objects of a fixture that are looked at in each output. */
const LOOKED_AT = TRIES_ALL ? 1_000 : 6;

/** Lives that ended, each with the number of the first message about it. */
function deletedIn(messages: readonly Message[]): Map<ObjectLife, number> {
  const first = new Map<ObjectLife, number>();
  for (const message of messages) {
    const life = message.about;
    if (life !== undefined && !first.has(life)) first.set(life, message.seq);
  }
  return new Map([...first].filter(([life]) => life.deletion !== null));
}

/** Different ones first: one of each resource and kind of answer. */
function sample(lives: readonly ObjectLife[]): ObjectLife[] {
  const rank = new Map<string, number>();
  const ranked = lives.map((life) => {
    const { askedBy, finishedBy } = life.deletion!;
    const key = `${life.resource} ${askedBy?.request.verb} ${askedBy?.request.subresource} ${finishedBy === null}`;
    rank.set(key, (rank.get(key) ?? 0) + 1);
    return { life, rank: rank.get(key)! };
  });
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, LOOKED_AT)
    .map(({ life }) => life);
}

describe.each(WITH_CAPTURES)('%s', (name) => {
  it('names one writer for each deleted object, whichever output is asked', async () => {
    const { messages, notices, items, first } = await observeWhole(name);
    const lives = [...deletedIn(messages).keys()];
    const collector = new SummaryCollector([], { streams: false });
    for (const item of items) collector.add(item);
    const { objects } = collector.result();
    const told = objects.filter(({ deleted, finished }) => deleted !== undefined || finished !== undefined);
    const named = lives.filter(({ deletion }) => deletion?.askedBy !== null || deletion.finishedBy !== null);
    expect(told.length > 0).toBe(named.length > 0);
    for (const { resource, apiGroup, namespace, name: own, deletion } of lives) {
      const rows = objects.filter(
        (row) =>
          row.resource === resource && row.apiGroup === apiGroup && row.namespace === namespace && row.name === own,
      );
      const { askedBy, finishedBy } = deletion!;
      const write = (one: typeof askedBy) =>
        one === null ? undefined : { by: one.request.from.name, user: one.request.user, message: one.request.seq };
      expect(
        rows.map(({ deleted, finished }) => ({ deleted, finished })),
        `summary of ${resource} ${own}`,
      ).toContainEqual({ deleted: write(askedBy), finished: write(finishedBy) });
    }
    const chosen = sample(lives);
    if (chosen.length === 0) return;
    const page = explorerData({ messages, notices });
    const about = new Map(page.entries.map(({ message, about: object }) => [message.seq, object]));
    for (const life of chosen) {
      const { resource, apiGroup: group, namespace, name: own } = life;
      const deletion = life.deletion!;
      const words = deletionWords(deletion);
      const builder = new HistoryBuilder({ resource, group, namespace, name: own });
      for (const message of messages) builder.feed(message);
      const history = builder.result();
      const text = renderObjectText(history, { first, digits: () => 6 });
      expect(text, `object ${resource}/${own}`).toContain(`  ${words}\n`);
      const paths = criticalPaths(messages, history, { goal: 'gone' });
      const [incarnation] = history.incarnations.filter(({ uid }) => uid === life.uid);
      const isShown = incarnation?.steps.some(
        (step) => step.kind === 'version' && (step.happened === 'deleted' || step.happened === 'marked for deletion'),
      );
      if (isShown === true) expect(reportText(pathReport(paths, first), 0), `path ${resource}/${own}`).toContain(words);
      const at = deletion.askedBy?.request.seq;
      if (at === undefined) continue;
      if (deletion.askedBy?.request.name === own) {
        expect(explain(messages, at), `explain ${at}`).toContain(`  ${words}`);
        expect(about.get(at)?.deleted, `page ${at}`).toContain(words);
      }
    }
  });
});

it.each([
  ['kubectl', 'jane', 'kubectl as jane'],
  ['kubectl', 'system:serviceaccount:ci:deployer', 'kubectl as system:serviceaccount:ci:deployer'],
  ['kubectl', undefined, 'kubectl'],
  ['kubelet (node-1)', 'system:node:node-1', 'kubelet (node-1)'],
  ['job-controller', 'system:serviceaccount:kube-system:job-controller', 'job-controller'],
  ['jane', 'jane', 'jane'],
])('%s whose requests are of %s: %s', (name, user, words) => {
  expect(senderText({ from: { name }, user })).toBe(words);
});

interface Entry {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username?: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly userAgent?: string;
  readonly objectRef?: Readonly<
    Partial<Record<'resource' | 'subresource' | 'namespace' | 'name' | 'apiGroup', string>>
  >;
  readonly responseStatus?: { readonly code?: number };
}

/** Where a log was cut down to what other tests need. */
function objectIn(uri: string): Entry['objectRef'] {
  const path = /^\/(?:api|apis\/([^/]+))\/[^/]+\/(?:namespaces\/([^/]+)\/)?([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?/.exec(
    uri,
  );
  if (path === null) return undefined;
  const [, apiGroup, namespace, resource, name, subresource] = path;
  return { apiGroup, namespace, resource, name, subresource };
}

const READS = new Set(['get', 'list', 'watch']);
const isEviction = ({ verb, objectRef }: Entry): boolean => verb === 'create' && objectRef?.subresource === 'eviction';
const deletes = (entry: Entry): boolean =>
  (entry.verb === 'delete' && entry.objectRef?.subresource === undefined) || isEviction(entry);
const creates = ({ objectRef, responseStatus }: Entry): boolean =>
  responseStatus?.code === 201 && objectRef?.subresource === undefined;
const isDone = ({ responseStatus, requestURI }: Entry): boolean =>
  (responseStatus?.code ?? 0) >= 200 && (responseStatus?.code ?? 0) < 300 && !requestURI.includes('dryRun');

describe.each(WITH_CAPTURES.filter((name) => exists(`${name}/audit.jsonl`)))('%s and its audit log', (name) => {
  it('agree on who asked first', async () => {
    const { messages } = await observeWhole(name);
    const entries = fixtureLines<Entry>(`${name}/audit.jsonl`)
      .filter(({ stage }) => stage === 'ResponseComplete')
      .map((entry) => ({ ...entry, objectRef: entry.objectRef ?? objectIn(entry.requestURI) }));
    const byId = new Map(entries.map((entry) => [entry.auditID, entry]));
    const places = new Map(entries.map(({ auditID }, i) => [auditID, i]));
    const answered = new Map(
      messages.flatMap((one) => (one.auditId === undefined ? [] : [[one.auditId as string, one]])),
    );
    expect(entries.some(({ auditID }) => answered.has(auditID))).toBe(true);
    const answers = new Map([...answered].map(([id, { exchange }]) => [exchange, id]));
    const lives = deletedIn(messages);
    for (const [life, firstSeen] of lives) {
      const { resource, apiGroup, namespace, name: own, deletion } = life;
      const what = `${resource} ${namespace ?? ''}/${own}`;
      const isOf = ({ objectRef: ref }: Entry): boolean =>
        ref?.resource === resource &&
        (ref.apiGroup ?? '') === apiGroup &&
        (resource === 'namespaces' || (ref.namespace ?? null) === namespace);
      const named = entries.filter((one) => isOf(one) && one.objectRef?.name === own && isDone(one));
      const { askedBy } = deletion!;
      if (askedBy === null) {
        // Nobody is named where the capture has nobody: what the log knows was not captured, or came when it was going already.
        const [log] = named.filter(deletes);
        const shown = log === undefined ? undefined : answered.get(log.auditID);
        if (shown !== undefined) expect(shown.exchange, what).toBe(deletion?.finishedBy?.request.exchange);
        continue;
      }
      const id = askedBy.response?.auditId as string | undefined;
      const log = id === undefined ? undefined : byId.get(id);
      if (log === undefined) continue;
      compared += 1;
      // The log's own entry is about this object or its collection, and of this writer.
      expect(isOf(log), what).toBe(true);
      expect(log.verb === 'deletecollection' || log.objectRef?.name === own, what).toBe(true);
      const { user: asUser, userAgent, from } = askedBy.request;
      const user = log.impersonatedUser?.username ?? log.user.username ?? '';
      if (log.userAgent !== undefined && userAgent !== undefined) expect(userAgent, what).toBe(log.userAgent);
      // In some logs a user is who asked by his user agent.
      if (asUser !== undefined) expect([asUser, from.name], what).toContain(user);
      const part = /^system:(?:serviceaccount:kube-system|node|kube):?(.*)$/.exec(user);
      if (part !== null && userAgent !== undefined)
        expect(from.name, what).toMatch(new RegExp(`^(?:.*-)?${part[1].replace(/^-/, '')}$|\\(${part[1]}\\)$`));
      // And it has no earlier one, unless the object was created in between.
      const at = places.get(log.auditID)!;
      const earlier = named.filter((one) => deletes(one) && places.get(one.auditID)! < at);
      for (const one of earlier) {
        const isAgain = named.some(
          (made) =>
            creates(made) && places.get(made.auditID)! > places.get(one.auditID)! && places.get(made.auditID)! < at,
        );
        expect(isAgain, `${what}: ${one.user.username} asked before ${user}`).toBe(true);
      }
      // Nothing is written to it behind who finished it.
      const finish = answers.get(deletion?.finishedBy?.request.exchange ?? -1);
      const end = finish === undefined ? Number.POSITIVE_INFINITY : (places.get(finish) ?? Number.POSITIVE_INFINITY);
      const behind = named.filter((one) => places.get(one.auditID)! > end && !READS.has(one.verb));
      expect(behind[0] === undefined || creates(behind[0]), `${what}: ${behind[0]?.verb} behind its end`).toBe(true);
      const swept = entries.filter(
        (one) =>
          one.verb === 'deletecollection' &&
          isOf(one) &&
          isDone(one) &&
          !one.requestURI.includes('Selector') &&
          places.get(one.auditID)! < at &&
          (answered.get(one.auditID)?.seq ?? 0) > firstSeen,
      );
      expect(
        swept.map(({ auditID }) => answered.get(auditID)?.exchange).filter((one) => one !== askedBy.request.exchange),
        `${what}: collected before ${user} asked`,
      ).toEqual([]);
    }
    // Each object that the log says was deleted is said to be deleted.
    for (const entry of entries.filter((one) => deletes(one) && isDone(one) && answered.has(one.auditID))) {
      const { resource, namespace, name: own, apiGroup = '' } = entry.objectRef!;
      const known = [...lives.keys()].some(
        (life) =>
          life.resource === resource &&
          life.apiGroup === apiGroup &&
          life.name === own &&
          life.namespace === (resource === 'namespaces' ? null : (namespace ?? null)),
      );
      expect(known, `${resource} ${namespace}/${own}`).toBe(true);
    }
  });
});

let compared = 0;
it('compares many', () => {
  expect(compared).toBeGreaterThan(130);
});
