// The page opens with the diagram that mermaid draws: the same arrows between the same participants, in every fixture; what it saves as mermaid
// text and as a picture has them, too. What it calls problems is what `summary` lists.

import { describe, expect, it } from 'vitest';
import { arrowTexts } from '../../src/expectation/syntax/diagram.js';
import { plainText } from '../../src/expectation/syntax/markup.js';
import { lanePlaces } from '../../src/explorer/lanes.js';
import { mermaidText } from '../../src/explorer/mermaid-text.js';
import type { ChartRow, Model } from '../../src/explorer/model.js';
import { type Picture, pictureOf } from '../../src/explorer/picture.js';
import { firstChoice, gapsOf, seenRows } from '../../src/explorer/visibility.js';
import {
  buildSequence,
  type DiagramOptions,
  expectationsOf,
  renderMermaid,
  SummaryCollector,
} from '../../src/index.js';
import { LANES_BLOCK } from '../../src/render/html/html-format.js';
import { TRIES_ALL } from '../kit/runs.js';
import { pageOf, shownRows } from '../kit/shown-page.js';
import { observeWhole, WITH_CAPTURES } from '../kit/whole-fixtures.js';

const ALL = new Set(['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const);
const WAYS: readonly [string, DiagramOptions][] = [
  ['as it is', {}],
  ['with all layers', { layers: ALL }],
  ['by component, with what is folded', { by: 'component', all: true }],
];

/** Pods there call a Service: one message is two arrows. */
const WITH_SERVICES = 'pod-network-tls';

/** `980 kubectl -> kube-apiserver: [REQ] GET …`, of the text itself: what mermaid draws. @param seqOf of the line before it. */
function arrowsOf(text: string, seqOf: (before: string) => string | undefined): string[] {
  const lines = text.split('\n');
  const [{ diagram }] = expectationsOf(text, false, '');
  const nameOf = (id: string): string => plainText(diagram.participants.get(id)?.name ?? '');
  return arrowTexts(diagram.body).map(
    ({ line, from, to, label }) =>
      `${seqOf(lines[line - 2])} ${nameOf(from)} -> ${nameOf(to)}: ${unbroken(plainText(label))}`,
  );
}

/** A label that is broken loses the blank there. */
const unbroken = (label: string): string => label.replace(/\s/g, '');

/** The same of the page's opening view, each leg by way of somebody an arrow as in mermaid. */
function pageArrows({ view }: Model, shown: readonly ChartRow[]): string[] {
  return shown.flatMap(({ index, seq, from, to, via }) => {
    const stops = [from, ...via, to].map((one) => view.participants[one].name);
    return stops.slice(1).map((stop, i) => `${seq} ${stops[i]} -> ${stop}: ${unbroken(view.labels[index])}`);
  });
}

/** Texts of a picture that number its arrows, without those that say how many are folded before each. */
function numbersIn({ shapes }: Picture): number[] {
  const texts = shapes.map((shape) => ('parts' in shape ? shape.parts.map(({ text }) => text).join('') : ''));
  return texts.flatMap((text) => /^(?:\+\d+ +)?#(\d+) {2}[\d.]+$/.exec(text)?.[1] ?? []).map(Number);
}

describe.each(WITH_CAPTURES.map((name, i) => [name, i] as const))('%s', async (name, i) => {
  const collector = new SummaryCollector([name], { streams: false });
  const seen = await observeWhole(name);
  for (const item of seen.items) collector.add(item);
  let usual: ReturnType<typeof pageOf> | undefined;
  /** The page as it is, made once. */
  const usualPage = (): ReturnType<typeof pageOf> => (usual ??= pageOf(seen));

  // With RUNS=full every way; else another one than for the next fixture, and that with Services where there are some.
  it.each(TRIES_ALL ? WAYS : [WAYS[name === WITH_SERVICES ? 1 : i % WAYS.length]])(
    '%s: the page has the arrows of mermaid',
    (_, options) => {
      const { html, model } = options === WAYS[0][1] ? usualPage() : pageOf(seen, options);
      const shown = shownRows(model);
      const arrows = pageArrows(model, shown);
      const drawn = renderMermaid(buildSequence(seen, options), { seqs: true });
      const saved = mermaidText(model, shown);
      if (name === WITH_SERVICES && options === WAYS[1][1])
        expect(shown.filter(({ via }) => via.length > 0).length).toBeGreaterThan(5);
      const numberIn = (line: string | undefined): string | undefined => /\d+/.exec(line ?? '')?.[0];
      expect(arrows).toEqual(arrowsOf(drawn, numberIn));
      expect(arrowsOf(saved, () => '')).toEqual(arrows.map((arrow) => arrow.replace(/^\d+/, '')));
      // Without its script the page shows the same rows.
      const plain = [...html.matchAll(/<div role="listitem" id="m\d+" data-seq="(\d+)" class="[^"]*">/g)];
      expect(plain.map(([, seq]) => Number(seq))).toEqual(shown.map(({ seq }) => seq));
      // The lanes of the first paint are those of the script.
      const written = new RegExp(`id="${LANES_BLOCK}">([^<]*)<`).exec(html)?.[1] ?? '';
      expect(JSON.parse(written)).toEqual(lanePlaces(model, shown));
      const gaps = gapsOf(model, seenRows(model, firstChoice(model)));
      const picture = pictureOf(model, shown, gaps, [name], 1e9);
      expect(numbersIn(picture)).toEqual(shown.map(({ seq }) => seq));
      const boxes = picture.shapes.filter((shape) => 'fill' in shape && shape.fill === 'note');
      expect(boxes).toHaveLength(shown.flatMap((row) => model.notesOf(row)).length);
      const pauses = picture.shapes.filter((shape) => 'dash' in shape && shape.stroke === 'strong-line');
      expect(pauses).toHaveLength([...gaps.values()].filter(({ size }) => size === 4).length);
    },
  );

  it('calls a problem what summary lists, and nothing else', () => {
    const { problems } = collector.result();
    // What is normal at a start is told apart, and is none.
    const told = problems.filter(({ message, kind }) => message !== undefined && kind !== 'start-up');
    const flagged = usualPage().model.rows.filter(({ problem }) => problem);
    expect(flagged.map(({ seq }) => seq)).toEqual(expect.arrayContaining(told.map(({ message }) => message)));
    expect(flagged.length).toBeLessThanOrEqual(told.reduce((sum, { count }) => sum + count, 0));
    const statuses = new Set(flagged.map(({ seq }) => seen.messages[seq - 1].status));
    expect([statuses.has(404), statuses.has(409)]).toEqual([false, false]);
    for (const { failed } of flagged) expect(failed).toBe(true);
  });
});

it('draws requests to admission webhooks', async () => {
  const { model } = pageOf(await observeWhole('trouble-tls'));
  const asked = pageArrows(model, shownRows(model)).filter((arrow) =>
    arrow.includes('kube-apiserver -> webhook guard.lab.example: '),
  );
  // tshark finds three requests to its port: frames 1883, 1913 and 1977.
  expect(asked).toHaveLength(3);
  expect(model.view.layers.find(({ on }) => on)?.name).toBe('api');
});
