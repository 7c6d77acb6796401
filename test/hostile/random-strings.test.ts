// Random strings in place of every string of every fixture's bodies, header values and query values: what of them an output holds came
// through a row of a table. A failure names place, output and text.

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  buildSequence,
  HistoryBuilder,
  messageLineWithBody,
  parseFollow,
  renderMermaid,
  renderObjectJson,
  renderObjectText,
  SavedWriter,
  SummaryCollector,
} from '../../src/index.js';
import { exists, fixture, fixturePath } from '../kit/fixtures.js';
import { rowOf } from '../kit/random-rows.js';
import { type Place, type RandomRun, randomised, randomStringsIn } from '../kit/random-strings.js';
import { TRIES_ALL } from '../kit/runs.js';

/** Every capture of the fixtures; with its key log where there is one. */
const CAPTURES = readdirSync(fixturePath('')).flatMap((folder) =>
  readdirSync(fixturePath(folder), { withFileTypes: true })
    .map(({ name }) => `${folder}/${name}`)
    .filter((name) => /\.pcap(?:ng)?(?:\.gz)?$/.test(name))
    .map((name) => ({ name, keys: `${folder}/keys.log` })),
);
/** Of random strings of another kind than the first: every other capture; with RUNS=full all. */
const everyOther = (from: 0 | 1): typeof CAPTURES => CAPTURES.filter((_, i) => TRIES_ALL || i % 2 === from);
/** Of each capture so many frames are read: the beginning; with RUNS=full all of most. */
const FRAMES = TRIES_ALL ? 2500 : 800;
const OBJECTS = 4;
/** Of a failure so many places are named. */
const LINES = 100;
const LAYERS = new Set(['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const);
const DIGITS = { first: 0n, digits: () => 6 as const };

/** Rows that something came through, with what: so that they can be counted. */
const USED = new Map<string, string>();

/** How many strings were put into places of a kind. */
const PUT = new Map<string, number>();

/** The outputs that print all that messages hold, by name. */
function* outputsOf({ items, messages, notices, first }: RandomRun): Generator<readonly [string, string]> {
  yield ['messages --bodies', messages.map((message) => messageLineWithBody(message, DIGITS)).join('\n')];
  yield ['notices', notices.map((notice) => JSON.stringify(notice, bigints)).join('\n')];
  const seen = { messages, notices };
  yield ['diagram --all', renderMermaid(buildSequence(seen, { all: true, layers: LAYERS }))];
  yield ['diagram', renderMermaid(buildSequence(seen, { layers: LAYERS }))];
  const collector = new SummaryCollector(['capture'], { streams: true });
  for (const item of items) collector.add(item);
  yield ['summary', JSON.stringify(collector.result(), bigints)];
  const writer = new SavedWriter({ captures: ['capture'], redacted: true, digits: () => 6 });
  yield ['export', [...writer.feed(items, first), ...writer.end(first)].join('')];
  const objects = new Map(
    messages.flatMap(({ resource, name, namespace }) =>
      resource === undefined || name === undefined ? [] : [[resource, { name, namespace }] as const],
    ),
  );
  for (const [resource, { name, namespace }] of [...objects].slice(0, OBJECTS)) {
    const followed = parseFollow(`${resource}/${name}`, namespace ?? 'default');
    if (followed === null) continue;
    const history = new HistoryBuilder(followed);
    for (const message of messages) history.feed(message);
    const life = history.result();
    yield [`object ${resource}/${name} -o json`, renderObjectJson(life, DIGITS)];
    yield [`object ${resource}/${name} -o text`, renderObjectText(life, { ...DIGITS, all: true })];
  }
}

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function placeName(place: Place): string {
  if (place.in === 'header') return `header ${place.name}`;
  if (place.in === 'query') return `query ${place.path.replace(/[^/]*\d[^/]*/g, '…')}?${place.name}=`;
  if (place.in === 'segment') return `segment ${place.role}`;
  if (place.in === 'user-info') return `${place.name} of an authority`;
  if (place.in === 'selector') return `${place.parameter} ${place.key}=`;
  return `${place.in}, ${place.api}, ${place.type}: ${place.path.join('.')}`;
}

/** What came through no row: one line for each place, with the outputs that it is in and the text around it in the first. */
function strangers(run: RandomRun): string[] {
  const found = new Map<string, { readonly outputs: Set<string>; readonly around: string }>();
  for (const [output, text] of outputsOf(run)) {
    for (const [random, at] of randomStringsIn(text)) {
      const place = run.places.get(random);
      // A number of the capture itself.
      if (place === undefined) continue;
      const name = placeName(place);
      const row = rowOf(place);
      if (row !== null) {
        USED.set(row, `${name} in ${output}`);
        continue;
      }
      const around = text.slice(Math.max(0, at - 50), at + random.length + 20).replace(/\s+/g, ' ');
      const known = found.get(name) ?? { outputs: new Set<string>(), around };
      known.outputs.add(output);
      found.set(name, known);
    }
  }
  return [...found].map(([name, { outputs, around }]) => `${name} | ${[...outputs].join(', ')} | ${around}`).sort();
}

describe.each([
  ['values that decide nothing', false],
  ['values that decide how bytes are read, too', true],
])('random strings for %s', (_, guiding) => {
  it.each((guiding ? everyOther(0) : CAPTURES).map((one) => [one.name, one] as const))(
    '%s',
    async (_name, { name, keys }) => {
      const keyLogs = exists(keys) ? [Buffer.from(fixture(keys)).toString()] : [];
      const run = await randomised(fixture(name), keyLogs, { guiding, frames: guiding ? FRAMES / 2 : FRAMES });
      const lines = strangers(run);
      expect(
        [...lines.slice(0, LINES), ...(lines.length > LINES ? [`${lines.length - LINES} more`] : [])].join('\n'),
      ).toBe('');
    },
  );
});

describe.each(['keys', 'others'] as const)('random %s', (instead) => {
  it.each(everyOther(instead === 'keys' ? 0 : 1).map((one) => [one.name, one] as const))(
    '%s',
    async (_name, { name, keys }) => {
      const keyLogs = exists(keys) ? [Buffer.from(fixture(keys)).toString()] : [];
      const run = await randomised(fixture(name), keyLogs, { guiding: false, frames: FRAMES / 4, instead });
      const lines = strangers(run);
      expect(lines.slice(0, LINES).join('\n')).toBe('');
      for (const { in: place } of run.places.values()) PUT.set(place, (PUT.get(place) ?? 0) + 1);
    },
  );
});

it('were put into keys, numbers, segments, authorities and selectors', () => {
  for (const place of ['key', 'number', 'segment', 'user-info', 'selector'])
    expect([place, PUT.get(place) ?? 0]).toEqual([place, expect.toSatisfy((count: number) => count > 10)]);
});

it('were put into everything, and come through rows of each kind', () => {
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
