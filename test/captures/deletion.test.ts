// That an object is being deleted, where nobody is seen to delete it: a node's capture alone. Held against whole bodies, which
// other code reads.

import { expect, it } from 'vitest';
import { notesOf } from '../../src/diagram/model.js';
import { buildSequence, type Message } from '../../src/index.js';
import { fixture } from '../kit/fixtures.js';
import { observed } from '../kit/observed.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const keyLogs = [Buffer.from(fixture('pod-network-tls/keys.log')).toString('latin1')];
const { messages, notices } = await observed([fixture('pod-network-tls/node-1.pcap')], { keyLogs, bodies: true });

it('is reported of the objects whose bodies have it, and of no other', () => {
  const shown = messages.filter(({ kind, object }) => kind !== 'request' && object?.uid != null);
  const read = shown.map(({ seq, object }) => [seq, object?.deletionTimestamp]);
  const said = shown.map(({ seq, kind, details }) => {
    const body = details?.body() as Body | undefined;
    return [seq, (kind === 'event' ? body?.object : body)?.metadata?.deletionTimestamp];
  });
  expect(said.filter(([, when]) => when !== undefined).length).toBeGreaterThan(3);
  expect(read).toEqual(said);
});

it('makes how its containers end no trouble', () => {
  const isKilled = ({ problems }: Message): boolean => problems?.some(({ exitCode }) => exitCode === 137) === true;
  const isDelete = ({ verb, name }: Message): boolean => verb === 'delete' && name === 'client';
  const killed = messages.findIndex((one) => isKilled(one) && one.name === 'client');
  expect(killed).toBeGreaterThan(0);
  // The kubelet's own, when all of it has ended, comes behind.
  expect(messages.slice(0, killed).filter(isDelete)).toEqual([]);
  const lines = notesOf(buildSequence({ messages, notices }).steps).flatMap((note) => note.lines);
  expect(lines.filter((line) => line.includes('137'))).toEqual([]);
});

it.each([
  ['run-nginx-http1', 1],
  ['deployment-tls', 4],
])('has one cause when a Pod has no time left and when it is gone, %s', async (name, least) => {
  const told = await observeWhole(name);
  const bySeq = new Map(told.messages.map((one) => [one.seq, one]));
  const pods = told.messages.filter(({ kind, object }) => kind === 'event' && object?.kind === 'Pod');
  const atOnce = pods.filter(({ type, details }) => {
    const metadata = (details?.body() as Body | undefined)?.object?.metadata;
    return type === 'MODIFIED' && metadata?.deletionGracePeriodSeconds === 0;
  });
  expect(new Set(atOnce.map(({ object }) => object!.uid)).size).toBeGreaterThanOrEqual(least);
  for (const one of atOnce) {
    const { verb, name: of, from } = bySeq.get(one.causedBy!)!;
    expect([verb, of, from.component]).toEqual(['delete', one.object!.name, 'kubelet']);
    const gone = pods.find(({ type, exchange, object }) => {
      return type === 'DELETED' && exchange === one.exchange && object!.uid === one.object!.uid;
    });
    expect(gone!.causedBy).toBe(one.causedBy);
  }
});

interface Body {
  readonly object?: Body;
  readonly metadata?: { readonly deletionTimestamp?: string; readonly deletionGracePeriodSeconds?: number };
}
