// One property: of random strings in any place of any capture an output of any command holds only what a row of a table allows there. A
// failure names place, output and text.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exists, fixture, fixturePath } from '../kit/fixtures.js';
import { newFolder, type Output, outputs, said } from '../kit/outputs.js';
import { rowOf } from '../kit/random/allowed.js';
import { type Filling, type RandomRun, randomised } from '../kit/random/changer.js';
import { LOOKS, type Look, NUMBERS, type Place, placeName } from '../kit/random/places.js';
import { CAPTURES, exported, printed } from '../kit/random/printed.js';
import { runs, TRIES_ALL } from '../kit/runs.js';

/** What is replaced in one run: the first is tried with every capture, the others by turns. */
const FILLINGS: readonly (Filling & { readonly share: number })[] = [
  { name: 'values that decide nothing', places: new Set(['header', 'query', 'body']), guiding: false, share: 1 },
  {
    name: 'values that decide how bytes are read, too',
    places: new Set(['header', 'query', 'body']),
    guiding: true,
    share: 0.5,
  },
  { name: 'keys', places: new Set(['key']), guiding: false, share: 0.25 },
  { name: 'others', places: new Set(['number', 'segment', 'user-info', 'selector']), guiding: false, share: 0.25 },
];
/** Of each capture so many frames are read: the beginning; with RUNS=full all of most. */
const FRAMES = TRIES_ALL ? 2500 : 800;
/** Of a failure so many places are named. */
const LINES = 100;

const FOLDER = newFolder('random');
const EXPORT = join(FOLDER, 'random.ndjson');
const SUBJECT = {
  objects: [['pods/x', 'default']],
  seq: 1,
  expected: ['[REQ] GET /api/v1/never'],
  other: EXPORT,
} as const;
/** How the outputs of a run are made: all that the library writes, or one of the commands, of an export with everything in it. */
const WAYS: readonly ('library' | Output)[] = [
  'library',
  ...outputs(fixturePath('run-nginx-http1/capture.pcap.gz'), SUBJECT).filter(
    ({ needs, command }) => needs === undefined && command !== 'object' && command !== 'path',
  ),
];

/** Rows that something came through, with what, and how many strings were put into places of a kind: so that they can be counted. */
const USED = new Map<string, string>();
const PUT = new Map<Place['in'], number>();

/** Random strings in exports that hold everything. */
const SAVED = { count: 0 };

function* outputsOf({ items, first }: RandomRun, way: 'library' | Output): Generator<readonly [string, string]> {
  if (way === 'library') return yield* printed(items, first);
  const saved = exported(items, first, false);
  for (const { pattern } of LOOKS) SAVED.count += saved.match(pattern)?.length ?? 0;
  writeFileSync(EXPORT, saved);
  for (const [where, text] of said(way, [EXPORT], FOLDER).texts) yield [`${way.name}, ${where}`, text];
}

/** What came through no row: one line for each place, with the outputs that it is in and the text around it in the first. */
function strangers(run: RandomRun, look: Look, way: 'library' | Output): string[] {
  const found = new Map<string, { readonly outputs: Set<string>; readonly around: string }>();
  for (const [output, text] of outputsOf(run, way))
    for (const { 0: random, index } of [look, NUMBERS].flatMap(({ pattern }) => [...text.matchAll(pattern)])) {
      const place = run.places.get(random);
      // A number of the capture itself.
      if (place === undefined) continue;
      const name = placeName(place);
      const row = rowOf(place, random);
      if (row !== null) {
        USED.set(row, `${name} in ${output}`);
        continue;
      }
      const around = text.slice(Math.max(0, index - 50), index + random.length + 20).replace(/\s+/g, ' ');
      const known = found.get(name) ?? { outputs: new Set<string>(), around };
      known.outputs.add(output);
      found.set(name, known);
    }
  return [...found].map(([name, { outputs, around }]) => `${name} | ${[...outputs].join(', ')} | ${around}`).sort();
}

describe('random strings are shown only where a row allows them', () => {
  it.each(CAPTURES.map((one, i) => [one.name, one, i] as const))('%s', async (_name, { name, keys }, i) => {
    const keyLogs = exists(keys) ? [Buffer.from(fixture(keys)).toString()] : [];
    const capture = fixture(name);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FILLINGS),
        fc.constantFrom(...LOOKS),
        fc.constantFrom(...WAYS),
        async (filling, look, way) => {
          const options = { filling, look, frames: FRAMES * filling.share, showSecrets: way !== 'library' };
          const run = await randomised(capture, keyLogs, options);
          for (const { in: place } of run.places.values()) PUT.set(place, (PUT.get(place) ?? 0) + 1);
          const lines = strangers(run, look, way);
          expect(
            [...lines.slice(0, LINES), ...(lines.length > LINES ? [`${lines.length - LINES} more`] : [])].join('\n'),
          ).toBe('');
        },
      ),
      {
        numRuns: runs(3, 12),
        examples: [
          [FILLINGS[0], LOOKS[i % LOOKS.length], 'library'],
          [FILLINGS[i % FILLINGS.length], LOOKS[0], 'library'],
        ],
        seed: (fc.readConfigureGlobal()?.seed ?? 1) + i,
        endOnFailure: true,
      },
    );
  });
});

it('were put into everything, and come through rows of each kind', () => {
  for (const place of ['header', 'query', 'body', 'key', 'number', 'segment', 'user-info', 'selector'] as const)
    expect([place, PUT.get(place) ?? 0]).toEqual([place, expect.toSatisfy((count: number) => count > 10)]);
  expect(SAVED.count).toBeGreaterThan(10_000);
  const rows = [...USED.keys()];
  for (const row of [
    'fields.ts: names: impersonate-user',
    'field selector: metadata.name',
    'namespaces: name',
    'image: image',
  ])
    expect(
      rows.filter((one) => one.startsWith(row)),
      `${row} of\n${rows.join('\n')}`,
    ).not.toEqual([]);
});
