// The inventory of a summary: its objects held against the API server's own audit log, its counts against those of the exchanges.

import { beforeAll, describe, expect, it } from 'vitest';
import { explorerData, type Message, ObjectStore, type Summary, SummaryCollector } from '../../src/index.js';
import { inventorySections } from '../../src/summary/inventory-text.js';
import { type Audit, auditLog } from '../kit/audit.js';
import { kubeseq } from '../kit/command.js';
import { APISERVER, exchanged, type Given, KUBECTL, MANAGER, message, REPLICASETS } from '../kit/messages.js';
import { TRIES_ALL } from '../kit/runs.js';
import { observeWhole, WITH_CAPTURES } from '../kit/whole-fixtures.js';

/** Fixtures with all layers, sent-on requests, streams, Kubernetes Events, a late start, objects that were created again. */
const COUNTED = [
  ...['attach-aggregated-tls', 'boot-etcd-tls', 'exec-logs-portforward-tls', 'late-start-mixed', 'trouble-tls'],
  ...['errors-http1', 'not-starting-tls', 'operator-tls', 'workloads-tls'],
];

/** Not in every log: some are reduced to what other tests need. */
type LoggedRequest = Audit & { readonly requestURI?: string };

function summaryOf(messages: readonly Message[]): Summary {
  const collector = new SummaryCollector(['-'], { streams: false });
  const objects = new ObjectStore();
  for (const one of messages) collector.add({ kind: 'message', message: objects.link(one) });
  return collector.result();
}

function nameOf({ resource, namespace, name }: Audit['objectRef'] & object): string {
  return `${resource} ${resource === 'namespaces' ? '' : (namespace ?? '')} ${name}`;
}

describe.each(['run-nginx-tls', 'errors-http1', 'workloads-tls', 'operator-tls', 'deployment-tls', 'not-starting-tls'])(
  '%s',
  (fixture) => {
    let summary: Summary;
    let messages: readonly Message[];
    /** Entries of the audit log whose answers were captured. */
    let entries: readonly LoggedRequest[];
    /** `seq` of a request → its entry. */
    const entryOf = new Map<number, LoggedRequest>();

    beforeAll(async () => {
      ({ messages } = await observeWhole(fixture));
      summary = summaryOf(messages);
      const log = auditLog(`${fixture}/audit.jsonl`) as ReadonlyMap<string, LoggedRequest>;
      const requests = new Map(messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one]));
      for (const { kind, auditId = '', exchange, protocol } of messages) {
        const [entry, request] = [log.get(auditId), requests.get(exchange)];
        if (kind !== 'response' || protocol !== 'kubernetes' || entry === undefined || request === undefined) continue;
        // A request that was sent on has the number of its own.
        if (request.cause?.how !== 'forwarded') entryOf.set(request.seq, entry);
      }
      entries = [...entryOf.values()];
    }, 120_000);

    it('has the objects that the audit log says were created', () => {
      const expected = entries
        .filter(
          ({ verb, objectRef, responseStatus, requestURI }) =>
            ['create', 'update', 'patch'].includes(verb) &&
            responseStatus.code === 201 &&
            !requestURI?.includes('dryRun=') &&
            objectRef?.name !== undefined &&
            objectRef.subresource === undefined &&
            objectRef.resource !== 'events',
        )
        .map((entry) => `${nameOf(entry.objectRef!)} ${entry.auditID}`);
      const rows = summary.objects.filter(({ created }) => created !== undefined);
      const inLog = rows.filter(({ created }) => entryOf.get(created!.message)?.objectRef?.name !== undefined);
      const found = inLog.map(
        (row) => `${row.resource} ${row.namespace ?? ''} ${row.name} ${entryOf.get(row.created!.message)!.auditID}`,
      );
      expect(expected.length).toBeGreaterThan(20);
      expect(found.sort()).toEqual(expected.sort());
    });

    it('has the objects that the audit log says were deleted', () => {
      const expected = entries
        .filter(
          ({ verb, objectRef, responseStatus }) =>
            responseStatus.code < 300 &&
            ((verb === 'delete' && objectRef?.subresource === undefined) ||
              (verb === 'create' && objectRef?.subresource === 'eviction')) &&
            objectRef?.resource !== 'events',
        )
        .map(({ objectRef }) => nameOf(objectRef!));
      const rows = summary.objects.filter(({ deleted }) => deleted !== undefined);
      const own = rows.filter(({ deleted }) => {
        const entry = entryOf.get(deleted!.message);
        return entry !== undefined && entry.verb !== 'deletecollection';
      });
      expect(new Set(own.map(({ resource, namespace, name }) => `${resource} ${namespace ?? ''} ${name}`))).toEqual(
        new Set(expected),
      );
    });

    it('says by whom: the sender of the request', () => {
      const sender = new Map(messages.map(({ seq, from }) => [seq, from.name]));
      for (const { created, deleted } of summary.objects)
        for (const write of [created, deleted])
          if (write !== undefined) expect(write.by).toBe(sender.get(write.message));
    });

    it('counts every request once for its sender and once for its receiver, and their failures', () => {
      const { exchanges, requests } = summary;
      const sum = (of: (row: Summary['requests'][number]) => number): number =>
        requests.reduce((all, row) => all + of(row), 0);
      const sent = exchanges.total - exchanges.withoutRequest;
      expect([sum((row) => row.sent), sum((row) => row.received)]).toEqual([sent, sent]);
      expect(sum(({ unanswered }) => unanswered)).toBe(exchanges.withoutResponse);
      const asked = new Set(messages.filter(({ kind }) => kind === 'request').map(({ exchange }) => exchange));
      const failed = messages.filter(
        ({ kind, exchange, status = 0, grpcStatus = 0 }) =>
          kind === 'response' && asked.has(exchange) && (status >= 400 || grpcStatus > 0),
      );
      expect(sum((row) => row.failed)).toBe(failed.length);
    });

    it('has the slowest calls, by the latencies of the lines', () => {
      const requests = new Map(messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one]));
      const slowest = messages
        .filter(
          ({ kind, exchange }) =>
            kind === 'response' && requests.has(exchange) && requests.get(exchange)?.verb !== 'watch',
        )
        .flatMap(({ latencyMs }) => latencyMs ?? [])
        .sort((a, b) => b - a)
        .slice(0, 100);
      expect(summary.slowest.map(({ latencyMs }) => latencyMs)).toEqual(slowest);
      for (const {
        messages: [request, response],
        latencyMs,
      } of summary.slowest) {
        const [first, last] = [request, response].map((seq) => messages.find((one) => one.seq === seq)!);
        expect([first.kind, last.kind, last.latencyMs, last.causedBy]).toEqual([
          'request',
          'response',
          latencyMs,
          request,
        ]);
      }
    });
  },
);

it.each(TRIES_ALL ? WITH_CAPTURES : COUNTED)('%s: a page shows as many messages of each object', async (name) => {
  const { messages, notices } = await observeWhole(name);
  const { objects } = summaryOf(messages);
  const groups = new Map<string, Set<string>>();
  for (const { resource, apiGroup } of objects) groups.set(resource, (groups.get(resource) ?? new Set()).add(apiGroup));
  const counts: Record<string, number> = {};
  for (const one of objects) {
    const hasGroup = groups.get(one.resource)!.size > 1 && one.apiGroup !== '';
    const key = `${one.resource}${hasGroup ? `.${one.apiGroup}` : ''} ${one.namespace ?? ''}/${one.name}`;
    counts[key] = (counts[key] ?? 0) + one.messages;
  }
  const shown: typeof counts = {};
  for (const { about } of explorerData({ messages, notices }).entries) {
    if (about === null || about.name === null || about.resource === 'events') continue;
    const key = `${about.resource} ${about.namespace ?? ''}/${about.name}`;
    shown[key] = (shown[key] ?? 0) + 1;
  }
  expect(counts).toEqual(shown);
});

describe('webhooks', () => {
  it('have their verdicts, each call once', async () => {
    const { messages } = await observeWhole('operator-tls');
    const { webhooks } = summaryOf(messages);
    const calls = messages.filter(({ kind, to }) => kind === 'request' && to.component === 'webhook');
    expect(webhooks.reduce((sum, one) => sum + one.calls, 0)).toBe(calls.length);
    // Operator's truth: v.shop.example.com denied the Cache with more than five replicas; 13 could not be converted.
    const byName = Object.fromEntries(webhooks.map(({ webhook, verdicts }) => [webhook, verdicts]));
    expect(byName['webhook v.shop.example.com']).toMatchObject({ denied: 1 });
    expect(byName['webhook m.shop.example.com']).toMatchObject({ 'allowed with changes': 1 });
    expect(byName['webhook 192.0.2.12:9443']).toMatchObject({ 'not converted': 1 });
    for (const { calls: all, verdicts, failed, unanswered } of webhooks) {
      const judged = Object.values(verdicts).reduce((sum, count) => sum + count, 0);
      expect(judged + failed + unanswered).toBe(all);
    }
  });
});

const POD = { resource: 'pods', apiGroup: '', namespace: 'shop', name: 'a' } as const;
const created = (given: Given = {}): Message[] => exchanged({ verb: 'create', ...POD, ...given }, { status: 201 });
const object = { kind: 'Pod', apiVersion: 'v1', namespace: 'shop', name: 'a', uid: '1', resourceVersion: '1' } as const;

describe('an object', () => {
  it('that is created again after its deletion has a row for each time', () => {
    const { objects } = summaryOf([
      ...created({ from: KUBECTL }),
      ...exchanged({ verb: 'delete', from: MANAGER, ...POD }),
      ...created({ from: REPLICASETS }),
    ]);
    expect(objects.map(({ created, deleted, messages }) => [created?.by, deleted?.by, messages])).toEqual([
      [KUBECTL.name, MANAGER.name, 4],
      [REPLICASETS.name, undefined, 2],
    ]);
  });

  it('whose name the API server chose is created with its response', () => {
    const { objects } = summaryOf(exchanged({ verb: 'create', ...POD, name: undefined }, { status: 201, object }));
    expect(objects).toMatchObject([{ name: 'a', namespace: 'shop', created: { by: KUBECTL.name }, messages: 2 }]);
  });

  it.each([
    ['a dry run', created({ dryRun: true })],
    ['a refusal', exchanged({ verb: 'create', ...POD }, { status: 409 })],
    ['a subresource', created({ subresource: 'binding' })],
    ['a change', exchanged({ verb: 'patch', ...POD }, { status: 200 })],
  ])('is not created by %s', (_, messages) => {
    expect(summaryOf(messages).objects).toMatchObject([{ name: 'a', messages: 2 }]);
    expect(summaryOf(messages).objects[0]).not.toHaveProperty('created');
  });

  it('is deleted by an eviction, and by the deletion of its collection', () => {
    const evicted = summaryOf(exchanged({ verb: 'create', ...POD, subresource: 'eviction' }, { status: 201 }));
    expect(evicted.objects).toMatchObject([{ deleted: { by: KUBECTL.name } }]);
    const watch = exchanged({ verb: 'watch', from: MANAGER, resource: 'pods', apiGroup: '' });
    const all = exchanged({
      verb: 'deletecollection',
      from: KUBECTL,
      resource: 'pods',
      apiGroup: '',
      namespace: 'shop',
    });
    const [{ exchange }] = watch;
    const event = message({
      ...{ kind: 'event', from: APISERVER, to: MANAGER, exchange, type: 'DELETED', object },
      causedBy: all[0].seq,
    });
    expect(summaryOf([...watch, ...all, event]).objects).toMatchObject([
      { name: 'a', deleted: { by: KUBECTL.name, message: all[0].seq }, messages: 1 },
    ]);
  });

  it('has its problems, and those that Events have about it', () => {
    const k8sEvent = {
      ...{
        type: 'Warning',
        reason: 'Failed',
        message: 'm',
        kind: 'Pod',
        namespace: 'shop',
        name: 'a',
        uid: '',
        component: 'k',
      },
    };
    const { objects } = summaryOf([
      ...created(),
      ...exchanged(
        { verb: 'create', resource: 'events', apiGroup: '', namespace: 'shop', name: 'a.1', k8sEvent },
        { status: 201 },
      ),
      ...exchanged({ verb: 'update', ...POD }, { status: 403 }),
    ]);
    expect(objects).toMatchObject([{ resource: 'pods', problems: 2 }]);
  });
});

describe('background', () => {
  it.each(['not-starting-tls', 'boot-etcd-tls'])('%s: messages of other layers, and what is periodic', async (name) => {
    const { messages } = await observeWhole(name);
    const { background } = summaryOf(messages);
    const isOfApi = ({ protocol, from, to }: Message): boolean =>
      protocol === 'kubernetes' || from.component === 'webhook' || to.component === 'webhook';
    const others = messages.filter((one) => !isOfApi(one));
    for (const protocol of new Set(others.map((one) => one.protocol)))
      expect(background[`layer ${protocol}`]).toBe(others.filter((one) => one.protocol === protocol).length);
    const resources = new Map(messages.filter((one) => one.kind === 'request').map((one) => [one.exchange, one]));
    const api = messages.filter(isOfApi);
    const bookmarks = api.filter(({ type }) => type === 'BOOKMARK');
    expect(background.bookmarks).toBe(bookmarks.length);
    const ofLeases = api.filter((one) => {
      const request = resources.get(one.exchange);
      const isList = one.initial === true || request?.verb === 'list';
      return (request?.resource ?? one.resource) === 'leases' && one.type !== 'BOOKMARK' && !isList;
    });
    expect(ofLeases.length).toBeGreaterThan(50);
    expect(background.leases).toBe(ofLeases.length);
  });
});

describe('limits', () => {
  it('say what is behind them', () => {
    const messages: Message[] = [];
    for (let i = 0; i < 20_003; i++) messages.push(...created({ name: `a${i}` }));
    const { objects, unlisted, notices, slowest } = summaryOf(messages);
    expect([objects.length, unlisted.objects, notices['limit.correlation']]).toEqual([20_000, 6, 1]);
    expect(slowest).toEqual([]);
  });
});

it('the text has ten rows of each table, and says how many more there are', () => {
  const args = ['fixtures/run-nginx-http1/capture.pcap.gz'];
  const { stdout } = kubeseq(['summary', ...args]);
  const summary = JSON.parse(kubeseq(['summary', '-o', 'json', ...args]).stdout) as Summary;
  const [, rows] =
    /\nobjects, those with problems first, then deleted ones; .*\n.*\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
  expect(rows.trimEnd().split('\n')).toHaveLength(11);
  expect(rows).toContain(`  ${summary.objects.length - 10} more objects (--limit)`);
  // Without problems the deleted Pod is the first, and stays with one row.
  expect(rows).toMatch(/^ {2}pods default\/nginx /);
});

it('says how many deleted objects are beyond the limit of rows', async () => {
  const { messages } = await observeWhole('workloads-tls');
  const summary = summaryOf(messages);
  const deleted = summary.objects.filter((one) => one.deleted !== undefined).length;
  const [{ table, notes = [] }] = inventorySections(summary, 3);
  const shown = table!.rows.slice(1).filter((row) => row[2] !== '-').length;
  expect(deleted - shown).toBeGreaterThan(1);
  expect(notes).toContain(`  ${deleted - shown} of them were deleted`);
});
