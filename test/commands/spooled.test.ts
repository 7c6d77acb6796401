// Diagrams of observations in a spool, held against those of the same messages in memory: equal to the byte.

import { describe, expect, it } from 'vitest';
import { rootsOf } from '../../src/diagram/selection/follow.js';
import {
  buildSequence,
  compileWhere,
  type DiagramOptions,
  type FollowedName,
  indexMessages,
  type Message,
  type Observation,
  renderMermaid,
  renderSequenceJson,
  type Selection,
  Selector,
  SpooledObservation,
} from '../../src/index.js';
import { capturedFixtures } from '../kit/fixture-observations.js';
import { MemoryStorage } from '../kit/memory-storage.js';
import { observeWhole } from '../kit/whole-fixtures.js';

/** Of each kind of trouble one: restarts, failed connections, releases of Helm, chapters, names that become known late. */
const FIXTURES =
  process.env['ALL_FIXTURES'] === '1'
    ? capturedFixtures()
    : [
        ...['bootstrap-tls', 'connections-tls', 'fuzz', 'helm-tls', 'late-start-mixed', 'not-starting-tls'],
        ...['one-process-tls', 'pod-network-tls', 'run-nginx-tls', 'trouble-tls'],
      ];
const MANY = process.env['ALL_FIXTURES'] === '1' ? 14 : 3;

describe.each(FIXTURES)('%s', (name) => {
  it('is drawn the same', { timeout: 120_000 }, async () => {
    const whole = await observeWhole(name);
    const { messages } = whole;
    const followed = followedIn(messages);
    const leftOut: number[] = [];
    for (const follow of followed)
      for (const more of [{}, { all: true }, { layers: LAYERS }]) leftOut.push(expectEqual(whole, { follow, ...more }));
    const [first, last] = [messages[0].time, messages[messages.length - 1].time];
    const third = (last - first) / 3n;
    const selections: Selection[] = [
      { since: first + third, until: first + 2n * third },
      { from: 'kubelet' },
      { to: 'etcd' },
      { where: compileWhere('verb == "patch"') },
    ];
    for (const selection of selections)
      for (const options of [{}, { follow: followed[0] }]) leftOut.push(expectEqual(whole, options, selection));
    expect(Math.max(...leftOut)).toBeGreaterThan(messages.length / 2);
  });
});

/** @returns how many messages the spooled observation leaves out. */
function expectEqual(whole: Observation, options: DiagramOptions, selection?: Selection): number {
  const chosen = selection === undefined ? undefined : selectedIn(whole.messages, selection);
  const selected = chosen === undefined ? undefined : ({ seq }: Message) => chosen.has(seq);
  const spooled = new SpooledObservation(new MemoryStorage(), options);
  for (const message of whole.messages) spooled.add(message);
  const part = spooled.observation(whole.notices, chosen === undefined ? undefined : (seq) => chosen.has(seq));
  const [ofPart, ofWhole] = [part, whole].map((one) => drawn(one, { ...options, selected }));
  const what = `${JSON.stringify(options)} ${Object.keys(selection ?? {}).join(', ')}`;
  expect(ofPart, what).toBe(ofWhole);
  expect(part.messages.length + (part.remainder?.count ?? 0), what).toBe(whole.messages.length);
  return part.remainder?.count ?? 0;
}

function drawn(observation: Observation, options: DiagramOptions): string {
  const sequence = buildSequence(observation, options);
  return `${renderMermaid(sequence, { seqs: true, frames: true })}\n${renderSequenceJson(sequence, { digits: () => 9 })}`;
}

function selectedIn(messages: readonly Message[], selection: Selection): ReadonlySet<number> {
  const selector = new Selector(selection);
  const chosen = new Set(messages.flatMap((message) => selector.feed(message).map(({ seq }) => seq)));
  for (const { seq } of selector.end()) chosen.add(seq);
  return chosen;
}

/** Objects of many kinds: those that people wrote, and the first and the last of each resource, the latter in any namespace. */
function followedIn(messages: readonly Message[]): readonly FollowedName[] {
  const byResource = new Map<string, FollowedName[]>();
  for (const { kind, resource, apiGroup, namespace, name } of messages) {
    if (kind !== 'request' || resource === undefined || name === undefined) continue;
    const one = { resource, group: apiGroup ?? null, namespace: namespace ?? null, name };
    const known = byResource.get(resource);
    if (known === undefined) byResource.set(resource, [one]);
    else known.push(one);
  }
  const sampled = [...byResource.values()].flatMap((all): FollowedName[] => [
    all[0],
    { ...all[all.length - 1], anywhere: true },
  ]);
  return [...rootsOf(indexMessages(messages)).roots.slice(0, 2), ...sampled].slice(0, MANY);
}

const LAYERS: DiagramOptions['layers'] = new Set([
  ...(['kubernetes', 'kubelet', 'etcd', 'cri'] as const),
  ...(['registry', 'docker', 'http', 'grpc'] as const),
]);
