// Statistics over critical paths, held against the single paths, the conditions of the Pods, and arithmetic.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  ALL_LAYERS,
  criticalPaths,
  HistoryBuilder,
  indexPaths,
  type Message,
  missingCauses,
  ObjectHistories,
  type ObjectHistory,
  type PathStatistics,
  pathStatistics,
  renderStatisticsJson,
  reportMarkdown,
  reportText,
  SpooledObservation,
  statisticsReport,
  type WantedObjects,
} from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { MemoryStorage } from '../kit/memory-storage.js';
import { observeWhole } from '../kit/whole-fixtures.js';

interface Found {
  readonly messages: readonly Message[];
  readonly histories: readonly ObjectHistory[];
  readonly statistics: PathStatistics;
}

async function found(fixture: string, wanted: Partial<WantedObjects> = {}): Promise<Found> {
  const { messages } = await observeWhole(fixture);
  const objects = new ObjectHistories({ resource: 'pods', group: '', namespace: null, ...wanted });
  for (const message of messages) objects.feed(message);
  const histories = objects.results();
  const chosen = { resource: 'pods', goal: 'ready', unlisted: objects.unlisted } as const;
  return { messages, histories, statistics: pathStatistics(indexPaths(messages), histories, chosen) };
}

/** By definition: the smallest of which at least so many percent of all are no larger. */
function nearestRank(durations: readonly bigint[], percent: number): bigint {
  const ascending = [...durations].sort((a, b) => Number(a - b));
  return ascending.find(
    (one) => ascending.filter((other) => other <= one).length >= (percent / 100) * ascending.length,
  )!;
}

describe.each(['workloads-tls', 'not-starting-tls', 'autoscaled-tls', 'deployment-tls'])('%s', (fixture) => {
  let is: Found;
  beforeAll(async () => {
    is = await found(fixture);
  }, 120_000);

  it('has the paths that each Pod has alone', () => {
    const { messages, histories, statistics } = is;
    expect(histories.length).toBeGreaterThan(2);
    const alone = histories.flatMap(({ namespace, name }) => {
      const builder = new HistoryBuilder({ resource: 'pods', group: '', namespace, name });
      for (const message of messages) builder.feed(message);
      return criticalPaths(messages, builder.result(), { goal: 'ready', story: [] });
    });
    const textOf = (path: PathStatistics['paths'][number]): string =>
      [
        path.name,
        path.goal,
        path.duration,
        ...path.legs.map((leg) => `${leg.what} ${leg.from.seq}-${leg.to.seq}`),
      ].join('\n');
    const reached = alone.filter(({ isReached }) => isReached);
    expect(statistics.paths.map(textOf).sort()).toEqual(reached.map(textOf).sort());
    expect(statistics.paths.length + statistics.others.length).toBeGreaterThanOrEqual(histories.length);
  });

  it('adds up: the steps are the whole, of each Pod and of all', () => {
    const { paths, steps, whole } = is.statistics;
    expect(steps.reduce((sum, { total }) => sum + total, 0n)).toBe(whole!.total);
    expect(whole!.total).toBe(paths.reduce((sum, { duration }) => sum + duration, 0n));
    expect(whole!.objects).toBe(paths.length);
  });

  it('has percentiles that are nearest ranks', () => {
    const { paths, steps, whole } = is.statistics;
    const all = paths.map(({ duration }) => duration);
    expect([whole!.p50, whole!.p99]).toEqual([nearestRank(all, 50), nearestRank(all, 99)]);
    expect(whole!.max).toBe(whole!.slowest.duration);
    for (const { step, objects, p50, p99, max, slowest } of steps) {
      const of = (one: (typeof paths)[number]): bigint =>
        one.legs.filter((leg) => leg.step === step).reduce((sum, { duration }) => sum + duration, 0n);
      const durations = paths.map(of).filter((duration) => duration > 0n);
      expect([objects, p50, p99, max]).toEqual([
        durations.length,
        nearestRank(durations, 50),
        nearestRank(durations, 99),
        of(slowest),
      ]);
    }
  });

  it('agrees within a second with creation and Ready condition of each Pod', () => {
    const { histories, statistics } = is;
    let compared = 0;
    for (const { namespace, name, duration, goal } of statistics.paths) {
      const history = histories.find((one) => one.namespace === namespace && one.name === name)!;
      const [created, ready] = [timeOf(history, 'created'), timeOf(history, 'Ready')];
      if (goal !== 'Ready' || created === undefined || ready === undefined) continue;
      compared += 1;
      // Both times have whole seconds.
      expect(Math.abs(Number(duration) / 1e9 - (ready - created))).toBeLessThan(TOLERANCE);
    }
    expect(compared).toBeGreaterThan(2);
  });

  it('is the same where messages come back from a spool', () => {
    const { messages, histories, statistics } = is;
    const objects = new ObjectHistories({ resource: 'pods', group: '', namespace: null });
    const about = new Set(messages.filter((message) => objects.feed(message)).map(({ seq }) => seq));
    const spooled = new SpooledObservation(new MemoryStorage(), { layers: ALL_LAYERS });
    for (const message of messages) spooled.add(message);
    let index = indexPaths([]);
    for (let pass = 0; pass < 20; pass++) {
      const back = spooled.observation([], (seq) => about.has(seq)).messages;
      expect(back.length).toBeLessThan(messages.length);
      index = indexPaths(back);
      const missing = missingCauses(index, histories, { goal: 'ready' }).filter((seq) => !about.has(seq));
      if (missing.length === 0) break;
      for (const seq of missing) about.add(seq);
    }
    const again = pathStatistics(index, histories, { resource: 'pods', goal: 'ready', unlisted: 0 });
    expect(renderStatisticsJson(again, () => 9)).toBe(renderStatisticsJson(statistics, () => 9));
  });
});

/** Seconds since the epoch, as the Pod itself has it: when it was created, when it first became Ready. */
function timeOf({ incarnations }: ObjectHistory, what: 'created' | 'Ready'): number | undefined {
  const [whole, status, time] = ['', '.status', '.lastTransitionTime'].map((end) => `status.conditions[Ready]${end}`);
  let changed: unknown;
  for (const step of incarnations.flatMap(({ steps }) => steps)) {
    if (step.kind !== 'version') continue;
    const after = new Map(
      [...(step.sent ?? []), ...(step.changes ?? [])].map((one) => [one.path, one.after as unknown]),
    );
    const created = after.get('metadata.creationTimestamp');
    if (what === 'created' && typeof created === 'string') return Date.parse(created) / 1000;
    if (what === 'created') continue;
    const condition = after.get(whole) as { status?: string; lastTransitionTime?: string } | undefined;
    changed = condition?.lastTransitionTime ?? after.get(time) ?? changed;
    if (condition?.status === 'True' || after.get(status) === 'True') return Date.parse(String(changed)) / 1000;
  }
  return undefined;
}

it('says why Pods have no goal, by the last warning', async () => {
  const { statistics } = await found('not-starting-tls');
  const why = Object.fromEntries(statistics.others.map((one) => [one.name, one.why]));
  expect(why['noimage']).toMatch(/^never Ready: ErrImagePull and ImagePullBackOff \(since message \d+\)/);
  expect(why['badcmd']).toMatch(/^never Ready: RunContainerError/);
});

it('chooses the Pods of a Deployment, through its ReplicaSets, and those of labels', async () => {
  const owner = { resource: 'deployments', group: null, namespace: 'default', name: 'web' };
  const owned = await found('deployment-tls', { namespace: 'default', owner });
  expect(owned.statistics.paths.map(({ name }) => name)).toHaveLength(6);
  const labelled = await found('deployment-tls', { labels: (labels) => labels.get('app') === 'web' });
  const names = ({ statistics }: Found): readonly string[] => statistics.paths.map(({ name }) => name).sort();
  expect(names(labelled)).toEqual(names(owned));
  expect((await found('deployment-tls', { owner: { ...owner, name: 'other' } })).histories).toEqual([]);
});

it('is printed as text, as a table, and as data', async () => {
  const { statistics } = await found('workloads-tls');
  const json = JSON.parse(renderStatisticsJson(statistics, () => 9));
  const text = reportText(statisticsReport(statistics, 0n), 0);
  expect(text).toMatch(/^15 of 15 pods: Ready\n/);
  expect(text).toContain('of up to 99 objects, p99 is the slowest');
  for (const output of [text, reportMarkdown(statisticsReport(statistics, 0n))])
    expect(output.match(/^\|?\s?image pull .*/m)?.[0]).toContain(' 15 ');
  expect(json.steps.reduce((sum: number, { totalMs }: { totalMs: number }) => sum + totalMs, 0)).toBeCloseTo(
    json.whole.totalMs,
    3,
  );
  expect([json.reached, json.paths.length, json.whole.slowest.name]).toEqual([15, 15, json.paths[0].name]);
});

describe('the command', () => {
  const [folder, ...names] = ['fixtures/deployment-tls', 'control-plane.pcap.gz', 'node-1.pcap.gz'];
  const captures = [...names.map((name) => `${folder}/${name}`), '--keylog', `${folder}/keys.log.gz`, '-q'];
  const heads = (...args: readonly string[]): string => kubeseq(['path', ...args, ...captures]).stdout.split('\n')[0];

  it('takes a kind, names, labels, an owner', () => {
    expect(heads('pods')).toBe('6 of 6 pods: Ready');
    expect(heads('po', '-A')).toBe('6 of 6 pods: Ready');
    expect(heads('pods', '-l', 'app=web')).toBe('6 of 6 pods: Ready');
    expect(heads('deployment/web', '--pods')).toBe('6 of 6 pods: Ready');
    expect(heads('pods', '--goal', 'gone')).toBe('6 of 6 pods: gone');
    const { paths } = JSON.parse(kubeseq(['path', 'pods', '-o', 'json', ...captures]).stdout);
    expect(heads(`pod/${paths[0].name}`, `pods/${paths[1].name}`)).toBe('2 of 2 pods: Ready');
  }, 60_000);

  it.each([
    [['pods', '-l', 'app>web'], '-l app>web: expected labels'],
    [['pod/a', '-l', 'app=web'], '-l chooses among all of a kind'],
    [['pods', '--pods'], 'pods: expected KIND/NAME'],
    [['pod/a', '--pods', '-l', 'x'], '--pods and -l'],
    [['package.json'], 'package.json: expected KIND/NAME'],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = kubeseq(['path', ...args, `${folder}/${names[0]}`]);
    expect([status, stderr.includes(message)]).toEqual([2, true]);
  });

  it('exits 1 where none is there', () => {
    const { status, stdout, stderr } = kubeseq([
      'path',
      'pods',
      '-n',
      'nowhere',
      ...captures.filter((one) => one !== '-q'),
    ]);
    expect([status, stdout]).toEqual([1, 'none of 0 pods reached the goal\n']);
    expect(stderr).toContain('no pods of that choice are in the capture');
  });
});

/** Seconds: the API server and kubelets write whole ones. */
const TOLERANCE = 1.1;
