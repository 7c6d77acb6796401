// An operator in Kubernetes 1.37, whose API server compresses watches and asks a webhook to convert objects. Events are held against
// what tshark and Python make of the same capture, who asked against the audit log; what was told and done in which order
// against what the operator does (fixtures/operator-tls/README.md).

import { describe, expect, it } from 'vitest';
import { arrowsOf, notesOf } from '../../src/diagram/model.js';
import { decide } from '../../src/diagram/selection/visibility.js';
import { buildSequence, parseFollow } from '../../src/index.js';
import { type Audit, auditLog, loggedAnswers, programOf, toldOtherwise } from '../kit/audit.js';
import { observedTogether } from '../kit/diagrams.js';
import { edgesOf, missingEdges } from '../kit/edges.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { lossy, observed, recordsOf, withRecords } from '../kit/observed.js';
import { eventsIn, type ToldEvent, what, words } from '../kit/watch-truth.js';

const TRUTH = fixtureLines<ToldEvent>('operator-tls/watches.truth.jsonl');
const FILE = fixture('operator-tls/control-plane.pcap');
const KEYS = [Buffer.from(fixture('operator-tls/keys.log')).toString('latin1')];
const { messages, notices } = await observedTogether(['operator-tls/control-plane.pcap'], 'operator-tls/keys.log');

describe('watches that are compressed', () => {
  it('are emitted event by event, each with its frame, as tshark and Python have them', () => {
    expect(TRUTH.filter(({ gzip }) => gzip).length).toBeGreaterThan(100);
    expect(eventsIn(messages).map(words).sort()).toEqual(TRUTH.map(words).sort());
  });

  it.each([0.4, 0.6, 0.8])('are emitted where the capture begins behind the first %d of its packets', async (part) => {
    const records = recordsOf(FILE);
    const dropped = Math.floor(records.length * part);
    const late = await observed([withRecords(FILE, records.slice(dropped))], { keyLogs: KEYS });
    const left = TRUTH.filter(({ frame, gzip }) => gzip === true && frame > dropped).map(what);
    const isLeft = new Set(left);
    expect(left.length).toBeGreaterThan(10);
    expect(
      eventsIn(late.messages)
        .map(what)
        .filter((one) => isLeft.has(one))
        .sort(),
    ).toEqual(left.sort());
  });

  it.each([10, 50])('are emitted where one packet in %d is missing, and nothing else is', async (every) => {
    const left = await observed([lossy(FILE, every)], { keyLogs: KEYS });
    const all = new Set(TRUTH.map(what));
    const complete = left.messages.filter((one) => one.complete);
    const compressed = new Set(TRUTH.filter(({ gzip }) => gzip).map(what));
    const told = eventsIn(complete).map(what);
    expect(told.filter((one) => !all.has(one))).toEqual([]);
    expect(told.filter((one) => compressed.has(one)).length).toBeGreaterThan(compressed.size * 0.7);
  });
});

const AUDIT = auditLog('operator-tls/audit.jsonl');

function nameOf(entry: Audit): string {
  return entry.user.username === 'system:serviceaccount:operators:shop' ? 'manager' : programOf(entry);
}

it('every request of the audit log is shown once, with its client, object and success', () => {
  expect(AUDIT.size).toBeGreaterThan(650);
  const told = loggedAnswers(messages, AUDIT).map(({ auditId }) => auditId);
  expect(told.sort()).toEqual([...AUDIT.keys()].sort());
  expect(toldOtherwise(messages, AUDIT, nameOf)).toEqual([]);
});

describe('conversions', () => {
  const asked = messages.filter(({ kind, object }) => kind === 'request' && object?.kind === 'ConversionReview');
  const answers = new Map(messages.filter(({ kind }) => kind === 'response').map((one) => [one.exchange, one]));

  it('show which object is to be which version, and whether it is', () => {
    const said = asked.map(({ label, exchange }) => `${label} ${answers.get(exchange)?.label}`);
    expect([...new Set(said)].sort()).toEqual([
      '[REQ] POST /convert - CONVERT Cache front to v1 [RESP] 200 OK, converted',
      '[REQ] POST /convert - CONVERT Cache front to v2 [RESP] 200 OK, converted',
      '[REQ] POST /convert - CONVERT Cache odd to v2 [RESP] 200 OK, not converted: 13 cannot be converted',
    ]);
    const about = asked.map((one) => [one.apiGroup, one.resource, one.namespace, one.inferred?.includes('resource')]);
    expect(new Set(about.map(String))).toEqual(new Set(['shop.example.com,caches,default,true']));
  });

  it('are counted, not drawn; one that fails is drawn', () => {
    const { steps } = buildSequence({ messages, notices });
    const drawn = arrowsOf(steps).filter(({ message }) => message.label.includes('/convert'));
    expect(drawn.map(({ message }) => message.label)).toEqual(['[REQ] POST /convert - CONVERT Cache odd to v2']);
    const dispositions = [...decide({ messages, notices }).values()];
    expect(dispositions.filter((one) => one === 'conversions')).toHaveLength(2 * (asked.length - 1));
  });
});

describe('what the operator does', () => {
  const follow = parseFollow('cache/front', 'default')!;
  const sequence = buildSequence({ messages, notices }, { follow });
  const decided = [...decide({ messages, notices }, { follow })];

  it('is drawn with what made it do so, in the order in which it must be', () => {
    const edges = edgesOf(Buffer.from(fixture('operator-tls/expected-operator.mmd')).toString());
    expect(edges.length).toBeGreaterThan(20);
    expect(missingEdges(edges, sequence)).toEqual([]);
  });

  it('again and again without changing anything is drawn once a chapter', () => {
    const lines = notesOf(sequence.steps).flatMap((note) => note.lines);
    const idle = lines.filter((line) => line.includes('change nothing'));
    expect(idle.length).toBeGreaterThan(1);
    // Who changes something is answered with a version that nobody has heard of.
    const told = new Map<string, number>();
    for (const { seq, object } of messages) {
      const version = `${object?.uid} ${object?.resourceVersion}`;
      if (!told.has(version)) told.set(version, seq);
    }
    const folded = new Set(decided.filter(([, why]) => why === 'unchanged-writes').map(([one]) => one.exchange));
    const answers = messages.filter(({ kind, exchange }) => kind === 'response' && folded.has(exchange));
    expect(answers.length).toBeGreaterThan(10);
    const asked = new Map(messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one.seq]));
    for (const { exchange, object } of answers)
      expect(told.get(`${object?.uid} ${object?.resourceVersion}`)).toBeLessThan(asked.get(exchange)!);
  });
});
