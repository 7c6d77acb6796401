// One reader's way through a page, in a real browser, from its opening to what is saved of it. What is shown is what the page's model says
// (the other tests hold that against commands); what is saved the program's own commands read.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChartRow, type Model, traceOf, viewObjectText } from '../../src/explorer/model.js';
import { statisticsOf } from '../../src/explorer/statistics.js';
import type { Choice } from '../../src/explorer/visibility.js';
import { BROWSER, type Opened, openBrowser, type TestBrowser } from '../kit/browser.js';
import { kubeseq } from '../kit/command.js';
import { parseMermaid } from '../kit/mermaid.js';
import { Reader } from '../kit/reader.js';
import { drawnSeqs, type Line, linesOf, seqsOf, shownRows, unfoldAll, writtenPage } from '../kit/shown-page.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-journey-'));
const INPUT = [
  ...['control-plane', 'node-1'].map((name) => `fixtures/deployment-tls/${name}.pcap.gz`),
  ...['--keylog', 'fixtures/deployment-tls/keys.log.gz'],
];
const FOLLOWED = [...INPUT, '--follow', 'deployment/web', '--path'];

describe.skipIf(BROWSER === undefined)('a reader of a page', () => {
  const file = join(FOLDER, 'deployment.html');
  const url = pathToFileURL(file).href;
  let browser: TestBrowser;
  let opened: Opened;
  let reader: Reader;
  let model: Model;
  let lines: Line[];
  /** kubectl creates the Deployment. */
  let creation: Line;

  beforeAll(async () => {
    const written = writtenPage(FOLLOWED);
    ({ model } = written);
    writeFileSync(file, written.html);
    lines = linesOf(['--bodies', ...INPUT]);
    const isCreation = ({ verb, resource, from }: Line): boolean =>
      verb === 'create' && resource === 'deployments' && from === 'kubectl';
    creation = lines.find(isCreation) as Line;
    browser = await openBrowser();
    opened = await browser.open(url);
    reader = new Reader(opened.page);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(FOLDER, { recursive: true, force: true });
  });
  beforeEach(() => reader.reset());

  const expectShown = async (change?: (choice: Choice) => void): Promise<void> =>
    expect(await reader.seqs()).toEqual(seqsOf(shownRows(model, change)));
  const rowOf = (seq: number): ChartRow => model.rowOf(seq) as ChartRow;
  const title = (): Promise<string | null> => reader.panel.locator('h2').textContent();
  const goTo = async (seq: number, on = reader): Promise<void> => {
    await on.page.evaluate(`location.hash = 'm${seq}'`);
    await expect.poll(() => on.panel.locator('h2').textContent()).toBe(lines[seq - 1].label);
  };

  it('sees the diagram at first, each arrow between the lanes of its ends, its bars and its notes', async () => {
    const { page } = reader;
    await expectShown();
    expect(await reader.seqs()).toEqual(drawnSeqs(FOLLOWED));
    expect(await page.locator('[data-seq]').count()).toBe(lines.length);
    const shown = shownRows(model);
    expect(await reader.status()).toMatch(`${shown.length} of ${lines.length} messages, `);
    const heads = new Map<string, number>();
    for (const head of await page.locator('#heads [data-p]:visible').all()) {
      const { x, width } = (await head.boundingBox()) as { x: number; width: number };
      heads.set((await head.textContent()) ?? '', x + width / 2);
    }
    const ends = new Set(shown.flatMap(({ from, to, via }) => [from, to, ...via]));
    expect([...heads.keys()]).toEqual(model.view.participants.filter((_, i) => ends.has(i)).map(({ name }) => name));
    const arrows: [number, number, number, string, boolean][] = await page.evaluate(`
      [...document.querySelectorAll('.row:not([hidden]) button')].map((button) => {
        const line = getComputedStyle(button, '::before');
        const { x, y } = button.getBoundingClientRect();
        const left = x + parseFloat(line.left);
        const seq = Number(button.parentElement.dataset.seq);
        return [seq, left, left + parseFloat(line.width), line.borderTopWidth, y > 0 && y < innerHeight];
      })`);
    let measured = 0;
    for (const [seq, left, right, width, isInView] of arrows) {
      const { from, to, via, isOnPath } = rowOf(seq);
      expect([seq, width === '3px']).toEqual([seq, isOnPath]);
      // What is far from the view is not laid out; by way of a Service there are two arrows; one to itself is a loop.
      if (!isInView || from === to || via.length > 0) continue;
      const [a, b] = [from, to].map((one) => heads.get(model.view.participants[one].name) ?? -1).sort((x, y) => x - y);
      expect(Math.max(Math.abs(left - a), Math.abs(right - b)), `message ${seq}`).toBeLessThan(1.5);
      measured += 1;
    }
    expect(measured).toBeGreaterThan(10);
    const notes = await page.locator('.row:not([hidden]) .note').allTextContents();
    const expected = shown.flatMap((one) => model.notesOf(one)).map(([, , , , ...words]) => words.join(''));
    expect(notes.sort()).toEqual(expected.sort());
    await expect.poll(() => page.locator('#overlay .bar').count()).toBeGreaterThan(3);
  });

  it('has the critical path beside it, whose steps lead to their messages', async () => {
    const { path } = model.view;
    await reader.tool('Path').click();
    const steps = reader.panel.locator('.step');
    const texts = await steps.allTextContents();
    expect(texts).toHaveLength(path.length);
    path.forEach(({ seq, took, what = '' }, i) => {
      for (const part of [took ?? 'begins', what, `message ${seq}`]) expect(texts[i]).toContain(part);
    });
    const widths = await reader.page.evaluate<number[]>(
      `[...document.querySelectorAll('.step .share')].map((one) => one.getBoundingClientRect().width)`,
    );
    const shares = path.map(({ share = 0 }) => share);
    expect(widths.indexOf(Math.max(...widths))).toBe(shares.indexOf(Math.max(...shares)));
    await steps.nth(5).click();
    expect(await reader.hash()).toBe(`#m${path[5].seq}`);
    expect(await title()).toBe(lines[path[5].seq - 1].label);
  });

  it('opens an arrow: head, body, frames, filters, commands; Escape closes it', async () => {
    const { panel } = reader;
    await reader.row(creation.seq).click();
    const text = (await panel.textContent()) ?? '';
    expect(await title()).toBe(creation.label);
    const headers = creation['headers'] as [string, string][];
    expect(headers.length).toBeGreaterThan(3);
    for (const [name, value] of headers) expect(text).toContain(`${name}${value}`);
    const filter = (await panel.locator('.filter code').first().textContent()) ?? '';
    const frames = /^frame\.number >= (\d+) && frame\.number <= (\d+) && ip\.addr/.exec(filter);
    expect(frames?.slice(1).map(Number)).toEqual(creation['frames']);
    expect(JSON.parse((await panel.locator('pre').first().textContent()) ?? '')).toEqual(creation.body);
    const [kubectl, curl, ...others] = await panel.locator('details.command').allTextContents();
    expect(kubectl).toContain('kubectl create --raw ');
    expect(curl).toContain("curl -X POST 'https://192.0.2.10:6443/apis/apps");
    expect(others).toEqual([]);
    expect(await reader.hash()).toBe(`#m${creation.seq}`);
    await reader.press('Escape');
    expect(await panel.isVisible()).toBe(false);
  });

  it('points at an arrow, and sees what led to it and what came of it, and which of that is not certain', async () => {
    const { page } = reader;
    const shown = new Set(shownRows(model));
    const isMixed = (one: ChartRow): boolean => {
      const { causes, effects, uncertain } = traceOf(model, one);
      const seen = effects.filter((effect) => shown.has(effect)).map((effect) => uncertain.has(effect));
      return causes.length > 0 && seen.includes(true) && seen.includes(false);
    };
    const start = [...shown].find(isMixed) as ChartRow;
    const { causes, effects, uncertain } = traceOf(model, start);
    await reader.row(start.seq).hover();
    const lit = (name: string): Promise<number[]> =>
      page.evaluate(`[...document.querySelectorAll('.row.${name}')].map((row) => Number(row.dataset.seq))`);
    expect(await lit('here')).toEqual([start.seq]);
    expect((await lit('cause')).reverse()).toEqual(seqsOf(causes));
    expect(await lit('effect')).toEqual(seqsOf(effects));
    const words = await page.evaluate<[number, string][]>(`
      [...document.querySelectorAll('.row.effect')].map((row) =>
        [Number(row.dataset.seq), getComputedStyle(row.querySelector('b'), '::after').content])`);
    for (const [seq, word] of words)
      expect([seq, word]).toEqual([seq, uncertain.has(rowOf(seq)) ? '" perhaps"' : 'none']);
    await expect.poll(() => page.locator('.way.after').count()).toBeGreaterThan(0);
    const ways = await page.evaluate<[string, boolean][]>(`[...document.querySelectorAll('.way')].map((one) =>
      [one.className, getComputedStyle(one).backgroundImage !== 'none'])`);
    for (const [name, isDotted] of ways) expect([name, isDotted]).toEqual([name, name.includes('perhaps')]);
    await page.locator('#status').hover();
    expect(await lit('effect')).toEqual([]);
  });

  it('finds in the details which causes and effects are not certain, the other possible causes, and why there is none', async () => {
    const several = lines.find(({ cause }) => (cause?.others?.length ?? 0) > 1) as Line;
    const others = several.cause?.others ?? [];
    await goTo(several.seq);
    // The nearest ones; its fold has all.
    const nearest = seqsOf(traceOf(model, rowOf(several.seq)).causes).slice(0, 4);
    expect(await reader.links(reader.section('Perhaps because of'))).toEqual(nearest);
    expect(await reader.links(reader.section('Other possible causes'))).toEqual(others);
    await reader.section('Other possible causes').locator('.jump').first().click();
    expect(await reader.hash()).toMatch(`#m${others[0]}`);
    await goTo(creation.seq);
    const { effects, uncertain } = traceOf(model, rowOf(creation.seq));
    const titles = await reader.panel.locator('h3').allTextContents();
    expect(titles).toContain('Cause: a person sent it');
    expect(titles).toContain(`Led to ${effects.length} messages, ${uncertain.size} of them perhaps`);
  });

  it('filters by what the menus and the details name', async () => {
    const { page, panel } = reader;
    const scheduler = model.view.participants.findIndex(({ name }) => name === 'kube-scheduler');
    await page.locator(`#heads [data-p="${scheduler}"] button`).click();
    expect(await panel.textContent()).toContain('How it was recognised');
    await panel.getByText('Show only its messages').click();
    await expectShown(({ participants }) => participants.add(scheduler));
    await reader.reset();
    const object = rowOf(creation.seq).about;
    const name = viewObjectText(model.view.objects[object]);
    const story = ({ objects }: Choice): unknown => objects.add(object);
    await reader.row(creation.seq).click();
    await panel.locator('.object', { hasText: name }).click();
    await expectShown(story);
    expect(await reader.hash()).toBe(`#m${creation.seq}&object=${name.replace(' ', '+')}`);
    await panel.locator('.namespace').first().click();
    await expectShown(({ namespaces }) => namespaces.add(model.namespaces.indexOf('default')));
    await reader.reset();
    await reader.openMenu('Objects');
    await reader.menu('Objects').locator('input[type="search"]').fill(name.slice(0, -1));
    await reader.openMenu('Objects');
    await reader.choose('Objects', new RegExp(`^${name}\\d+$`));
    await expectShown(story);
    await reader.reset();
    await reader.tool('Problems').click();
    await expectShown((choice) => {
      choice.problems = true;
    });
  });

  it('finds text in bodies', async () => {
    const metadata = lines.map(({ body }) => (body as { metadata?: { uid?: string } } | undefined)?.metadata);
    const uid = metadata.find((one) => one?.uid !== undefined)?.uid ?? '';
    const found = new Set(model.rows.filter(({ seq }) => JSON.stringify(lines[seq - 1]).includes(uid)));
    const status = await reader.status();
    await reader.page.locator('#search').fill(uid.toUpperCase());
    await expect.poll(() => reader.status()).not.toBe(status);
    await expectShown((choice) => {
      choice.found = found;
    });
    await reader.press('Escape');
    await expect.poll(() => reader.status()).toBe(status);
  });

  it('unfolds what is folded: before an arrow, by reason, in other layers, all of it; and folds it again', async () => {
    const { page } = reader;
    const before = await reader.seqs();
    const more = page.locator('.row:not([hidden]) time[data-more]').first();
    const count = Number((await more.getAttribute('data-more'))?.slice(1));
    expect(count).toBeGreaterThan(0);
    await more.click({ position: { x: 12, y: 8 } });
    expect(await reader.seqs()).toHaveLength(before.length + count);
    await reader.reset();
    await reader.choose('Unfold', 'bookmarks');
    await expectShown(({ unfolded }) => unfolded.add(model.view.folds.indexOf('bookmarks')));
    await reader.reset();
    await reader.choose('Layers', 'etcd');
    await expectShown(({ layers }) => layers.add(model.view.layers.findIndex(({ name }) => name === 'etcd')));
    await reader.reset();
    await page.locator('#chart').focus();
    await reader.press('u');
    await expectShown((choice) => unfoldAll(model, choice));
    await page.evaluate('document.getElementById("chart").scrollTop = document.getElementById("chart").scrollHeight');
    const last = (await reader.seqs()).at(-1) ?? 0;
    await expect.poll(async () => (await reader.row(last).boundingBox())?.y).toBeLessThan(1000);
    await page.locator('#chart').focus();
    await reader.press('u');
    expect(await reader.seqs()).toEqual(before);
  });

  it('goes by keyboard alone', async () => {
    const { page } = reader;
    const seqs = await reader.seqs();
    const effect = shownRows(model).find(({ causedBy }) => seqs.includes(causedBy)) as ChartRow;
    const { request, response } = Object.fromEntries(
      lines.filter(({ exchange }) => exchange === creation.exchange).map(({ kind, seq }) => [kind, seq]),
    );
    await page.locator('#chart').focus();
    for (const [keys, seq] of [
      [['Home'], seqs[0]],
      [['j', 'ArrowDown'], seqs[2]],
      [['k', 'k'], seqs[0]],
      [['End'], seqs.at(-1)],
    ] as const) {
      await reader.press(...keys);
      expect([keys, await reader.focused()]).toEqual([keys, seq]);
    }
    for (const [from, key, to] of [
      [request, 'r', response],
      [response, 'r', request],
      [effect.seq, 'c', effect.causedBy],
      [effect.causedBy, 'e', model.effectsOf(rowOf(effect.causedBy))[0].seq],
    ] as const) {
      await reader.row(from).focus();
      await reader.press(key);
      expect([from, key, await reader.focused()]).toEqual([from, key, to]);
    }
    await reader.press('Enter');
    expect(await reader.panel.isVisible()).toBe(true);
    await reader.reset();
    await reader.row(creation.seq).focus();
    await reader.press('o');
    await expectShown(({ objects }) => objects.add(rowOf(creation.seq).about));
    // A button that was clicked has the focus: the keys mean the same.
    await reader.reset();
    await reader.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    await reader.press('Escape');
    await page.locator('#chart').focus();
    await reader.press('?');
    expect(await page.locator('#help').isVisible()).toBe(true);
    await page.locator('#help').getByRole('button').click();
    expect(await page.locator('#help').isVisible()).toBe(false);
  });

  it('counts requests, and goes from a number to what it counts, from a time to its answer', async () => {
    const { total, clients, servers } = statisticsOf(model, shownRows(model));
    await reader.tool('Statistics').click();
    const tables = await reader.page.evaluate<string[][][]>(`
      [...document.querySelectorAll('#panel table')].map((table) =>
        [...table.rows].slice(1).map((row) => [...row.cells].slice(1, 4).map((cell) => cell.textContent)))`);
    const countsOf = ({ requests, errors, unanswered }: typeof total): string[] =>
      [requests, errors, unanswered].map(({ length }) => (length === 0 ? '' : String(length)));
    expect(tables).toEqual([[...clients, total].map(countsOf), servers.map(countsOf)]);
    const cells = reader.panel.locator('table').first().locator('tr', { hasText: 'all' }).locator('td');
    await cells.nth(4).locator('button').click();
    expect(await reader.hash()).toBe(`#m${total.p99?.seq}`);
    await reader.tool('Statistics').click();
    await cells.first().locator('button').click();
    expect(await title()).toBe('requests: all');
    expect(await reader.links(reader.panel)).toEqual(seqsOf(total.requests));
  });

  it('goes to a chapter, and zooms into a part of the time: by chapter, overview, numbers', async () => {
    const expectTime = (from: number, to: number): Promise<void> =>
      expectShown((choice) => {
        choice.time = { from, to };
      });
    const { chapters } = model.view;
    const times = chapters.map(([seq]) => rowOf(seq).micros);
    await reader.openMenu('Chapters');
    const entries = reader.menu('Chapters').locator('.chapter');
    const names = await entries.locator('button:first-child').allTextContents();
    expect(names.map((text) => text.replace(/^[\d.]+ \S+ /, ''))).toEqual(chapters.map(([, name]) => name));
    await entries.nth(1).locator('button').first().click();
    expect(await reader.focused()).toBe(chapters[1][0]);
    await reader.reset();
    await reader.openMenu('Chapters');
    await entries.nth(1).getByText('only').click();
    await expectTime(times[1], times[2] - 1);
    await reader.menu('Chapters').getByText('All of it').click();
    await reader.press('Escape');
    await expectShown();
    const strip = reader.page.locator('#strip');
    const { x, y, width } = (await strip.boundingBox()) as { x: number; y: number; width: number };
    await reader.page.mouse.move(x + width * 0.4, y + 10);
    await reader.page.mouse.down();
    await reader.page.mouse.move(x + width * 0.6, y + 10, { steps: 4 });
    await reader.page.mouse.up();
    const [, from, to] = (/^#from=([\d.]+)&to=([\d.]+)$/.exec(await reader.hash()) ?? []).map(Number);
    const whole = (model.rows.at(-1) as ChartRow).micros / 1e6;
    expect(Math.abs(from - 0.4 * whole) + Math.abs(to - 0.6 * whole)).toBeLessThan(0.02 * whole);
    await expectTime(from * 1e6, to * 1e6);
    await reader.openMenu('Chapters');
    const inputs = reader.menu('Chapters').locator('input');
    expect(await inputs.first().inputValue()).toBe(String(from));
    await inputs.first().fill('0');
    await inputs.last().fill('11');
    await inputs.last().press('Tab');
    await expectTime(0, 11e6);
  });

  it('chooses a story, and what went wrong, from the list at the side', async () => {
    const { stories } = reader;
    const entries = stories.locator('[data-story]');
    for (const i of [1, 0]) {
      await entries.nth(i).click();
      await expectShown((choice) => choice.stories.add(i));
      expect(await stories.locator('[aria-pressed="true"]').getAttribute('data-story')).toBe(String(i));
      expect(await reader.hash()).toBe(`#story=${model.view.stories[i][0]}`);
    }
    await entries.first().click();
    await expectShown();
    const wrong = stories.locator('[data-message]').first();
    await wrong.click();
    expect(await title()).toBe(lines[Number(await wrong.getAttribute('data-message')) - 1].label);
    expect(await reader.panel.locator('.warning').textContent()).toMatch('Refused: 403 (Forbidden)');
    for (const isVisible of [false, true]) {
      await reader.tool('Stories').click();
      expect(await stories.isVisible()).toBe(isVisible);
    }
  });

  it('shares the address, which opens the same view, also with a message that is folded', async () => {
    await reader.choose('Verbs', 'patch');
    await reader.page.locator('#search').fill('web');
    await expect.poll(() => reader.hash()).toBe('#verb=patch&find=web');
    await expect.poll(() => reader.status()).toMatch(/^\d\d? of/);
    const seqs = await reader.seqs();
    await reader.row(seqs[1]).click();
    const address: string = await reader.page.evaluate('location.href');
    const { page, complaints } = await browser.open(address);
    const other = new Reader(page);
    await expect.poll(() => other.seqs()).toEqual(seqs);
    expect(await other.panel.locator('h2').textContent()).toBe(lines[seqs[1] - 1].label);
    expect(await page.locator('#search').inputValue()).toBe('web');
    // Another address in the same page replaces the view, and nothing of it becomes markup.
    await page.evaluate(`location.hash = 'verb=%3Cimg+src%3Dx%3E&find=%3Cb%3E'`);
    await expect.poll(() => page.locator('#search').inputValue()).toBe('<b>');
    expect(await page.locator('b b, img').count()).toBe(0);
    const folded = lines.find(({ type }) => type === 'BOOKMARK') as Line;
    await goTo(folded.seq, other);
    expect(await other.seqs()).toContain(folded.seq);
    expect(complaints).toEqual([]);
    await page.close();
    await reader.reset();
    expect(await reader.hash()).toBe('');
  });

  it('saves mermaid text, which mermaid parses, and which is an expectation that the capture meets', async () => {
    const { name, path, bytes } = await reader.saved('diagram.mmd');
    expect(name).toBe('kubeseq.mmd');
    const { messages } = await parseMermaid(bytes.toString('utf8'));
    expect(messages.length).toBeGreaterThanOrEqual(shownRows(model).length);
    expect(kubeseq(['check', path, '-q', ...INPUT]).status).toBe(0);
  });

  it('saves the messages that are shown, as `messages` prints them, which every command reads', async () => {
    const { path, bytes } = await reader.saved('messages.ndjson');
    const own = bytes.toString('utf8').trim().split('\n');
    expect(own.map((line) => JSON.parse(line) as unknown)).toEqual(shownRows(model).map(({ seq }) => lines[seq - 1]));
    expect(kubeseq(['diagram', '-q', '--no-overview', path]).status).toBe(0);
  });

  it('saves pictures: as SVG with title and arrows, and without an address, and as PNG', async () => {
    const { bytes } = await reader.saved('picture.svg');
    const path = join(FOLDER, 'saved.svg');
    writeFileSync(path, bytes);
    // Where it is no well-formed XML, it has no texts.
    const { page, complaints } = await browser.open(pathToFileURL(path).href, { until: 'load' });
    const texts = await page.locator('text').allTextContents();
    expect(complaints).toEqual([]);
    await page.close();
    const [name, status] = await reader.page.locator('#headline h1, #status').allTextContents();
    expect(texts[texts.indexOf(name) + 1]).toBe(status);
    const words = texts.join('').replaceAll(/\s/g, '');
    for (const label of await reader.page.locator('.row:not([hidden]) b').allTextContents())
      expect(words).toContain(label.replaceAll(/\s/g, ''));
    const svg = bytes.toString('utf8').replace('xmlns="http://www.w3.org/2000/svg"', '');
    expect(svg).not.toMatch(/href|src=|url\(|<script/);
    const { bytes: png } = await reader.saved('picture.png');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.readUInt32BE(16)).toBeGreaterThan(1000);
    expect(png.readUInt32BE(20)).toBeGreaterThan(30 * shownRows(model).length);
    expect(png.length).toBeGreaterThan(50_000);
  });

  it('meets no errors, and has loaded nothing', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.requests.filter((one) => !one.startsWith('blob:'))).toEqual([url]);
  });
});
