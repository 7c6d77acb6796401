// One reader's way through a page, in a real browser, from its opening to what is saved of it. What is shown is what the page's model says
// (the other tests hold that against commands); what is saved the program's own commands read.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { barsOf } from '../../src/explorer/lanes.js';
import { type ChartRow, type Model, objectText, traceOf } from '../../src/explorer/model.js';
import { statisticsOf } from '../../src/explorer/statistics.js';
import type { Choice } from '../../src/explorer/visibility.js';
import { BROWSER, type Opened, openBrowser, type TestBrowser } from '../kit/browser.js';
import { kubeseq } from '../kit/command.js';
import { parseMermaid } from '../kit/mermaid.js';
import { drawnSeqs, type Line, linesOf, seqsOf, shownRows, unfoldAll, writtenPage } from '../kit/shown-page.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-journey-'));
const INPUT = [
  ...['control-plane', 'node-1'].map((name) => `fixtures/deployment-tls/${name}.pcap.gz`),
  ...['--keylog', 'fixtures/deployment-tls/keys.log.gz'],
];
const FOLLOWED = [...INPUT, '--follow', 'deployment/web'];

describe.skipIf(BROWSER === undefined)('a reader of a page', () => {
  const file = join(FOLDER, 'deployment.html');
  const url = pathToFileURL(file).href;
  let browser: TestBrowser;
  let opened: Opened;
  let page: Page;
  let model: Model;
  let lines: Line[];
  /** kubectl creates the Deployment. */
  let creation: Line;

  beforeAll(async () => {
    const written = writtenPage([...FOLLOWED, '--path']);
    ({ model } = written);
    writeFileSync(file, written.html);
    lines = linesOf(['--bodies', ...INPUT]);
    creation = lines.find(
      ({ verb, resource, from }) => verb === 'create' && resource === 'deployments' && from === 'kubectl',
    ) as Line;
    browser = await openBrowser();
    opened = await browser.open(url);
    ({ page } = opened);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(FOLDER, { recursive: true, force: true });
  });

  const shownSeqs = (): Promise<number[]> =>
    page.evaluate(`[...document.querySelectorAll('.row:not([hidden])')].map((row) => Number(row.dataset.seq))`);
  const expectShown = async (change?: (choice: Choice) => void): Promise<void> =>
    expect(await shownSeqs()).toEqual(seqsOf(shownRows(model, change)));
  const row = (seq: number) => page.locator(`[data-seq="${seq}"] button`);
  const panel = () => page.locator('#panel');
  const titles = () => panel().locator('h3').allTextContents();
  const hash = (): Promise<string> => page.evaluate('decodeURIComponent(location.hash)');
  const focused = (): Promise<number> => page.evaluate('Number(document.activeElement.parentElement.dataset.seq)');
  const tool = (name: string) => page.locator('#tools').getByText(name, { exact: true });
  const reset = () => page.getByRole('button', { name: 'Reset', exact: true }).click();
  const menu = (title: string) => page.locator('details.menu', { has: page.locator('summary', { hasText: title }) });
  const openMenu = (title: string) => menu(title).locator('summary').click();
  const choose = async (title: string, option: string): Promise<void> => {
    await openMenu(title);
    await menu(title).locator('label', { hasText: option }).first().click();
    await page.keyboard.press('Escape');
  };
  const goTo = async (seq: number): Promise<void> => {
    await page.evaluate(`location.hash = 'm${seq}'`);
    await expect.poll(() => panel().locator('h2').textContent()).toBe(lines[seq - 1].label);
  };
  const jumps = async (title: string): Promise<number[]> => {
    const texts = await panel().locator('section', { hasText: title }).locator('.jump').allTextContents();
    return texts.map((text) => Number(/^message (\d+) /.exec(text)?.[1]));
  };
  const wordOf = (word: string): number => model.view.words.indexOf(word);
  const rowOf = (seq: number): ChartRow => model.rowOf(seq) as ChartRow;

  /** Each begins with the page as it opened, without the details. */
  beforeEach(async () => {
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    await reset();
  });

  it('sees the diagram at first, each arrow between the lanes of its ends, its bars and its notes', async () => {
    await expectShown();
    expect(await shownSeqs()).toEqual(drawnSeqs([...FOLLOWED, '--path']));
    const made = await page.evaluate(
      `[...document.querySelectorAll('[data-seq]')].map((row) => Number(row.dataset.seq))`,
    );
    expect(made).toEqual(seqsOf(lines));
    const shown = shownRows(model);
    expect(await page.locator('#status').textContent()).toMatch(`${shown.length} of ${lines.length} messages, `);
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
    expect(barsOf(model, shown).length).toBeGreaterThan(10);
    await expect.poll(() => page.locator('#overlay .bar').count()).toBeGreaterThan(3);
  });

  it('has the critical path beside it, whose steps lead to their messages', async () => {
    const { path } = model.view;
    await tool('Path').click();
    const steps = panel().locator('.step');
    const texts = await steps.allTextContents();
    expect(texts).toHaveLength(path.length);
    path.forEach(({ seq, took, what = '' }, i) => {
      for (const part of [took ?? 'begins', what, `message ${seq}`]) expect(texts[i]).toContain(part);
    });
    const widths = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.step .share')].map((one) => one.getBoundingClientRect().width)`,
    );
    const shares = path.map(({ share = 0 }) => share);
    expect(widths.indexOf(Math.max(...widths))).toBe(shares.indexOf(Math.max(...shares)));
    await steps.nth(5).click();
    expect(await hash()).toBe(`#m${path[5].seq}`);
    expect(await panel().locator('h2').textContent()).toBe(lines[path[5].seq - 1].label);
  });

  it('opens an arrow: head, body, frames, filters, commands; Escape closes it', async () => {
    await row(creation.seq).click();
    const text = (await panel().textContent()) ?? '';
    expect(await panel().locator('h2').textContent()).toBe(creation.label);
    const headers = creation['headers'] as [string, string][];
    expect(headers.length).toBeGreaterThan(3);
    for (const [name, value] of headers) expect(text).toContain(`${name}${value}`);
    const frames = /^frame\.number >= (\d+) && frame\.number <= (\d+) && ip\.addr/;
    const filter = (await panel().locator('.filter code').first().textContent()) ?? '';
    expect(frames.exec(filter)?.slice(1).map(Number)).toEqual(creation['frames']);
    expect(JSON.parse((await panel().locator('pre').first().textContent()) ?? '')).toEqual(creation.body);
    const commands = panel().locator('details.command');
    expect(await commands.locator('summary').allTextContents()).toEqual(['kubectl', 'curl']);
    expect(await commands.first().locator('pre').textContent()).toContain('kubectl create --raw ');
    expect(await commands.last().locator('pre').textContent()).toContain(
      "curl -X POST 'https://192.0.2.10:6443/apis/apps",
    );
    expect(await hash()).toBe(`#m${creation.seq}`);
    await page.keyboard.press('Escape');
    expect(await panel().isVisible()).toBe(false);
  });

  it('points at an arrow, and sees what led to it and what came of it, and which of that is not certain', async () => {
    const shown = new Set(shownRows(model));
    const isMixed = (one: ChartRow): boolean => {
      const { causes, effects, uncertain } = traceOf(model, one);
      const seen = effects.filter((effect) => shown.has(effect));
      return (
        causes.length > 0 &&
        seen.some((effect) => uncertain.has(effect)) &&
        seen.some((effect) => !uncertain.has(effect))
      );
    };
    const start = [...shown].find(isMixed) as ChartRow;
    const { causes, effects, uncertain } = traceOf(model, start);
    await row(start.seq).hover();
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
    await goTo(several.seq);
    // The nearest ones; its fold has all.
    expect(await jumps('Perhaps because of')).toEqual(seqsOf(traceOf(model, rowOf(several.seq)).causes).slice(0, 4));
    expect(await jumps('Other possible causes')).toEqual(several.cause?.others);
    await panel().locator('section', { hasText: 'Other possible causes' }).locator('.jump').first().click();
    expect(await hash()).toMatch(`#m${several.cause?.others?.[0]}`);
    await goTo(creation.seq);
    const { effects, uncertain } = traceOf(model, rowOf(creation.seq));
    expect(await titles()).toContain('Cause: a person sent it');
    expect(await titles()).toContain(`Led to ${effects.length} messages, ${uncertain.size} of them perhaps`);
  });

  it('filters by what the menus and the details name', async () => {
    await choose('Verbs', 'patch');
    await expectShown(({ verbs }) => verbs.add(wordOf('patch')));
    await reset();
    const scheduler = model.view.participants.findIndex(({ name }) => name === 'kube-scheduler');
    await page.locator(`#heads [data-p="${scheduler}"] button`).click();
    expect(await panel().textContent()).toContain('How it was recognised');
    await panel().getByText('Show only its messages').click();
    await expectShown(({ participants }) => participants.add(scheduler));
    expect(await page.locator('#heads [data-p]:visible').allTextContents()).toEqual([
      'kube-apiserver',
      'kube-scheduler',
    ]);
    await page.keyboard.press('Escape');
    await reset();
    const object = rowOf(creation.seq).about;
    const name = objectText(model.view.objects[object]);
    const story = ({ objects }: Choice): unknown => objects.add(object);
    await row(creation.seq).click();
    await panel().locator('.object', { hasText: name }).click();
    await expectShown(story);
    expect(await hash()).toBe(`#m${creation.seq}&object=${name.replace(' ', '+')}`);
    await panel().locator('.namespace').first().click();
    await expectShown(({ namespaces }) => namespaces.add(model.namespaces.indexOf('default')));
    await page.keyboard.press('Escape');
    await reset();
    await row(creation.seq).focus();
    await page.keyboard.press('o');
    await expectShown(story);
    await reset();
    await openMenu('Objects');
    await menu('Objects').locator('input[type="search"]').fill(name.slice(0, -1));
    await menu('Objects')
      .locator('label', { hasText: new RegExp(`^${name}\\d+$`) })
      .click();
    await page.keyboard.press('Escape');
    await expectShown(story);
    await reset();
    await page.getByRole('button', { name: 'Problems', exact: true }).click();
    await expectShown((choice) => {
      choice.problems = true;
    });
    await reset();
    await expectShown();
  });

  it('finds text in bodies', async () => {
    const { uid } = lines
      .map(({ body }) => (body as { metadata?: { uid?: string } } | undefined)?.metadata ?? {})
      .find(({ uid }) => uid !== undefined) as { uid: string };
    const found = new Set(model.rows.filter(({ seq }) => JSON.stringify(lines[seq - 1]).includes(uid)));
    const status = await page.locator('#status').textContent();
    await page.locator('#search').fill(uid.toUpperCase());
    await expect.poll(() => page.locator('#status').textContent()).not.toBe(status);
    await expectShown((choice) => {
      choice.found = found;
    });
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('#status').textContent()).toBe(status);
  });

  it('unfolds what is folded: before an arrow, by reason, in other layers, all of it; and folds it again', async () => {
    const before = await shownSeqs();
    const more = page.locator('.row:not([hidden]) time[data-more]').first();
    const count = Number((await more.getAttribute('data-more'))?.slice(1));
    expect(count).toBeGreaterThan(0);
    await more.click({ position: { x: 12, y: 8 } });
    expect(await shownSeqs()).toHaveLength(before.length + count);
    await reset();
    await choose('Unfold', 'bookmarks');
    await expectShown(({ unfolded }) => unfolded.add(model.view.folds.indexOf('bookmarks')));
    await reset();
    await choose('Layers', 'etcd');
    await expectShown(({ layers }) => layers.add(model.view.layers.findIndex(({ name }) => name === 'etcd')));
    await reset();
    await page.locator('#chart').focus();
    await page.keyboard.press('u');
    const all = (choice: Choice): void => unfoldAll(model, choice);
    await expectShown(all);
    await page.evaluate('document.getElementById("chart").scrollTop = document.getElementById("chart").scrollHeight');
    const last = shownRows(model, all).at(-1) as ChartRow;
    await expect.poll(async () => (await row(last.seq).boundingBox())?.y).toBeLessThan(1000);
    await page.locator('#chart').focus();
    await page.keyboard.press('u');
    expect(await shownSeqs()).toEqual(before);
  });

  it('goes by keyboard alone', async () => {
    const [first, , third] = await shownSeqs();
    const effect = shownRows(model).find(({ causedBy }) => seqsOf(shownRows(model)).includes(causedBy)) as ChartRow;
    await page.locator('#chart').focus();
    for (const [keys, seq] of [
      ['Home', first],
      ['j ArrowDown', third],
      ['k k', first],
      ['End', (await shownSeqs()).at(-1)],
    ] as const) {
      for (const key of keys.split(' ')) await page.keyboard.press(key);
      expect([keys, await focused()]).toEqual([keys, seq]);
    }
    await row(creation.seq).focus();
    await page.keyboard.press('r');
    expect([lines[(await focused()) - 1].kind, lines[(await focused()) - 1].exchange]).toEqual([
      'response',
      creation.exchange,
    ]);
    await page.keyboard.press('Enter');
    expect(await panel().isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await row(effect.seq).focus();
    await page.keyboard.press('c');
    expect(await focused()).toBe(effect.causedBy);
    await page.keyboard.press('e');
    expect(await focused()).toBe(model.effectsOf(rowOf(effect.causedBy))[0].seq);
    await reset();
    // A button that was clicked has the focus: the keys mean the same.
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    await page.keyboard.press('Escape');
    await page.locator('#chart').focus();
    await page.keyboard.press('?');
    expect(await page.locator('#help').isVisible()).toBe(true);
    await page.locator('#help').getByRole('button').click();
    expect(await page.locator('#help').isVisible()).toBe(false);
  });

  it('counts requests, and goes from a number to what it counts, from a time to its answer', async () => {
    await tool('Statistics').click();
    const { total, clients, servers } = statisticsOf(model, shownRows(model));
    const tables = await page.evaluate<string[][][]>(`[...document.querySelectorAll('#panel table')].map((table) =>
      [...table.rows].slice(1).map((row) => [...row.cells].map((cell) => cell.textContent)))`);
    const countsOf = ({ requests, errors, unanswered }: typeof total): string[] =>
      [requests, errors, unanswered].map(({ length }) => (length === 0 ? '' : String(length)));
    expect(tables.map((rows) => rows.map((cells) => cells.slice(1, 4)))).toEqual([
      [...clients, total].map(countsOf),
      servers.map(countsOf),
    ]);
    const cells = panel().locator('table').first().locator('tr', { hasText: 'all' }).locator('td');
    await cells.nth(4).locator('button').click();
    expect(await hash()).toBe(`#m${total.p99?.seq}`);
    await tool('Statistics').click();
    await cells.first().locator('button').click();
    expect(await panel().locator('h2').textContent()).toBe('requests: all');
    const listed = await panel().locator('> ul .jump').allTextContents();
    expect(listed.map((text) => Number(/^message (\d+)/.exec(text)?.[1]))).toEqual(seqsOf(total.requests));
    await page.keyboard.press('Escape');
  });

  it('goes to a chapter, and zooms into a part of the time: by chapter, overview, numbers', async () => {
    const { chapters } = model.view;
    const times = chapters.map(([seq]) => rowOf(seq).micros);
    await openMenu('Chapters');
    const entries = menu('Chapters').locator('.chapter');
    expect(
      (await entries.locator('button:first-child').allTextContents()).map((text) => text.replace(/^[\d.]+ \S+ /, '')),
    ).toEqual(chapters.map(([, title]) => title));
    await entries.nth(1).locator('button').first().click();
    expect(await focused()).toBe(chapters[1][0]);
    await reset();
    await openMenu('Chapters');
    await entries.nth(1).getByText('only').click();
    await expectShown((choice) => {
      choice.time = { from: times[1], to: times[2] - 1 };
    });
    await menu('Chapters').getByText('All of it').click();
    await page.keyboard.press('Escape');
    await expectShown();
    const { x, y, width } = (await page.locator('#strip').boundingBox()) as { x: number; y: number; width: number };
    await page.mouse.move(x + width * 0.4, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.6, y + 10, { steps: 4 });
    await page.mouse.up();
    const [, from, to] = (/^#from=([\d.]+)&to=([\d.]+)$/.exec(await hash()) ?? []).map(Number);
    const whole = (model.rows.at(-1) as ChartRow).micros / 1e6;
    expect(Math.abs(from - 0.4 * whole) + Math.abs(to - 0.6 * whole)).toBeLessThan(0.02 * whole);
    await expectShown((choice) => {
      choice.time = { from: from * 1e6, to: to * 1e6 };
    });
    await openMenu('Chapters');
    const inputs = menu('Chapters').locator('input');
    expect(await inputs.first().inputValue()).toBe(String(from));
    await inputs.first().fill('0');
    await inputs.last().fill('11');
    await inputs.last().press('Tab');
    await expectShown((choice) => {
      choice.time = { from: 0, to: 11e6 };
    });
  });

  it('chooses a story, and what went wrong, from the list at the side', async () => {
    const entries = page.locator('#stories [data-story]');
    for (const i of [1, 0]) {
      await entries.nth(i).click();
      await expectShown(({ stories }) => stories.add(i));
      expect(await page.locator('#stories [aria-pressed="true"]').getAttribute('data-story')).toBe(String(i));
      expect(await hash()).toBe(`#story=${model.view.stories[i][0]}`);
    }
    await entries.first().click();
    await expectShown();
    const [wrong] = await page.locator('#stories [data-message]').all();
    await wrong.click();
    const problem = Number(await wrong.getAttribute('data-message'));
    expect(await panel().locator('h2').textContent()).toBe(lines[problem - 1].label);
    expect(await panel().locator('.warning').textContent()).toMatch('Refused: 403 (Forbidden)');
    await page.keyboard.press('Escape');
    await reset();
    await tool('Stories').click();
    expect(await page.locator('#stories').isVisible()).toBe(false);
    await tool('Stories').click();
    expect(await page.locator('#stories').isVisible()).toBe(true);
  });

  it('shares the address, which opens the same view, also with a message that is folded', async () => {
    await choose('Verbs', 'patch');
    await page.locator('#search').fill('web');
    await expect.poll(hash).toBe('#verb=patch&find=web');
    await expect.poll(async () => (await shownSeqs()).length).toBeLessThan(shownRows(model).length);
    const seqs = await shownSeqs();
    await row(seqs[1]).click();
    const address: string = await page.evaluate('location.href');
    const own = page;
    const other = await browser.open(address);
    ({ page } = other);
    await expect.poll(shownSeqs).toEqual(seqs);
    expect(await panel().locator('h2').textContent()).toBe(lines[seqs[1] - 1].label);
    expect(await page.evaluate('location.href')).toBe(address);
    expect(await page.locator('#search').inputValue()).toBe('web');
    // Another address in the same page replaces the view, and nothing of it becomes markup.
    await page.evaluate(`location.hash = 'verb=%3Cimg+src%3Dx%3E&find=%3Cb%3E'`);
    await expect.poll(() => page.locator('#search').inputValue()).toBe('<b>');
    expect(await page.locator('b b, img').count()).toBe(0);
    const folded = lines.find(({ type }) => type === 'BOOKMARK') as Line;
    await goTo(folded.seq);
    expect(await shownSeqs()).toContain(folded.seq);
    expect(other.complaints).toEqual([]);
    await page.close();
    page = own;
    for (let i = 0; i < 2; i++) await page.keyboard.press('Escape');
    await reset();
    expect(await hash()).toBe('');
  });

  describe('saves', () => {
    const saved = async (name: string): Promise<{ readonly path: string; readonly bytes: Buffer }> => {
      await openMenu('Export');
      const download = page.waitForEvent('download');
      await page.getByText(name, { exact: true }).click();
      await page.keyboard.press('Escape');
      const done = await download;
      expect(done.suggestedFilename()).toBe(`kubeseq.${name.split('.')[1]}`);
      const path = join(FOLDER, name);
      await done.saveAs(path);
      return { path, bytes: readFileSync(path) };
    };

    it('mermaid text, which mermaid parses, and which is an expectation that the capture meets', async () => {
      const { path, bytes } = await saved('diagram.mmd');
      expect((await parseMermaid(bytes.toString('utf8'))).messages.length).toBeGreaterThanOrEqual(
        shownRows(model).length,
      );
      expect(kubeseq(['check', path, '-q', ...INPUT]).status).toBe(0);
    });

    it('the messages that are shown, as `messages` prints them, which every command reads', async () => {
      const { path, bytes } = await saved('messages.ndjson');
      const own = bytes.toString('utf8').trim().split('\n');
      expect(own.map((line) => JSON.parse(line) as unknown)).toEqual(shownRows(model).map(({ seq }) => lines[seq - 1]));
      expect(kubeseq(['diagram', '-q', '--no-overview', path]).status).toBe(0);
    });

    it('a picture as SVG, with title, arrows, notes and pauses, and without an address', async () => {
      const { path, bytes } = await saved('picture.svg');
      // Where it is no well-formed XML, it has no texts.
      const picture = await browser.open(pathToFileURL(path).href, { until: 'load' });
      const texts = await picture.page.evaluate<string[]>(
        `[...document.querySelectorAll('text')].map(({ textContent }) => textContent)`,
      );
      expect(picture.complaints).toEqual([]);
      await picture.page.close();
      const [title, status] = await page.locator('#headline h1, #status').allTextContents();
      expect(texts[texts.indexOf(title) + 1]).toBe(status);
      expect(texts.flatMap((text) => /^(?:\+\d+ +)?#(\d+) {2}/.exec(text)?.[1] ?? []).map(Number)).toEqual(
        await shownSeqs(),
      );
      const words = texts.join('').replaceAll(/\s/g, '');
      for (const text of await page.locator('.row:not([hidden]) :is(b, .note)').allTextContents())
        expect(words).toContain(text.replaceAll(/\s/g, ''));
      const pauses = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.row[data-gap]:not([hidden])')].map((row) => row.dataset.gap)`,
      );
      expect(pauses).not.toEqual([]);
      expect(texts.filter((text) => /^[\d.]+ (s|min)$/.test(text))).toEqual(pauses);
      const svg = bytes.toString('utf8').replace('xmlns="http://www.w3.org/2000/svg"', '');
      expect(svg).not.toMatch(/href|src=|url\(|<script/);
    });

    it('a picture', async () => {
      const { bytes } = await saved('picture.png');
      expect(bytes.subarray(1, 4).toString()).toBe('PNG');
      expect(bytes.readUInt32BE(16)).toBeGreaterThan(1000);
      expect(bytes.readUInt32BE(20)).toBeGreaterThan(30 * shownRows(model).length);
      expect(bytes.length).toBeGreaterThan(50_000);
    });
  });

  it('meets no errors, and has loaded nothing', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.requests.filter((one) => !one.startsWith('blob:'))).toEqual([url]);
  });
});
