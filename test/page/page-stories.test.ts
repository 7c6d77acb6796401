// The list at the page's side, in a real browser: its stories are those of the overview and `--follow` draws each, its problems are those
// of `summary`, and each leads to messages. Numbers are those of `messages` and `summary`.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER, COLOUR_RULES, dropHiddenRows, type Opened, openBrowser, seriousFaults } from '../kit/browser.js';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { viewIn } from '../kit/page-data.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-page-stories-'));
const KEYS = join(FOLDER, 'keys.log');
writeFileSync(KEYS, fixture('trouble-tls/keys.log'));
const INPUT = ['fixtures/trouble-tls/capture.pcap.gz', '--keylog', KEYS];

interface Line {
  readonly seq: number;
  readonly kind: string;
  readonly label: string;
  readonly from: string;
  readonly causedBy?: number;
}

interface Summary {
  readonly problems: readonly { kind: string; what: string; count: number; message?: number; frame?: number }[];
  readonly objects: readonly { resource: string; namespace: string | null; name: string }[];
}

const shownSeqs = (page: Page): Promise<number[]> =>
  page.evaluate(`[...document.querySelectorAll('.row:not([hidden])')].map((row) => Number(row.dataset.seq))`);
const hash = (page: Page): Promise<string> => page.evaluate('decodeURIComponent(location.hash)');

describe.skipIf(BROWSER === undefined)('the list of the page of trouble-tls', () => {
  const file = join(FOLDER, 'trouble.html');
  expect(kubeseq(['diagram', '-q', ...INPUT, '-w', file])).toMatchObject({ status: 0, stderr: '' });
  const url = pathToFileURL(file).href;
  const lines = kubeseq(['messages', '-q', '-o', 'ndjson', ...INPUT])
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const summary = JSON.parse(kubeseq(['summary', '-q', '-o', 'json', ...INPUT]).stdout) as Summary;
  // What is usual at a start is no problem.
  const wrong = summary.problems.filter(({ kind }) => kind !== 'start-up');
  /** `configmaps/orphan: 11 arrows, 443 ms, 1 problem`, heaviest first. */
  const stories = [
    ...kubeseq(['diagram', '-q', '--overview', ...INPUT]).stdout.matchAll(
      /^ *%% --follow (\S+): ((\d+) arrows?, [\d.]+ \S+?)(, (\d+) problems?)?$/gm,
    ),
  ]
    .map(([, followed, measures, arrows, , problems = '0']) => ({
      followed,
      measures,
      arrows: Number(arrows),
      problems: Number(problems),
    }))
    .sort((a, b) => b.problems - a.problems || b.arrows - a.arrows);
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
  const entries = () => page.locator('#stories [data-story]');

  it('has every story with its object, kind, measures and problems, heaviest first', async () => {
    expect(stories.length).toBeGreaterThan(2);
    const listed = await entries().allTextContents();
    expect(listed).toEqual(
      stories.map(({ followed, measures, problems }) => {
        const [kind, name] = followed.split('/');
        const place = summary.objects.find((one) => one.resource === kind && one.name === name)?.namespace ?? null;
        const wrong = problems === 0 ? '' : `, ${problems} problem${problems === 1 ? '' : 's'}`;
        return `${name} ${kind}${place === null ? '' : ` in ${place}`} ${measures}${wrong}`;
      }),
    );
  });

  it('shows the arrows that `--follow` draws at a click, and everything again at the next', async () => {
    const before = await shownSeqs(page);
    for (const [i, { followed, arrows }] of stories.entries()) {
      await entries().nth(i).click();
      const drawn = JSON.parse(kubeseq(['diagram', '-q', '-o', 'json', '--follow', followed, ...INPUT]).stdout) as {
        messages: Line[];
      };
      const shown = await shownSeqs(page);
      expect(shown).toEqual(drawn.messages.map(({ seq }) => seq).sort((a, b) => a - b));
      expect(shown).toHaveLength(arrows);
      expect(await entries().nth(i).getAttribute('aria-pressed')).toBe('true');
      expect(await page.locator('#stories [aria-pressed="true"]').count()).toBe(1);
      expect(await hash(page)).toBe(`#story=${followed}`);
      expect(await page.locator('#status').textContent()).toBe(
        `${arrows} of ${lines.length} messages, ${lines.length - arrows} folded`,
      );
    }
    const other = await browser.open(`${url}#story=${stories[0].followed}`);
    expect(await shownSeqs(other.page)).toHaveLength(stories[0].arrows);
    await other.page.close();
    await entries().last().click();
    expect(await shownSeqs(page)).toEqual(before);
    expect(await hash(page)).toBe('');
  });

  it('lists the problems that `summary` counts, in its order, and each opens the first message that shows it', async () => {
    const items = page.locator('#stories > ol').first().locator('li').or(page.locator('#stories details li'));
    const texts = (await items.allTextContents()).map((text) => text.replace(/ frame \d+$/, ''));
    expect(texts).toHaveLength(wrong.length);
    for (const [i, { what, count }] of wrong.entries()) {
      const all = count === 1 ? what : `${what} (${count} times)`;
      const [head, tail = ''] = texts[i].split('…');
      expect(all.replace(/\s+/g, ' ').startsWith(head) && all.endsWith(tail)).toBe(true);
    }
    expect(await page.locator('#stories h2').first().textContent()).toBe(`Went wrong ${wrong.length}`);
    await page.locator('#stories summary').click();
    for (const [i, { message, frame }] of wrong.entries()) {
      if (message === undefined) {
        expect(await items.nth(i).textContent()).toMatch(`frame ${frame}`);
        continue;
      }
      await items.nth(i).locator('button').click();
      expect(await page.locator('#panel h2').textContent()).toBe(lines[message - 1].label);
      expect(await hash(page)).toMatch(new RegExp(`^#m${message}\\b`));
    }
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
  });

  it('has the messages of `messages`, and the objects of `summary`', () => {
    const { rows, objects } = viewIn(readFileSync(file, 'utf8'));
    expect(rows.map(([seq]) => seq)).toEqual(lines.map(({ seq }) => seq));
    const named = objects.filter(([, , name]) => name !== null).map((one) => one.slice(0, 3).join());
    const counted = new Set(summary.objects.map(({ resource, namespace, name }) => [resource, namespace, name].join()));
    expect(counted.size).toBeGreaterThan(100);
    expect(new Set(named)).toEqual(counted);
  });

  it('says why a message has no cause, in the words of `explain`', async () => {
    const { uncaused } = viewIn(readFileSync(file, 'utf8'));
    expect(uncaused.length).toBeGreaterThan(3);
    for (const [why, ...seqs] of uncaused)
      for (const seq of [seqs[0], seqs[seqs.length - 1]])
        expect(kubeseq(['explain', '-q', String(seq), ...INPUT]).stdout).toContain(`\ncause: none found: ${why}\n`);
    const [, ...byPeople] = uncaused.find(([why]) => why === 'a person sent it') ?? [''];
    const sent = lines.filter(({ kind, from }) => kind === 'request' && ['kubectl', 'curl'].includes(from));
    expect(byPeople).toEqual(sent.filter(({ causedBy }) => causedBy === undefined).map(({ seq }) => seq));
    await page.evaluate(`location.hash = 'm${byPeople[0]}'`);
    await expect.poll(() => page.locator('#panel .cause h3').textContent()).toBe('Cause: a person sent it');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
  });

  it('is taken away by its button, and covers the page where there is no room for it', async () => {
    const list = page.locator('#stories');
    const button = page.locator('#tools').getByText('Stories', { exact: true });
    await button.click();
    expect(await list.isVisible()).toBe(false);
    await button.click();
    expect(await list.isVisible()).toBe(true);
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await list.isVisible()).toBe(false);
    await button.click();
    expect(await list.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await list.isVisible()).toBe(false);
    await button.click();
    await page.locator('#chart').click({ position: { x: 380, y: 500 } });
    expect(await list.isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await button.click();
    await entries().first().click();
    expect(await list.isVisible()).toBe(false);
    expect(await shownSeqs(page)).toHaveLength(stories[0].arrows);
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await page.setViewportSize({ width: 1600, height: 1000 });
  });

  it.each([390, 1280, 1440, 1920])('axe finds nothing serious at %i pixels, with a story shown', async (width) => {
    const other = await browser.open(`${url}#story=${stories[0].followed}`);
    await other.page.setViewportSize({ width, height: 900 });
    await dropHiddenRows(other.page);
    // On a phone the details cover the list.
    if (width > 500) await other.page.locator('.row > button').first().click();
    const list = other.page.locator('#stories');
    if (!(await list.isVisible())) await other.page.locator('#tools').getByText('Stories', { exact: true }).click();
    await list.locator('summary').click();
    expect(await other.page.locator('#panel').isVisible()).toBe(width > 500);
    for (const [colorScheme, rules] of [
      ['light', null],
      ['dark', COLOUR_RULES],
    ] as const) {
      await other.page.emulateMedia({ colorScheme });
      expect([colorScheme, ...(await seriousFaults(other.page, 'document', rules))]).toEqual([colorScheme]);
    }
    await other.page.close();
  });
});
