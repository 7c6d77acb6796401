import { describe, expect, it } from 'vitest';
import { observed } from '../../test/kit/diagrams.js';
import type { Protocol } from '../kubernetes/messages/message.js';
import { buildSequence } from './build.js';
import { explorerData } from './explorer-data.js';
import { arrowsOf } from './model.js';

describe('an explorable diagram of a real capture', async () => {
  const observation = await observed('run-nginx-http1/capture.pcap');
  const options = { follow: { resource: 'pods', group: '', name: 'nginx', namespace: 'default' } };
  const sequence = buildSequence(observation, options);
  const shown = explorerData(observation, options);

  it('has every message once, in order', () => {
    expect(shown.entries.map(({ message }) => message.seq)).toEqual(observation.messages.map(({ seq }) => seq));
  });

  it('draws what the diagram draws, between the same participants', () => {
    const names = new Map(sequence.participants.map((one) => [one.id, one.name]));
    const told = arrowsOf(sequence.steps).map(({ message, from, to }) => [message.seq, names.get(from), names.get(to)]);
    const drawn = shown.entries
      .filter(({ folded }) => folded === null)
      .map(({ message, from, to }) => [message.seq, shown.participants[from].name, shown.participants[to].name]);
    expect(drawn).toEqual(told);
  });

  it('folds as many messages for each reason as the diagram counts', () => {
    const counts: Record<string, number> = {};
    for (const { folded } of shown.entries) if (folded !== null) counts[folded] = (counts[folded] ?? 0) + 1;
    expect(counts).toEqual(sequence.folded);
  });

  it('keeps the notes of the diagram but the closing one, each at its arrow', () => {
    const lines = shown.remarks.map((remark) => remark.lines.join(' '));
    expect(lines).toContain('After k8s setup');
    expect(lines).toContain('2 times, drawn once');
    const heading = shown.remarks.find((remark) => remark.lines[0] === 'After k8s setup');
    const create = observation.messages.find(({ verb, name }) => verb === 'create' && name === 'nginx');
    expect(heading).toMatchObject({ seq: create?.seq, place: 'before' });
    expect(lines.filter((line) => line.includes('not drawn'))).toEqual([]);
    const drawn = new Set(arrowsOf(sequence.steps).map(({ message }) => message.seq));
    expect(shown.remarks.filter(({ seq }) => !drawn.has(seq))).toEqual([]);
  });

  it('leaves out what was not selected, and counts it', () => {
    const writes = explorerData(observation, { selected: ({ kind }) => kind === 'event' });
    const events = observation.messages.filter(({ kind }) => kind === 'event').length;
    expect(writes.entries).toHaveLength(events);
    expect(writes.unselected).toBe(observation.messages.length - events);
  });
});

describe('layers that are not shown', async () => {
  const observation = await observed('late-start-mixed/capture.pcap');

  it('are decided about as if they were', () => {
    const shown = explorerData(observation);
    const all = explorerData(observation, { layers: new Set<Protocol>(['kubernetes', 'etcd']) });
    const etcd = (one: typeof shown): unknown[] =>
      one.entries.filter(({ message }) => message.protocol === 'etcd').map(({ folded }) => folded);
    expect(etcd(shown).length).toBeGreaterThan(50);
    expect(etcd(shown)).toContain(null);
    expect(etcd(shown)).toContain('etcd reads');
    expect([...shown.layers]).toEqual(['kubernetes']);
    expect(etcd(shown).filter((folded) => folded === null).length).toBeGreaterThanOrEqual(
      etcd(all).filter((folded) => folded === null).length,
    );
  });
});
