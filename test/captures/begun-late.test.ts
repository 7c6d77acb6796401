// Captures that begin when something waits already, or of one place of several: what is told then is what the whole capture has.

import { describe, expect, it } from 'vitest';
import { arrowsOf, notesOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, parseFollow } from '../../src/index.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { lossy, observed, recordsOf, withRecords } from '../kit/observed.js';
import { eventsIn, type ToldEvent, what } from '../kit/watch-truth.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const keysOf = (name: string): string[] => [Buffer.from(fixture(`${name}/keys.log`)).toString('latin1')];

/** Without a part of its packets at the beginning. */
function late(name: string, part: number): ReturnType<typeof observed> {
  const file = fixture(`${name}/control-plane.pcap`);
  const records = recordsOf(file);
  return observed([withRecords(file, records.slice(Math.floor(records.length * part)))], { keyLogs: keysOf(name) });
}

describe('watches that are compressed', () => {
  const TRUTH = fixtureLines<ToldEvent>('operator-tls/watches.truth.jsonl');
  const FILE = fixture('operator-tls/control-plane.pcap');

  it.each([0.4, 0.6, 0.8])('are emitted where the capture begins behind the first %d of its packets', async (part) => {
    const dropped = Math.floor(recordsOf(FILE).length * part);
    const left = TRUTH.filter(({ frame, gzip }) => gzip === true && frame > dropped).map(what);
    const isLeft = new Set(left);
    expect(left.length).toBeGreaterThan(10);
    const told = eventsIn((await late('operator-tls', part)).messages).map(what);
    expect(told.filter((one) => isLeft.has(one)).sort()).toEqual(left.sort());
  });

  it.each([10, 50])('are emitted where one packet in %d is missing, and nothing else is', async (every) => {
    const { messages } = await observed([lossy(FILE, every)], { keyLogs: keysOf('operator-tls') });
    const all = new Set(TRUTH.map(what));
    const compressed = new Set(TRUTH.filter(({ gzip }) => gzip).map(what));
    const told = eventsIn(messages.filter((one) => one.complete)).map(what);
    expect(told.filter((one) => !all.has(one))).toEqual([]);
    expect(told.filter((one) => compressed.has(one)).length).toBeGreaterThan(compressed.size * 0.7);
  });
});

describe('a Pod that waits already', async () => {
  const seen = await late('volumes-tls', 0.5);

  it('has what it claims in the first answer that has the Pod', () => {
    const claiming = seen.messages.filter(({ claims, object }) => claims !== undefined && object?.name === 'full');
    expect(claiming.map(({ kind, claims }) => `${kind} ${claims}`)).toEqual(['response persistentvolumeclaims/full']);
  });

  it('shows why there is no volume, once, where it is repeated', () => {
    const { steps } = buildSequence(seen, { follow: parseFollow('pod/full', 'default')! });
    const lines = notesOf(steps).flatMap((note) => note.lines);
    expect(lines.filter((line) => /^ProvisioningFailed: .* pool gold is full/.test(line))).toHaveLength(1);
  });
});

describe('an Event that is only repeated in the capture', async () => {
  const { steps } = buildSequence(await late('not-starting-tls', 0.5), {
    follow: parseFollow('pod/crash', 'default')!,
  });

  it('is drawn once, with the text of its response', () => {
    const repeats = arrowsOf(steps).filter(({ message }) => message.resource === 'events');
    expect(repeats.map(({ message }) => message.verb)).toEqual(['patch']);
    const lines = notesOf(steps).flatMap((note) => note.lines);
    const backOff = lines.filter((line) => line.startsWith('BackOff: Back-off restarting failed container crash'));
    expect(backOff).toHaveLength(1);
  });

  it('has the status of before, where it is read first', () => {
    const at = steps.findIndex((one) => one.kind === 'note' && one.lines.some((line) => line.startsWith('container ')));
    const [answer, note] = steps.slice(at - 1, at + 1);
    expect(answer.kind === 'arrow' && `${answer.message.label} ${answer.message.to.name}`).toBe(
      '[RESP] 200 OK kubelet (node-1)',
    );
    expect(note.kind === 'note' && note.lines).toEqual(['container crash: terminated (Error, exit code 3)']);
  });
});

it('logs through konnectivity are shown once, captured at one end or at both', async () => {
  const kubeletsOf = (messages: readonly Message[]): string[] =>
    messages
      .filter(({ protocol }) => protocol === 'kubelet')
      .map(({ from, to, label, frames }) => `${frames[0]} ${from.name} > ${to.name} ${label}`);
  const both = (await observeWhole('egress-tls')).messages;
  const one = await observed([fixture('egress-tls/control-plane.pcap')], { keyLogs: keysOf('egress-tls') });
  // tshark, of both sessions: 41 bytes in frames 179, 189, 198.
  expect(kubeletsOf(both).slice(0, 5)).toEqual([
    '172 kube-apiserver > kubelet (node-1) [REQ] GET /containerLogs/default/web/web?follow=true',
    '179 kubelet (node-1) > kube-apiserver [RESP] 200 OK',
    ...[179, 189, 198].map((frame) => `${frame} kubelet (node-1) > kube-apiserver [DATA] log 41 bytes`),
  ]);
  expect(kubeletsOf(one.messages).slice(0, 5)).toEqual(kubeletsOf(both).slice(0, 5));
  expect(both.every(({ protocol, translated }) => protocol !== 'kubelet' || translated?.length === 1)).toBe(true);
});
