import { describe, expect, it } from 'vitest';
import { observed } from '../../test/kit/diagrams.js';
import { explorerData } from '../diagram/explorer-data.js';
import { viewOf } from '../render/html/html-data.js';
import type { ViewRow } from '../render/html/html-format.js';
import { barsOf, lanePlaces, laneRules } from './lanes.js';
import { modelOf, REQUEST, RESPONSE, traceOf } from './model.js';
import { SearchIndex } from './search.js';
import { firstChoice, gapsOf, seenRows } from './visibility.js';

async function real(name = 'run-nginx-http1') {
  const observation = await observed(`${name}/capture.pcap`);
  const { messages } = observation;
  return { messages, model: modelOf(viewOf(explorerData(observation), messages[0].time)) };
}

/** Rows by hand: [seq, µs, kind, exchange, causedBy, fold, whether the cause is proven (default 1)]. */
function small(...rows: [number, number, number, number, number, number, number?][]): ReturnType<typeof modelOf> {
  return modelOf({
    participants: [
      { name: 'a', component: 'a', evidence: [] },
      { name: 'b', component: 'b', evidence: [] },
    ],
    layers: [{ name: 'api', on: true }],
    folds: ['noise'],
    words: [],
    leftOut: 0,
    notes: [],
    path: [],
    objects: [],
    chapters: [],
    stories: [],
    uncaused: [],
    about: rows.map(() => -1),
    latencies: rows.map(() => -1),
    labels: rows.map(() => ''),
    rows: rows.map(
      ([seq, micros, kind, exchange, causedBy, fold, isProven = 1]): ViewRow => [
        seq,
        micros,
        kind,
        0,
        kind === REQUEST ? 0 : 1,
        kind === REQUEST ? 1 : 0,
        exchange,
        fold,
        -1,
        -1,
        causedBy,
        isProven,
        0,
        0,
        0,
      ],
    ),
  });
}

describe('a real page', async () => {
  const { model, messages } = await real();

  it('follows causes back to what a person wrote, and effects on to what the kubelet did', () => {
    const binding = messages.find(({ subresource, kind }) => subresource === 'binding' && kind === 'request');
    const { causes, effects, links } = traceOf(model, model.rowOf(binding?.seq ?? 0)!);
    const labelOf = (seq: number): string => messages[seq - 1].label;
    expect(causes.map(({ seq }) => labelOf(seq))).toEqual([
      '[RESP-CHUNK] Pod ADDED - nginx',
      '[REQ] POST /api/v1/namespaces/default/pods - nginx',
    ]);
    expect(effects.map(({ seq }) => labelOf(seq))).toContain(
      '[REQ] PATCH /api/v1/namespaces/default/pods/nginx/status',
    );
    expect(links).toHaveLength(causes.length + effects.length);
    for (const { cause, effect } of links) expect(messages[effect.seq - 1].causedBy).toBe(cause.seq);
  });

  it('marks effects that are not certain: the last versions of a Pod that goes may be those of other writes', () => {
    const removal = messages.findLast(({ verb, resource }) => verb === 'delete' && resource === 'pods');
    const { causes, effects, uncertain } = traceOf(model, model.rowOf(removal?.seq ?? 0)!);
    const isSure = (seq: number): boolean => {
      const { causedBy, cause } = messages[seq - 1];
      return cause?.certain === true && (causedBy === removal?.seq || isSure(causedBy ?? 0));
    };
    expect(causes.filter((row) => uncertain.has(row))).toEqual([]);
    expect(effects.filter((row) => uncertain.has(row))).toEqual(effects.filter(({ seq }) => !isSure(seq)));
    const change = effects.find(({ seq }) => messages[seq - 1].label === '[RESP-CHUNK] Pod MODIFIED - nginx');
    expect(uncertain.has(change!)).toBe(true);
    expect(uncertain.size).toBeLessThan(effects.length);
  });

  it('keeps request and response together when one of them is a problem or is found', async () => {
    const { model } = await real('errors-http1');
    const choice = firstChoice(model);
    model.view.folds.forEach((_, i) => {
      choice.unfolded.add(i);
    });
    choice.problems = true;
    const seen = seenRows(model, choice);
    const shown = model.rows.filter(({ index }) => seen[index] === 'shown');
    const failed = shown.filter(({ problem, kind }) => problem && kind === RESPONSE);
    expect(failed.length).toBeGreaterThan(0);
    for (const row of failed) expect(shown).toContain(model.exchangeOf(row)[0]);
  });

  it('gives lanes to the participants of shown rows, from left to right', () => {
    const shown = model.rows.filter(({ fold }) => fold < 0);
    const places = lanePlaces(model, shown);
    const names = model.view.participants.filter((_, i) => places[i] >= 0).map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['kubectl', 'kube-apiserver']);
    expect(places.filter((place) => place >= 0)).toEqual(names.map((_, i) => i));
    expect(laneRules([1, -1])).toBe('.f0{--f:1}.t0{--t:1}.v0{--v:1}.p0{--p:1}.p1{display:none!important}');
  });
});

describe('causes', () => {
  it('end even if causedBy is circular', () => {
    const model = small(
      [1, 0, REQUEST, 1, 3, -1],
      [2, 1, RESPONSE, 1, 1, -1],
      [3, 2, REQUEST, 2, 2, -1],
      [4, 3, REQUEST, 3, 4, -1],
    );
    const { causes, effects } = traceOf(model, model.rows[0]);
    expect(causes.map(({ seq }) => seq)).toEqual([3, 2]);
    expect(effects).toEqual([]);
    expect(traceOf(model, model.rows[3])).toEqual({ causes: [], effects: [], links: [], uncertain: new Set() });
  });

  it('are uncertain from the first step on that is not proven, in both directions', () => {
    const model = small(
      [1, 0, REQUEST, 1, -1, -1],
      [2, 1, REQUEST, 2, 1, -1, 0],
      [3, 2, REQUEST, 3, 2, -1],
      [4, 3, REQUEST, 4, 3, -1],
      [5, 4, REQUEST, 5, 3, -1, 0],
      [6, 5, REQUEST, 6, 5, -1],
    );
    const seqs = (start: number): number[] =>
      [...traceOf(model, model.rows[start - 1]).uncertain].map(({ seq }) => seq).sort((a, b) => a - b);
    expect(seqs(3)).toEqual([1, 5, 6]);
    expect(seqs(1)).toEqual([2, 3, 4, 5, 6]);
    expect(seqs(5)).toEqual([1, 2, 3]);
  });
});

describe('gaps', () => {
  it('hold the time and the folded rows between two shown rows', () => {
    const model = small([1, 0, REQUEST, 1, -1, -1], [2, 500, REQUEST, 2, -1, 0], [3, 2e6, REQUEST, 3, -1, -1]);
    const gaps = gapsOf(model, seenRows(model, firstChoice(model)));
    expect(gaps.get(model.rows[2])).toEqual({ size: 4, micros: 2e6, folded: [model.rows[1]] });
    expect(gaps.get(model.rows[0])).toEqual({ size: 0, micros: 0, folded: [] });
  });
});

describe('bars', () => {
  it('stand beside each other while they last', () => {
    const model = small(
      [1, 0, REQUEST, 1, -1, -1],
      [2, 1, REQUEST, 2, -1, -1],
      [3, 2, RESPONSE, 1, 1, -1],
      [4, 3, RESPONSE, 2, 2, -1],
      [5, 4, REQUEST, 3, -1, -1],
      [6, 5, RESPONSE, 3, 5, -1],
      [7, 6, REQUEST, 4, -1, -1],
    );
    const bars = barsOf(model, model.rows);
    expect(bars.map(({ request, response, level }) => [request.seq, response.seq, level])).toEqual([
      [1, 3, 0],
      [2, 4, 1],
      [5, 6, 0],
    ]);
  });
});

describe('the search', () => {
  const rows = small([1, 0, REQUEST, 1, -1, -1], [2, 1, RESPONSE, 1, 1, -1]).rows;
  const lines = [
    '{"label":"[REQ] GET /api?a=1\\u0026b=2","headers":[["User-Agent","kubectl"]]}',
    '{"label":"[RESP] 200 OK","bodyAt":0}',
  ];
  const find = (text: string): number[] =>
    [...new SearchIndex(lines, ['{"uid":"664BD23E"}']).find(text, rows)].map(({ seq }) => seq);

  it.each([
    ['KUBECTL', [1]],
    ['a=1&b=2', [1]],
    ['664bd23e', [2]],
    ['200 664bd23e', [2]],
    ['200 kubectl', []],
    ['', [1, 2]],
  ])('finds %j', (text, seqs) => expect(find(text)).toEqual(seqs));
});
