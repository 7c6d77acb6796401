// Time, chapters and exports of the explorable page, in a real browser; what it saves is read by the program's own commands.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrowTexts } from '../../src/expectation/syntax/diagram.js';
import { plainText } from '../../src/expectation/syntax/markup.js';
import { expectationsOf } from '../../src/index.js';
import { BROWSER, COLOUR_RULES, dropHiddenRows, type Opened, openBrowser, seriousFaults } from '../kit/browser.js';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { parseMermaid } from '../kit/mermaid.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-page-export-'));
const KEYS = join(FOLDER, 'keys.log');
writeFileSync(KEYS, fixture('deployment-tls/keys.log'));
const INPUT = ['control-plane', 'node-1'].map((name) => `fixtures/deployment-tls/${name}.pcap.gz`);
const ARGS = ['-q', ...INPUT, '--keylog', KEYS];

interface Line {
  readonly seq: number;
  readonly time: string;
  readonly kind: string;
  readonly verb?: string;
  readonly resource?: string;
  readonly from: string;
}

const shownSeqs = (page: Page): Promise<number[]> =>
  page.evaluate(`[...document.querySelectorAll('.row:not([hidden])')].map((row) => Number(row.dataset.seq))`);
const menu = (page: Page, title: string) =>
  page.locator('details.menu', { has: page.locator('summary', { hasText: title }) });

/** Arrows of mermaid text: `kubectl -> kube-apiserver: [REQ] GET …`. */
function arrowsOf(text: string): string[] {
  const [{ diagram }] = expectationsOf(text, false, '');
  const nameOf = (id: string): string => plainText(diagram.participants.get(id)?.name ?? '');
  return arrowTexts(diagram.body).map(({ from, to, label }) => `${nameOf(from)} -> ${nameOf(to)}: ${plainText(label)}`);
}

describe.skipIf(BROWSER === undefined)('the page of deployment-tls', () => {
  const file = join(FOLDER, 'deployment.html');
  expect(kubeseq(['diagram', ...ARGS, '-w', file])).toMatchObject({ status: 0, stderr: '' });
  const lines = kubeseq(['messages', '-o', 'ndjson', '--bodies', ...ARGS])
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const creation = lines.find(
    ({ verb, resource, from }) => verb === 'create' && resource === 'deployments' && from === 'kubectl',
  );
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: Opened;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    opened = await browser.open(pathToFileURL(file).href);
    ({ page } = opened);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(FOLDER, { recursive: true, force: true });
  });

  const saved = async (name: string): Promise<Buffer> => {
    await menu(page, 'Export').locator('summary').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByText(name, { exact: true }).click(),
    ]);
    await page.keyboard.press('Escape');
    expect(download.suggestedFilename()).toBe(`kubeseq.${name.split('.')[1]}`);
    return readFileSync(await download.path());
  };
  /** Seconds since the first message of the page, which is the zero of its times here. */
  const secondsOf = (seq: number): number =>
    (Date.parse(lines[seq - 1].time) - Date.parse(lines[0].time)) / 1000 + FIRST;
  const FIRST = 0.0;

  it('lists the chapters: the first write of each part of the story', async () => {
    await menu(page, 'Chapters').locator('summary').click();
    const names = await menu(page, 'Chapters').locator('.chapter button:first-child').allTextContents();
    // Its truth file: kubectl created, scaled, changed and deleted the Deployment and its Service.
    expect(names.map((name) => name.replace(/^[\d.]+ s /, ''))).toEqual([
      'create deployments/web',
      'create services/web',
      'patch deployments/web/scale',
      'patch deployments/web',
      'delete deployments/web',
      'delete services/web',
    ]);
    const scale = lines.find(
      ({ verb, from, kind, label }: Line & { label?: string }) =>
        kind === 'request' && verb === 'patch' && from === 'kubectl' && label?.includes('/scale') === true,
    ) as Line;
    await menu(page, 'Chapters').locator('.chapter button', { hasText: 'deployments/web/scale' }).click();
    expect(await page.evaluate('Number(document.activeElement.parentElement.dataset.seq)')).toBe(scale.seq);
    await menu(page, 'Chapters').locator('.chapter', { hasText: 'deployments/web/scale' }).getByText('only').click();
    const seqs = await shownSeqs(page);
    expect(seqs).toContain(scale.seq);
    const end = lines.find(
      (line) => line.seq > scale.seq && line.kind === 'request' && line.verb === 'patch' && line.from === 'kubectl',
    ) as Line;
    for (const seq of seqs) expect(seq < end.seq).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByText('Reset').click();
  });

  it('zooms into a part of the time by the overview, and by numbers', async () => {
    const all = await shownSeqs(page);
    const box = await page.locator('#strip').boundingBox();
    const [x, y, width] = [box?.x ?? 0, (box?.y ?? 0) + 10, box?.width ?? 0];
    await page.mouse.move(x + width * 0.4, y);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.6, y, { steps: 4 });
    await page.mouse.up();
    const total = secondsOf(lines.length);
    const seqs = await shownSeqs(page);
    expect(seqs.length).toBeGreaterThan(10);
    expect(seqs.length).toBeLessThan(all.length / 2);
    const hash: string = await page.evaluate('location.hash');
    const [, from, to] = /^#from=([\d.]+)&to=([\d.]+)$/.exec(hash) ?? [];
    expect(Math.abs(Number(to) - Number(from) - 0.2 * total)).toBeLessThan(0.01 * total);
    await menu(page, 'Chapters').locator('summary').click();
    const inputs = menu(page, 'Chapters').locator('input');
    expect(await inputs.first().inputValue()).toBe(from);
    await inputs.first().fill('0');
    await inputs.last().fill('1');
    await inputs.last().press('Tab');
    const first = await shownSeqs(page);
    expect(first).toEqual(all.filter((seq) => first.includes(seq)));
    expect(first.length).toBeGreaterThan(0);
    for (const seq of first) expect(secondsOf(seq)).toBeLessThan(1.1);
    await menu(page, 'Chapters').getByText('All of it').click();
    expect(await shownSeqs(page)).toEqual(all);
    await page.keyboard.press('Escape');
  });

  it('saves mermaid text with the arrows of the diagram, which is an expectation that the capture meets', async () => {
    const text = (await saved('diagram.mmd')).toString('utf8');
    await parseMermaid(text);
    const arrows = arrowsOf(text);
    expect(arrows).toEqual(arrowsOf(kubeseq(['diagram', '--no-overview', ...ARGS]).stdout));
    const expectation = join(FOLDER, 'saved.mmd');
    writeFileSync(expectation, text);
    expect(kubeseq(['check', expectation, ...ARGS]).status).toBe(0);
  });

  it('saves the messages that are shown, as `messages` prints them, for every command to read', async () => {
    const text = (await saved('messages.ndjson')).toString('utf8');
    const seqs = new Set(await shownSeqs(page));
    const own = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(own).toEqual(lines.filter(({ seq }) => seqs.has(seq)));
    const path = join(FOLDER, 'saved.ndjson');
    writeFileSync(path, text);
    expect(kubeseq(['diagram', '-q', '--no-overview', path]).status).toBe(0);
  });

  it('saves a picture as SVG: title, participants, arrows, notes, pauses, and no address', async () => {
    const svg = (await saved('picture.svg')).toString('utf8');
    const path = join(FOLDER, 'saved.svg');
    writeFileSync(path, svg);
    // Where it is no well-formed XML, it has no texts.
    const picture = await browser.open(pathToFileURL(path).href, { until: 'load' });
    const texts = await picture.page.evaluate<string[]>(
      `[...document.querySelectorAll('text')].map(({ textContent }) => textContent)`,
    );
    expect(picture.complaints).toEqual([]);
    await picture.page.close();
    expect(texts[texts.indexOf('control-plane.pcap.gz, node-1.pcap.gz') + 1]).toBe(
      await page.locator('#status').textContent(),
    );
    expect(texts).toContain(await page.locator('#missing').textContent());
    const seqs = await shownSeqs(page);
    expect(texts.flatMap((text) => /^(?:\+\d+ +)?#(\d+) {2}/.exec(text)?.[1] ?? []).map(Number)).toEqual(seqs);
    const words = texts.join(' ').replace(/\s+/g, ' ');
    const has = async (selector: string): Promise<string[]> => {
      const found = await page.evaluate<string[]>(
        `[...document.querySelectorAll('${selector}')].map(({ innerText }) => innerText)`,
      );
      return found.map((text) => text.replace(/\s+/g, ' ').trim());
    };
    for (const label of await has('.row:not([hidden]) b')) expect(words).toContain(label);
    const notes = await page.locator('.row:not([hidden]) .note').allTextContents();
    expect(notes.length).toBeGreaterThan(3);
    for (const note of notes) expect(words.replaceAll(' ', '')).toContain(note.replaceAll(/\s/g, ''));
    const pauses = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.row[data-gap]:not([hidden])')].map((row) => row.dataset.gap)`,
    );
    expect(pauses).not.toEqual([]);
    expect(texts.filter((text) => /^[\d.]+ (s|min)$/.test(text))).toEqual(pauses);
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/href|src=|url\(|<script/);
  });

  it('saves a picture', async () => {
    const png = await saved('picture.png');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
    expect(width).toBeGreaterThan(1000);
    expect(height).toBeGreaterThan((await shownSeqs(page)).length * 30);
    expect(png.length).toBeGreaterThan(50_000);
  });

  it('has a request as a command', async () => {
    await page.locator(`[data-seq="${creation?.seq}"] button`).click();
    const commands = page.locator('#panel details.command');
    expect(await commands.locator('summary').allTextContents()).toEqual(['kubectl', 'curl']);
    await commands.first().locator('summary').click();
    const text = (await commands.first().locator('pre').textContent()) ?? '';
    expect(text).toContain('kubectl create --raw ');
    expect(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).toEqual(
      (creation as unknown as { body: unknown }).body,
    );
    expect(await commands.last().locator('pre').textContent()).toContain(
      "curl -X POST 'https://192.0.2.10:6443/apis/apps/v1/",
    );
  });

  it.each([
    ['light', null],
    ['dark', COLOUR_RULES],
  ] as const)('axe finds nothing serious with its menus open: %s', async (scheme, rules) => {
    // A second of the same page: its menus are those of the whole.
    const other = await browser.open(`${pathToFileURL(file).href}#m${creation?.seq}&from=0&to=1`);
    await dropHiddenRows(other.page);
    expect(await other.page.locator('#panel details.command').count()).toBe(2);
    await other.page.emulateMedia({ colorScheme: scheme });
    for (const title of ['Chapters', 'Export']) {
      await menu(other.page, title).locator('summary').click();
      expect(await seriousFaults(other.page, `{ include: [['#bar'], ['#strip'], ['#panel']] }`, rules)).toEqual([]);
      await other.page.keyboard.press('Escape');
    }
    await other.page.close();
  });

  it('logged no errors and loaded nothing', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.requests.filter((url) => !url.startsWith('blob:'))).toEqual([pathToFileURL(file).href]);
  });
});
