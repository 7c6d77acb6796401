// Histories of several objects at once are those of each alone.

import { describe, expect, it } from 'vitest';
import {
  HistoryBuilder,
  type Message,
  ObjectHistories,
  type ObjectHistory,
  parseLabelSelector,
} from '../../src/index.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const RESOURCES = ['pods', 'replicasets', 'deployments', 'jobs', 'nodes', 'persistentvolumeclaims', 'leases'];

describe.each([
  'workloads-tls',
  'not-starting-tls',
  'autoscaled-tls',
  'volumes-tls',
  'run-nginx-http1',
  'operator-tls',
])('%s', (fixture) => {
  it.each(RESOURCES)(
    '%s',
    async (resource) => {
      const { messages } = await observeWhole(fixture);
      const together = new ObjectHistories({ resource, group: null, namespace: null });
      for (const message of messages) together.feed(message);
      const results = together.results();
      const isSeen = messages.some((one) => one.resource === resource && one.name !== undefined);
      expect(results.length > 0 || !isSeen).toBe(true);
      if (resource === 'pods') expect(results.length).toBeGreaterThan(0);
      for (const one of results) {
        const alone = new HistoryBuilder({ resource, group: null, namespace: one.namespace, name: one.name });
        for (const message of messages) alone.feed(message);
        expect(shown(one), `${one.namespace}/${one.name}`).toEqual(shown(alone.result()));
      }
    },
    120_000,
  );
});

/** Messages by their numbers: what a comparison shows has to be read. */
function shown(history: ObjectHistory): unknown {
  return JSON.parse(
    JSON.stringify(history, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : isMessage(value) ? value.seq : value,
    ),
  );
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'seq' in value && 'exchange' in value;
}

describe('chosen are', () => {
  async function namesOf(wanted: object): Promise<readonly string[]> {
    const { messages } = await observeWhole('workloads-tls');
    const histories = new ObjectHistories({ resource: 'pods', group: null, namespace: 'default', ...wanted });
    for (const message of messages) histories.feed(message);
    return histories.results().map(({ name }) => name);
  }

  it('those of a name, of labels, of an owner', async () => {
    const all = await namesOf({});
    expect(all.length).toBeGreaterThan(2);
    expect(await namesOf({ names: new Set([all[1]]) })).toEqual([all[1]]);
    expect(await namesOf({ namespace: 'nowhere' })).toEqual([]);
  });
});

describe('a label selector', () => {
  const labels = new Map([
    ['app', 'web'],
    ['app.kubernetes.io/name', 'x'],
    ['empty', ''],
  ]);

  it.each<[string, boolean]>([
    ['app=web', true],
    ['app==web', true],
    ['app = web , empty=', true],
    ['app=db', false],
    ['app!=db', true],
    ['tier!=front', true],
    ['app', true],
    ['!app', false],
    ['!tier,app.kubernetes.io/name=x', true],
    ['app in (db, web),empty', true],
    ['app notin (db,web)', false],
    ['tier notin (a)', true],
  ])('%s: %s', (text, expected) => {
    expect(parseLabelSelector(text)?.(labels)).toBe(expected);
  });

  it.each(['', 'app=', ',', 'a=b,', 'a b', '=b', 'a in b', 'a>1', 'a in (b'])(
    '%j is none, or matches nothing',
    (text) => {
      expect(parseLabelSelector(text)?.(labels) ?? null).toBe(text === 'app=' ? false : null);
    },
  );
});
