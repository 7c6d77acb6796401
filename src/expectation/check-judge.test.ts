// Expectations against a judge that knows the rules and nothing else: it tries every assignment there is.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APISERVER, KUBECTL, SCHEDULER } from '../../test/kit/messages.js';
import { PODS, storyOf } from '../../test/kit/stories.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { check, ObservationIndex } from './check.js';
import { type ArrowText, arrowTexts } from './syntax/diagram.js';
import { compileLabel, parsedLabelOf } from './syntax/label.js';
import { parseDiagram } from './syntax/parse.js';

const HEAD = `sequenceDiagram
participant C as kubectl
participant AS as kube-apiserver
participant S as kube-scheduler
`;

const LABELS = [
  `C->>AS: [REQ] PATCH ${PODS}/a`,
  `C->>AS: [REQ] PATCH ${PODS}/{x}`,
  `C->>AS: [REQ] GET ${PODS}/*`,
  `S->>AS: [REQ] PATCH ${PODS}/{x}`,
  `S->>AS: [REQ] PATCH ${PODS}/b`,
  'AS->>S: [RESP-CHUNK] Pod ADDED - {x}',
  'AS->>S: [RESP-CHUNK] Pod ADDED - a',
  'AS->>C: [RESP-CHUNK] Pod * - {y}',
  'AS-->>C: [RESP] 200 OK',
  'AS-->>C: [RESP] 2xx|409',
  'AS-->>S: [RESP] 409 Conflict',
];

const scenes = fc.array(fc.tuple(fc.constantFrom('C', 'S'), fc.nat(4), fc.constantFrom('a', 'b'), fc.nat(30)), {
  maxLength: 8,
});

function played(scene: readonly (readonly [string, number, string, number])[]): Message[] {
  const open: number[] = [];
  const lines = scene.map(([who, what, name, which], i) => {
    if (what < 2) open.push(i + 1);
    if (what < 2) return `${who} ${what === 0 ? 'PATCH' : 'GET'} ${name}`;
    if (what > 2 || open.length === 0) return `${who} told ADDED ${name}`;
    return `answer ${open.splice(which % open.length, 1)[0]} ${which % 2 === 0 ? 200 : 409}`;
  });
  return storyOf(lines.join(';'));
}

/** Every assignment, each held against the rules of contract.md pair by pair. */
function judged(arrows: readonly ArrowText[], messages: readonly Message[], strict: boolean): boolean {
  const participants: Readonly<Record<string, Participant>> = { C: KUBECTL, S: SCHEDULER, AS: APISERVER };
  const patterns = arrows.map(({ label }) => compileLabel(label));
  const requests = new Map(messages.flatMap((one) => (one.kind === 'request' ? [[one.exchange, one]] : [])));
  const subject = (one: Message): string | undefined =>
    one.name ?? one.object?.name ?? requests.get(one.exchange)?.name;
  const open = openRequests(
    arrows,
    patterns.map(({ tag }) => tag),
  );
  const walk = (at: number, chosen: readonly Message[], names: ReadonlyMap<string, string>): boolean => {
    if (at === arrows.length) return true;
    return messages.some((one) => {
      if (chosen.includes(one) || one.from !== participants[arrows[at].from] || one.to !== participants[arrows[at].to])
        return false;
      if (open[at].length > 0 && !open[at].some((i) => chosen[i].exchange === one.exchange)) return false;
      for (const [i, above] of chosen.entries()) {
        const same = subject(above) === subject(one);
        const received = arrows[i].to === arrows[at].from;
        const written = [above, one].every(({ verb }) => verb === 'patch');
        // What kubectl does below an answer: people run it. Several answers that it waits for may come either way.
        const awaited = above.kind === 'response' && (strict || above.to === KUBECTL);
        const below = one.from === above.to || (one.to === above.to && open[at].length === 0);
        const ordered = above.exchange === one.exchange || (same && (received || written)) || (awaited && below);
        if (ordered && messages.indexOf(above) > messages.indexOf(one)) return false;
      }
      return (patterns[at].read(parsedLabelOf(one)) ?? []).some((values) => {
        const bound = new Map(names);
        for (const [i, name] of patterns[at].names.entries()) {
          const value = values[i] as string;
          if ((bound.get(name) ?? value) !== value) return false;
          bound.set(name, value);
        }
        return walk(at + 1, [...chosen, one], bound);
      });
    });
  };
  return walk(0, [], new Map());
}

/** Which requests above an answer can belong to: those that were not all answered yet. */
function openRequests(arrows: readonly ArrowText[], tags: readonly (string | null)[]): number[][] {
  const open = new Map<string, { asked: number[]; pending: number }>();
  return arrows.map(({ from, to }, i) => {
    if (tags[i] === 'REQ') {
      const waiting = open.get(`${to}${from}`) ?? { asked: [], pending: 0 };
      open.set(`${to}${from}`, { asked: [...waiting.asked, i], pending: waiting.pending + 1 });
      return [];
    }
    const waiting = open.get(`${from}${to}`);
    if (tags[i] !== 'RESP' || waiting === undefined) return [];
    if (waiting.pending <= 1) open.delete(`${from}${to}`);
    else open.set(`${from}${to}`, { ...waiting, pending: waiting.pending - 1 });
    return waiting.asked;
  });
}

describe('properties', () => {
  it('the matcher and the judge agree', () => {
    let met = 0;
    fc.assert(
      fc.property(
        scenes,
        fc.array(fc.constantFrom(...LABELS), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        (scene, lines, strict) => {
          const messages = played(scene);
          const diagram = parseDiagram(`${HEAD}${strict ? '%% order: strict\n' : ''}${lines.join('\n')}`);
          const expected = judged(arrowTexts(diagram.body), messages, strict);
          if (expected) met += 1;
          expect(check(diagram, new ObservationIndex(messages)).met).toBe(expected);
        },
      ),
      { numRuns: 3000 },
    );
    expect(met).toBeGreaterThan(100);
  });

  it('what is drawn line by line from a story holds on it, and without one of its messages does not', () => {
    fc.assert(
      fc.property(scenes, fc.nat(), (scene, which) => {
        const messages = played(scene);
        const ids = new Map([
          [KUBECTL, 'C'],
          [SCHEDULER, 'S'],
          [APISERVER, 'AS'],
        ]);
        const lines = messages.map(({ from, to, label }) => `${ids.get(from)} ->> ${ids.get(to)}: ${label}`);
        const diagram = parseDiagram(`${HEAD}${lines.join('\n')}`);
        expect(check(diagram, new ObservationIndex(messages)).met).toBe(true);
        const rest = messages.filter((_, i) => i !== which % messages.length);
        if (messages.length > 0) expect(check(diagram, new ObservationIndex(rest)).met).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
