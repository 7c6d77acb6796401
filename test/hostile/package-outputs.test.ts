// Outputs that take packages or a browser, and judges that are packages: secrets and hostile text in what DuckDB prints and Chromium draws;
// mermaid's own parser and an XML parser over hostile text.

import { existsSync } from 'node:fs';
import { parse as parseCsv } from 'csv-parse/sync';
import { JSDOM } from 'jsdom';
import { describe, expect, it } from 'vitest';
import { EVIL, HARMLESS, OUTPUTS, ofFormats, outputOf, saidOf, shownOf, UNSEEN } from '../kit/hostile-files.js';
import { parseMermaid } from '../kit/mermaid.js';
import { type Output, outputs } from '../kit/outputs.js';
import { LeakSearch, plantedFiles } from '../kit/planted/leaks.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (CHROMIUM !== undefined) process.env['PUPPETEER_EXECUTABLE_PATH'] ??= CHROMIUM;
const SVG = OUTPUTS.filter(({ needs }) => needs === 'browser').map((one) => ({
  ...one,
  args: [...one.args, '-q', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
}));
const QUERIES = OUTPUTS.filter(({ needs }) => needs === 'duckdb');
const DRAWN = OUTPUTS.filter(({ needs }) => needs === undefined);

interface Line {
  readonly label: string;
}
/** As a diagram may show it: what nobody sees is shown as U+FFFD, layout does not count. */
const shown = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u3164\uffa0]/gu, '\ufffd').replaceAll(/\s+/g, '');
const fencesOf = (page: string): string[] =>
  [...page.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)].map(([, text]) => text);

describe("mermaid's own parser", () => {
  const all = ofFormats(DRAWN, 'mermaid', 'markdown').filter(([, { command }]) => command === 'diagram');
  // An overview has words of its own on its arrows: test/commands/overview.test.ts parses it.
  const isOverview = ({ format, args }: Output): boolean => format === 'mermaid' && args.length === 3;

  it.each(all.filter(([, one]) => !isOverview(one)))('finds the messages that were written: %s', async (_name, one) => {
    const text = shownOf(one);
    const fences = one.format === 'mermaid' ? [text] : fencesOf(text);
    // A long story begins with an overview, whose arrows stand in its parts once more.
    const parsed = (await Promise.all((fences.length > 1 ? fences.slice(1) : fences).map(parseMermaid))).flatMap(
      ({ messages }) => messages,
    );
    const json = shownOf(outputOf('diagram', '-o', 'json', ...one.args.slice(3)));
    const { messages } = JSON.parse(json) as { messages: Line[] };
    expect(parsed).toHaveLength(messages.length);
    // A label of more than 120 characters is cut in its middle.
    const wrong = messages.filter(({ label }, i) => [...label].length <= 100 && shown(parsed[i].text) !== shown(label));
    expect(wrong.map(({ label }) => label)).toEqual([]);
    if (one.args.includes('--all')) expect(messages.length).toBeGreaterThan(300);
  });

  it.each(ofFormats(DRAWN, 'mermaid').filter(([, { command }]) => command === 'object'))(
    'reads each arrow of: %s',
    async (_name, one) => {
      const text = shownOf(one);
      const arrows = text.split('\n').filter((line) => /^ {4}P\d+ (?:->>|-x) O: /.test(line));
      expect((await parseMermaid(text)).messages).toHaveLength(arrows.length);
    },
  );

  it('finds participants only, no directive', async () => {
    const { actors } = await parseMermaid(shownOf(outputOf('diagram', '-o', 'mermaid', '--all', '--layers', 'all')));
    const { participants } = JSON.parse(shownOf(outputOf('diagram', '-o', 'json', '--all', '--layers', 'all'))) as {
      participants: { name: string }[];
    };
    expect([...actors.values()].map(shown)).toEqual(participants.map(({ name }) => shown(name)));
  });

  it.each(ofFormats(DRAWN, 'markdown', 'files').filter(([, { command }]) => ['diagram', 'docs'].includes(command)))(
    'sees fences that nothing closes but their end, with as many messages as without evil: %s',
    async (_name, one) => {
      const [evil, harmless] = await Promise.all(
        [shownOf(one), shownOf(one, HARMLESS)].map(async (page) => {
          const parsed = await Promise.all(fencesOf(page).map(parseMermaid));
          return parsed.reduce((sum, { messages }) => sum + messages.length, 0);
        }),
      );
      expect(evil).toBeGreaterThan(100);
      // Without options stories differ.
      if (one.args.includes('--all')) expect(Math.abs(evil - harmless)).toBeLessThan(harmless * 0.1);
      if (one.command === 'docs') return;
      // Every other one opens a diagram, and the next one closes it.
      const fences = shownOf(one).match(/^ {0,3}(?:`{3,}|~{3,}).*$/gm) ?? [];
      expect(fences.length % 2).toBe(0);
      expect(fences.filter((line, i) => line !== (i % 2 === 0 ? '```mermaid' : '```'))).toEqual([]);
    },
  );

  it('reads an expectation that took hostile words from a capture', async () => {
    const update = DRAWN.find(({ args }) => args.includes('--update'));
    const text = saidOf(update!).texts.find(([where]) => where === 'expected.mmd')?.[1] ?? '';
    const { messages } = await parseMermaid(text);
    expect(messages.length).toBe([...text.matchAll(/-?->>/g)].length);
    expect(messages.length).toBeGreaterThan(0);
  });
});

describe('an XML parser', () => {
  it.each(ofFormats(DRAWN, 'junit'))('finds the same elements and attributes as without evil: %s', (_name, one) => {
    const [evil, harmless] = [EVIL, HARMLESS].map((capture) => structure(shownOf(one, capture)));
    expect(evil.size).toBeGreaterThan(3);
    expect([...evil].filter((what) => !harmless.has(what))).toEqual([]);
  });

  it.skipIf(CHROMIUM === undefined).each(SVG.map((one) => [one.name, one] as const))(
    'finds nothing that does something in a drawing (skipped without a browser): %s',
    (_name, one) => {
      const text = shownOf(one);
      const found = structure(text);
      expect(text.length).toBeGreaterThan(100_000);
      for (const name of ['script', 'iframe', 'img', 'image', 'object', 'embed', 'a', 'animate', 'form', 'b', 'i', 'u'])
        expect([name, found.has(name)]).toEqual([name, false]);
      expect([...found].filter((what) => /@(?:on|srcdoc)|(?:href|@src)=(?!#)/.test(what))).toEqual([]);
      expect(UNSEEN.exec(text)?.[0]).toBe(undefined);
    },
  );
});

describe('DuckDB', () => {
  it.each(QUERIES.map((one) => [one.name, one] as const))('prints nothing unseen, and no formula: %s', (_name, one) => {
    const text = shownOf(one);
    expect(text.length).toBeGreaterThan(100_000);
    expect(UNSEEN.exec(text)?.[0]).toBe(undefined);
    if (one.format !== 'csv') return;
    const rows = parseCsv(text, { columns: true, relax_column_count: false }) as Record<string, string>[];
    expect(rows.map((row) => row['seq'])).toEqual(rows.map((_, i) => String(i + 1)));
    expect(rows.flatMap((row) => Object.values(row)).filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
  });
});

describe('planted secrets', () => {
  const files = plantedFiles();
  const search = new LeakSearch(files);

  it.each(
    outputs(files.capture, files.subject)
      .filter(({ needs }) => needs === 'duckdb')
      .map((one) => [one.name, one] as const),
  )('are in no answer of DuckDB: %s', (_name, one) => {
    const { said, leaks } = search.said(one, files.captured);
    expect(leaks).toEqual([]);
    expect(said.texts[0][1].length).toBeGreaterThan(100_000);
  });

  it.skipIf(CHROMIUM === undefined).each(SVG.map((one) => [one.name, one] as const))(
    'are in no drawing (skipped without a browser): %s',
    (_name, one) => {
      // The diagram of a few hundred messages: a larger one takes the browser minutes.
      const few = ['--where', 'seq % 12 == 0'];
      const { said, leaks } = search.said(one, [...few, ...files.captured]);
      expect(leaks).toEqual([]);
      expect(said.texts[0][1].length).toBeGreaterThan(100_000);
    },
  );
});

/** Elements and attributes of a document, with where they lead. */
function structure(document: string): Set<string> {
  const { window } = new JSDOM(document, { contentType: 'application/xml' });
  const found = new Set<string>();
  for (const element of window.document.querySelectorAll('*')) {
    found.add(element.localName);
    for (const { name, value } of element.attributes)
      found.add(`${element.localName}@${name}${/href$|^src$/.test(name) ? `=${value.slice(0, 12)}` : ''}`);
  }
  return found;
}
