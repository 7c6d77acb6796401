// Filters of the explorable page by object, namespace and address, latencies and statistics, in a real browser; held against the messages
// of the same capture and against `kubeseq top`.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER, dropHiddenRows, type Opened, openBrowser, seriousFaults } from '../kit/browser.js';
import { kubeseq } from '../kit/command.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-page-filters-'));
const CAPTURE = 'fixtures/run-nginx-http1/capture.pcap.gz';

interface Line {
  readonly seq: number;
  readonly kind: string;
  readonly exchange: number;
  readonly from: string;
  readonly to: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly verb?: string;
  readonly status?: number;
  readonly latencyMs?: number;
  readonly causedBy?: number;
  readonly object?: { readonly kind: string; readonly namespace: string | null; readonly name: string | null };
  readonly k8sEvent?: { readonly kind: string; readonly name: string };
}

function made(name: string, args: readonly string[]): string {
  const file = join(FOLDER, name);
  expect(kubeseq(['diagram', '-q', ...args, '-w', file])).toMatchObject({ status: 0, stderr: '' });
  return pathToFileURL(file).href;
}

interface TopRow {
  readonly requests: number;
  readonly errors: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number } | null;
}

/** Of `12 ms`. */
function millisecondsOf(text: string): number {
  const [, number, unit] = /^([\d.]+) (µs|ms|s)$/.exec(text) ?? [];
  return Number(number) * { µs: 1e-3, ms: 1, s: 1e3 }[unit as 'ms'];
}

const shownSeqs = (page: Page): Promise<number[]> =>
  page.evaluate(`[...document.querySelectorAll('.row:not([hidden])')].map((row) => Number(row.dataset.seq))`);
const hash = (page: Page): Promise<string> => page.evaluate('decodeURIComponent(location.hash)');
const menu = (page: Page, title: string) =>
  page.locator('details.menu', { has: page.locator('summary', { hasText: title }) });

describe.skipIf(BROWSER === undefined)('the page of run-nginx-http1', () => {
  const url = made('nginx.html', [CAPTURE]);
  const lines = kubeseq(['messages', '-q', '-o', 'ndjson', CAPTURE])
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const requests = new Map(lines.filter(({ kind }) => kind === 'request').map((line) => [line.exchange, line]));
  const requestOf = ({ exchange }: Line): Line | undefined => requests.get(exchange);
  const answerOf = ({ exchange }: Line): Line | undefined =>
    lines.find((line) => line.kind === 'response' && line.exchange === exchange);
  /** By the messages alone: its requests with their answers, the Events about it, and the watch events that triggered something. */
  const isAboutPod = (line: Line, name: string): boolean => {
    const halves = [requestOf(line), answerOf(line)];
    if (line.kind === 'event') {
      if (line.k8sEvent !== undefined) return line.k8sEvent.kind === 'Pod' && line.k8sEvent.name === name;
      return line.object?.kind === 'Pod' && line.object.name === name;
    }
    const k8sEvent = halves.find((half) => half?.k8sEvent !== undefined)?.k8sEvent;
    if (k8sEvent !== undefined) return k8sEvent.kind === 'Pod' && k8sEvent.name === name;
    return halves[0]?.resource === 'pods' && halves[0].name === name;
  };
  const drawn = JSON.parse(kubeseq(['diagram', '-q', '-o', 'json', CAPTURE]).stdout) as { messages: Line[] };
  const isDrawn = new Set(drawn.messages.map(({ seq }) => seq));
  const story = lines.filter(
    (line) =>
      isAboutPod(line, 'nginx') &&
      (line.kind !== 'event' || lines.some(({ causedBy }) => causedBy === line.seq) || isDrawn.has(line.seq)),
  );
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: Opened;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    opened = await browser.open(url);
    ({ page } = opened);
  }, 60_000);
  afterAll(async () => {
    expect(opened?.complaints).toEqual([]);
    await browser?.close();
    rmSync(FOLDER, { recursive: true, force: true });
  });

  it('an object is a link to the messages about it', async () => {
    const create = lines.find(({ verb, name }) => verb === 'create' && name === 'nginx') as Line;
    await page.locator(`[data-seq="${create.seq}"] button`).click();
    await page.locator('#panel .object', { hasText: 'pods default/nginx' }).click();
    expect(story.length).toBeGreaterThan(20);
    expect(await shownSeqs(page)).toEqual(story.map(({ seq }) => seq));
    expect(await hash(page)).toBe(`#m${create.seq}&object=pods+default/nginx`);
    const heads = await page.locator('#heads [data-p]:visible').allTextContents();
    const ends = new Set(story.flatMap(({ from, to }) => [from, to]));
    // Whoever has no arrow has no lane.
    expect(heads.length).toBeLessThanOrEqual(ends.size);
    await page.getByText('Reset').click();
  });

  it('its key does the same, and the menu finds objects by name', async () => {
    const binding = lines.find(
      ({ verb, name, resource }) => verb === 'create' && name === 'nginx' && resource === 'pods',
    );
    await page.locator(`[data-seq="${binding?.seq}"] button`).focus();
    await page.keyboard.press('o');
    expect(await shownSeqs(page)).toEqual(story.map(({ seq }) => seq));
    await page.getByText('Reset').click();
    await menu(page, 'Objects').locator('summary').click();
    await menu(page, 'Objects').locator('input[type="search"]').fill('pods default/ngi');
    await menu(page, 'Objects').locator('label').first().click();
    expect(await shownSeqs(page)).toEqual(story.map(({ seq }) => seq));
    await page.keyboard.press('Escape');
    await page.getByText('Reset').click();
  });

  it('filters by namespace', async () => {
    await menu(page, 'Namespaces').locator('summary').click();
    await menu(page, 'Namespaces').locator('label', { hasText: 'kube-system' }).click();
    await page.keyboard.press('Escape');
    await page.locator('#chart').focus();
    await page.keyboard.press('u');
    const namespaceOf = (line: Line): string | null | undefined => {
      const { kind, namespace, name } = line.object ?? {};
      if (line.kind !== 'event' || name == null) return requestOf(line)?.namespace;
      return kind === 'Namespace' ? name : namespace;
    };
    const seqs = await shownSeqs(page);
    expect(seqs.length).toBeGreaterThan(20);
    const own = lines.filter((line) => line.k8sEvent === undefined && namespaceOf(line) === 'kube-system');
    expect(seqs).toEqual(expect.arrayContaining(own.map(({ seq }) => seq)));
    for (const seq of seqs) {
      const line = lines[seq - 1];
      const about = line.k8sEvent ?? requestOf(line)?.k8sEvent ?? answerOf(line)?.k8sEvent;
      if (about === undefined) expect(namespaceOf(line)).toBe('kube-system');
    }
    await page.getByText('Reset').click();
  });

  it('has the latency at each answer', async () => {
    const texts = await page.evaluate<[number, string][]>(
      `[...document.querySelectorAll('.row em')].map((one) => [Number(one.closest('.row').dataset.seq), one.textContent])`,
    );
    const answers = lines.filter(({ latencyMs }) => latencyMs !== undefined);
    expect(texts.map(([seq]) => seq)).toEqual(answers.map(({ seq }) => seq));
    for (const [seq, text] of texts) {
      const { latencyMs = -1 } = lines[seq - 1];
      expect(Math.abs(millisecondsOf(text.trim()) - latencyMs)).toBeLessThanOrEqual(Math.max(0.001, latencyMs * 0.06));
    }
  });

  it('counts what is shown as `top` counts the capture', async () => {
    const top = JSON.parse(kubeseq(['top', '-q', '--by', 'client', '-o', 'json', CAPTURE]).stdout) as {
      readonly total: TopRow;
      readonly rows: readonly (TopRow & { readonly client: string })[];
    };
    await page.locator('#chart').focus();
    await page.keyboard.press('u');
    await page.getByText('Statistics').click();
    const [clients] = await page.evaluate<string[][][]>(`
      [...document.querySelectorAll('#panel table')].map((table) =>
        [...table.rows].slice(1).map((row) => [...row.cells].map((cell) => cell.textContent)))`);
    const all = clients.find(([name]) => name === 'all') as string[];
    const own = lines.filter(({ kind }) => kind === 'request');
    expect(Number(all[1])).toBe(own.length);
    const errors = lines.filter(({ kind, status = 0 }) => kind === 'response' && status >= 400);
    expect(Number(all[2])).toBe(errors.length);
    expect(Number(all[3])).toBe(own.filter((line) => answerOf(line) === undefined).length);
    let compared = 0;
    // The diagram has the controllers of the manager one by one.
    const rows = top.rows.filter(({ client }) => client !== 'kube-controller-manager');
    for (const { client, ...counts } of [...rows, { client: 'all', ...top.total }]) {
      const row = clients.find(([name]) => name === client);
      if (row === undefined) continue;
      compared += 1;
      expect([client, ...row.slice(1, 3).map(Number)]).toEqual([client, counts.requests, counts.errors]);
      // Percentiles of `top` are at most 2 % too high, those of the page are rounded to two digits.
      for (const [text, ms] of [
        [row[4], counts.latencyMs?.p50],
        [row[5], counts.latencyMs?.p99],
      ] as const)
        if (ms !== undefined) expect(Math.abs(millisecondsOf(text) - ms), client).toBeLessThanOrEqual(0.07 * ms);
    }
    expect(compared).toBeGreaterThan(2);
    // A number leads to what it counts, a time to the answer that took so long.
    const cells = page.locator('#panel table').first().locator('tr', { hasText: 'all' }).locator('td');
    await cells.nth(4).locator('button').click();
    const answer = lines[Number(/^#m(\d+)/.exec(await hash(page))?.[1]) - 1];
    expect(Math.abs((answer.latencyMs ?? 0) - millisecondsOf(all[5]))).toBeLessThanOrEqual(
      0.07 * millisecondsOf(all[5]),
    );
    await page.getByText('Statistics').click();
    await cells.nth(1).locator('button').click();
    expect(await page.locator('#panel h2').textContent()).toBe('errors: all');
    const jumps = await page.locator('#panel > ul .jump').allTextContents();
    const seqs = jumps.map((text) => Number(/^message (\d+)/.exec(text)?.[1]));
    expect(seqs).toEqual(errors.map(({ seq }) => seq));
    await page.locator('#panel .jump').first().click();
    expect(await hash(page)).toMatch(`#m${errors[0].seq}`);
    await page.keyboard.press('Escape');
    await page.getByText('Reset').click();
  });

  it('has its view in its address, which opens the same view', async () => {
    await menu(page, 'Verbs').locator('summary').click();
    await menu(page, 'Verbs').locator('label', { hasText: 'patch' }).click();
    await page.keyboard.press('Escape');
    await page.locator('#search').fill('nginx');
    await expect.poll(() => hash(page)).toBe('#verb=patch&find=nginx');
    await expect.poll(async () => (await shownSeqs(page)).length).toBeLessThan(20);
    const seqs = await shownSeqs(page);
    await page.locator(`[data-seq="${seqs[1]}"] button`).click();
    const address: string = await page.evaluate('location.href');
    const other = await browser.open(address);
    await expect.poll(() => shownSeqs(other.page)).toEqual(seqs);
    expect(await other.page.locator('#panel h2').count()).toBe(1);
    expect(await other.page.evaluate('location.href')).toBe(address);
    expect(await other.page.locator('#search').inputValue()).toBe('nginx');
    // Another address in the same page replaces the view.
    await other.page.evaluate(`location.hash = 'object=pods+default/nginx&layer=api'`);
    await expect.poll(() => shownSeqs(other.page)).toEqual(story.map(({ seq }) => seq));
    // Names that the page does not have are no filter, and nothing of an address becomes markup.
    await other.page.evaluate(`location.hash = 'verb=%3Cimg+src%3Dx%3E&find=%3Cb%3E&m=x&row=9e99'`);
    await expect.poll(() => other.page.locator('#search').inputValue()).toBe('<b>');
    expect(await other.page.locator('b b, img').count()).toBe(0);
    expect(other.complaints).toEqual([]);
    await other.page.close();
    await page.keyboard.press('Escape');
    await page.getByText('Reset').click();
    expect(await hash(page)).toBe('');
  });

  it('has details over the whole page on a phone, and axe finds nothing serious', async () => {
    const other = await browser.open(`${url}#m${story[0].seq}`);
    await other.page.setViewportSize({ width: 390, height: 844 });
    const box = await other.page.locator('#panel').boundingBox();
    expect([box?.x, box?.width]).toEqual([0, 390]);
    expect(await other.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await dropHiddenRows(other.page);
    const serious = (): Promise<string[]> => seriousFaults(other.page);
    expect(await serious()).toEqual([]);
    await other.page.keyboard.press('Escape');
    await menu(other.page, 'Objects').locator('summary').click();
    const field = await menu(other.page, 'Objects').locator('fieldset').boundingBox();
    expect((field?.x ?? -1) >= 0 && (field?.x ?? 0) + (field?.width ?? 0) <= 390).toBe(true);
    expect(await serious()).toEqual([]);
    await other.page.getByText('Statistics').click();
    expect(await serious()).toEqual([]);
    await other.page.close();
  });
});
