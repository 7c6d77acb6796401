// The page opens with the diagram that mermaid draws: the same arrows between the same participants, in every fixture. What
// it calls problems is what `summary` lists.

import { describe, expect, it } from 'vitest';
import { arrowTexts } from '../../src/expectation/syntax/diagram.js';
import { plainText } from '../../src/expectation/syntax/markup.js';
import { lanePlaces } from '../../src/explorer/lanes.js';
import { type Model, modelOf } from '../../src/explorer/model.js';
import { firstChoice, seenRows } from '../../src/explorer/visibility.js';
import {
  buildSequence,
  type DiagramOptions,
  expectationsOf,
  explorerData,
  renderHtml,
  renderMermaid,
  SummaryCollector,
} from '../../src/index.js';
import { LANES_BLOCK } from '../../src/render/html/html-format.js';
import { viewIn } from '../kit/page-data.js';
import { TRIES_ALL } from '../kit/runs.js';
import { observeWhole, WITH_CAPTURES } from '../kit/whole-fixtures.js';

type Seen = Awaited<ReturnType<typeof observeWhole>>;

const ALL = new Set(['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const);
const WAYS: readonly [string, DiagramOptions][] = [
  ['as it is', {}],
  ['with all layers', { layers: ALL }],
  ['by component, with what is folded', { by: 'component', all: true }],
];

/** `980 kubectl -> kube-apiserver`, of the text itself: what mermaid draws. */
function mermaidArrows(seen: Seen, options: DiagramOptions): string[] {
  const text = renderMermaid(buildSequence(seen, options), { seqs: true });
  const lines = text.split('\n');
  const [{ diagram }] = expectationsOf(text, false, '');
  const nameOf = (id: string): string => plainText(diagram.participants.get(id)?.name ?? '');
  return arrowTexts(diagram.body).map(
    ({ line, from, to }) => `${/\d+/.exec(lines[line - 2])?.[0]} ${nameOf(from)} -> ${nameOf(to)}`,
  );
}

function pageOf(seen: Seen, options: DiagramOptions): { readonly html: string; readonly model: Model } {
  const { first, name } = seen;
  const part = { text: '', sha256: '' };
  const html = renderHtml(explorerData(seen, options), {
    first,
    digits: () => 6,
    title: name,
    version: '0',
    script: part,
    style: part,
  });
  return { html, model: modelOf(viewIn(html)) };
}

/** The same of the page's opening view, each leg by way of somebody an arrow as in mermaid. */
function pageArrows(model: Model): string[] {
  const seen = seenRows(model, firstChoice(model));
  const nameOf = (index: number): string => model.view.participants[index].name;
  return model.rows
    .filter(({ index }) => seen[index] === 'shown')
    .flatMap(({ seq, from, to, via }) => {
      const stops = [from, ...via, to].map(nameOf);
      return stops.slice(1).map((stop, i) => `${seq} ${stops[i]} -> ${stop}`);
    });
}

describe.each(WITH_CAPTURES.map((name, i) => [name, i] as const))('%s', async (name, i) => {
  const collector = new SummaryCollector([name], { streams: false });
  const seen = await observeWhole(name);
  for (const item of seen.items) collector.add(item);
  let usual: ReturnType<typeof pageOf> | undefined;
  /** The page as it is, made once. */
  const usualPage = (): ReturnType<typeof pageOf> => (usual ??= pageOf(seen, {}));

  // With RUNS=full every way; else another one than for the next fixture.
  it.each(TRIES_ALL ? WAYS : [WAYS[i % WAYS.length]])(
    '%s: the arrows of the page are those of mermaid',
    (_, options) => {
      const { html, model } = options === WAYS[0][1] ? usualPage() : pageOf(seen, options);
      const arrows = pageArrows(model);
      expect(arrows).toEqual(mermaidArrows(seen, options));
      // Without its script the page shows the same rows.
      const plain = [...html.matchAll(/<div role="listitem" id="m\d+" data-seq="(\d+)" class="[^"]*">/g)];
      expect(plain.map(([, seq]) => seq)).toEqual([...new Set(arrows.map((arrow) => arrow.split(' ')[0]))]);
      // The lanes of the first paint are those of the script.
      const visibility = seenRows(model, firstChoice(model));
      const lanes = lanePlaces(
        model,
        model.rows.filter(({ index }) => visibility[index] === 'shown'),
      );
      const written = new RegExp(`id="${LANES_BLOCK}">([^<]*)<`).exec(html)?.[1] ?? '';
      expect(JSON.parse(written)).toEqual(lanes);
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
  const seen = await observeWhole('trouble-tls');
  const { model } = pageOf(seen, {});
  const asked = pageArrows(model).filter((arrow) => arrow.endsWith('kube-apiserver -> webhook guard.lab.example'));
  // tshark finds three requests to its port: frames 1883, 1913 and 1977.
  expect(asked).toHaveLength(3);
  expect(model.view.layers.find(({ on }) => on)?.name).toBe('api');
});
