// What an expectation says of a real capture and what it leaves open: without a message that is needed it fails, in every
// order that only lets things race it holds.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildSequence,
  check,
  expectationsOf,
  type Message,
  ObservationIndex,
  parseFollow,
  renderMermaid,
} from '../../src/index.js';
import { observed } from '../kit/diagrams.js';
import { fixturePath } from '../kit/fixtures.js';
import { runs } from '../kit/runs.js';

const EXPECTED = readFileSync(fixturePath('check/expected-run-nginx.mmd'), 'utf8');

function verdict(source: string, messages: readonly Message[]): ReturnType<typeof check> {
  const [{ diagram }] = expectationsOf(source, false, 'expected');
  return check(diagram, new ObservationIndex(messages));
}

interface Told {
  /** Participants of the arrow. */
  readonly from: string;
  readonly to: string;
  readonly message: Message;
}

/** Both are about the same Pod: the only one there is in these flows. */
function isOrdered(above: Told, below: Told): boolean {
  const isWrite = ({ message: { verb } }: Told): boolean =>
    ['create', 'patch', 'update', 'delete'].includes(verb ?? '');
  const isSame = above.message.exchange === below.message.exchange;
  return isSame || above.to === below.from || (isWrite(above) && isWrite(below));
}

describe('run-nginx', async () => {
  const { messages, notices } = await observed('run-nginx-http1/capture.pcap');
  const sequence = buildSequence({ messages, notices }, { follow: parseFollow('pod/nginx', 'default') ?? undefined });
  const drawn = renderMermaid(sequence).replace(/^\s*(?:loop.*|end)\n/gm, '');
  const flows: [string, string][] = [
    ['as expected', EXPECTED],
    ['as drawn', drawn],
  ];

  it.each(flows)('%s: without a message that nothing else can stand for, it fails', (_, source) => {
    const { met, matched } = verdict(source, messages);
    expect(met).toBe(true);
    let needed = 0;
    for (const { message } of matched) {
      const twins = messages.filter(
        ({ label, from, to }) =>
          label === message.label && from.component === message.from.component && to === message.to,
      );
      const rest = messages.filter((one) => one !== message);
      if (twins.length > 1) continue;
      needed += 1;
      expect(verdict(source, rest).met, message.label).toBe(false);
    }
    expect(needed).toBeGreaterThanOrEqual(5);
  });

  it.each(flows)('%s: whatever races may come in any order', (_, source) => {
    const lines = source.split('\n');
    const story = verdict(source, messages).matched.map(({ line, message }): Told => {
      const [, from, to] = /^\s*(\w+) -{1,2}>>[+-]? (\w+):/.exec(lines[line - 1]) ?? [];
      return { from, to, message };
    });
    const places = story.map(({ message }) => messages.indexOf(message)).sort((a, b) => a - b);
    const asSeen = [...story].sort((a, b) => messages.indexOf(a.message) - messages.indexOf(b.message));
    let swapped = 0;
    fc.assert(
      fc.property(fc.array(fc.nat(story.length - 2), { maxLength: 80, size: 'max' }), (swaps) => {
        const order = [...asSeen];
        for (const i of swaps) {
          const [first, second] = [order[i], order[i + 1]];
          if (story.indexOf(first) < story.indexOf(second) && isOrdered(first, second)) continue;
          order.splice(i, 2, second, first);
          swapped += 1;
        }
        const observation = [...messages];
        for (const [i, place] of places.entries()) observation[place] = order[i].message;
        expect(verdict(source, observation).met).toBe(true);
      }),
      { numRuns: runs(30, 100) },
    );
    expect(swapped).toBeGreaterThan(200);
  });

  it('a trigger that is only likely is not asked to come first, one that the capture proves is', () => {
    const head = `sequenceDiagram
      participant AS as kube-apiserver
      participant M as kube-controller-manager
      participant R as clusterrole-aggregation-controller
      participant S as kube-scheduler
      `;
    const added = 'AS ->> M: [RESP-CHUNK] ClusterRole ADDED - system:heapster\n';
    const view = 'R ->> AS: [REQ] PATCH /apis/rbac.authorization.k8s.io/v1/clusterroles/view\n';
    const patch = messages.find(({ label }) => label.includes('PATCH') && label.includes('/clusterroles/view?'));
    const trigger = messages[(patch?.causedBy ?? 0) - 1];
    expect([trigger.label, patch?.cause?.certain]).toEqual(['[RESP-CHUNK] ClusterRole ADDED - system:heapster', false]);
    expect(verdict(`${head}${added}${view}`, messages)).toMatchObject({ met: true, reordered: [] });
    expect(verdict(`${head}${view}${added}`, messages)).toMatchObject({
      met: true,
      reordered: [{ above: 6, below: 7 }],
    });

    const pod = 'AS ->> S: [RESP-CHUNK] Pod ADDED - nginx\n';
    const event = 'S ->> AS: [REQ] POST /apis/events.k8s.io/v1/namespaces/default/events - nginx.*\n';
    const report = messages.find(
      ({ from, k8sEvent }) => from.component === 'kube-scheduler' && k8sEvent?.name === 'nginx',
    );
    expect([messages[(report?.causedBy ?? 0) - 1].label, report?.cause?.certain]).toEqual([
      '[RESP-CHUNK] Pod ADDED - nginx',
      true,
    ]);
    expect(verdict(`${head}${pod}${event}`, messages).met).toBe(true);
    const { met, failures } = verdict(`${head}${event}${pod}`, messages);
    expect([met, failures[0].nearest?.differences]).toEqual([
      false,
      [
        expect.stringMatching(
          /^it is the cause of line 6 \(frame \d+\): in the expectation it has to stand above that line$/,
        ),
      ],
    ]);
  });
});
