// Menus and dialogs of the explorable page stay inside the window, however wide it is: in the HTML output and in the
// page that opens captures.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER, openBrowser, type TestBrowser } from '../kit/browser.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { fixture, fixturePath } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-page-menus-'));
const WIDTHS = [390, 1280, 1440, 1600, 1920];
const HEIGHT = 900;
/** px from the top of the window: the controls, the strip of time and the heads of the participants. */
const MAX_HEAD = 160;
/** px from the top of a phone's window to the bottom of the first arrow. */
const MAX_FIRST = 300;
const TITLES = ['Participants', 'Objects', 'Namespaces', 'Verbs', 'Resources', 'Layers', 'Unfold', 'Export'];

/** What stands where another thing stands, or outside of the window, and what leaves too little room for arrows. */
function misplaced(frame: Page | Frame): Promise<string[]> {
  return frame.evaluate<string[]>(`(() => {
    const faults = [];
    const boxOf = (one) => one.getBoundingClientRect();
    const apart = (elements) => {
      const shown = elements.filter((one) => one.offsetWidth > 0);
      shown.forEach((one, i) => {
        const a = boxOf(one);
        for (const other of shown.slice(i + 1)) {
          const b = boxOf(other);
          const isOver = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
          if (isOver) faults.push([one, other].map(({ id, textContent }) => id || textContent.slice(0, 20)).join(' over '));
        }
      });
    };
    apart([...document.querySelectorAll('#bar, #strip, #stories, #chart, #panel')]);
    apart([...document.querySelectorAll('#tools > *')]);
    apart([...document.querySelectorAll('#headline > *')]);
    apart([...document.querySelectorAll('#heads > [data-p]')]);
    for (const id of ['bar', 'strip', 'chart']) {
      const { left, right } = boxOf(document.getElementById(id));
      if (left < 0 || right > innerWidth) faults.push(id + ' leaves the window');
    }
    const { bottom } = boxOf(document.getElementById('heads'));
    if (bottom > ${MAX_HEAD}) faults.push('the head has ' + bottom + ' px');
    const first = boxOf(document.querySelector('.row:not([hidden]) > button')).bottom;
    if (innerWidth < 500 && first > ${MAX_FIRST}) faults.push('the first arrow is ' + first + ' px below');
    return faults;
  })()`);
}

/** Opens each menu and the help, and measures what came up. @returns names of all, and what is not inside the window. */
async function outside(frame: Page | Frame): Promise<{ seen: string[]; faults: string[] }> {
  const seen: string[] = [];
  const faults: string[] = [];
  const measure = async (name: string, selector: string): Promise<void> => {
    // A toggle event comes after the menu was drawn open.
    const box = await frame.evaluate<{ left: number; top: number; right: number; bottom: number }>(
      `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
        const { left, top, right, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
        done({ left, top, right: innerWidth - right, bottom: innerHeight - bottom });
      })))`,
    );
    seen.push(name);
    for (const [side, room] of Object.entries(box)) if (room < 0) faults.push(`${name}: ${side} ${Math.round(room)}`);
  };
  const menus = await frame.locator('details.menu').count();
  for (let i = 0; i < menus; i++) {
    const summary = frame.locator('details.menu > summary').nth(i);
    const [name] = ((await summary.textContent()) ?? '').split(' ');
    await summary.click();
    await measure(name, 'details.menu[open] > fieldset');
    await frame.locator('body').press('Escape');
  }
  if (!(await frame.locator('#stories').isVisible())) {
    await frame.locator('#tools').getByText('Stories', { exact: true }).click();
    await measure('Stories', '#stories');
    await frame.locator('body').press('Escape');
  }
  await frame.locator('#tools > button', { hasText: '?' }).click();
  await measure('Help', 'dialog[open]');
  await frame.locator('dialog[open] > button').click();
  return { seen, faults };
}

describe.skipIf(BROWSER === undefined)('menus stay inside the window, and nothing covers anything', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(FOLDER, { recursive: true });
  });

  it.each([
    ['autoscaled-tls', 'alone'],
    ['volumes-tls', 'with a message opened'],
  ])('of the HTML output of %s, %s', { timeout: 120_000 }, async (name, how) => {
    const keys = join(FOLDER, `${name}.keys`);
    writeFileSync(keys, fixture(`${name}/keys.log`), { mode: 0o600 });
    const file = join(FOLDER, `${name}.html`);
    const capture = `fixtures/${name}/control-plane.pcap.gz`;
    expect(kubeseq(['diagram', '-q', capture, '--keylog', keys, '-w', file])).toMatchObject({ status: 0 });
    const { page } = await browser.open(pathToFileURL(file).href, { until: 'list' });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      // On a phone the details cover the menus.
      const isOpened = how !== 'alone' && width > 500;
      if (isOpened) await page.locator('.row:not([hidden]) > button').nth(1).click();
      expect([width, ...(await misplaced(page))]).toEqual([width]);
      const { seen, faults } = await outside(page);
      expect(seen).toEqual(expect.arrayContaining([...TITLES, 'Help']));
      expect([width, ...faults]).toEqual([width]);
      // Escape closes a menu first, and leaves the details.
      expect(await page.locator('#panel').isVisible()).toBe(isOpened);
    }
  });

  it('and stay there when the window gets narrower', { timeout: 60_000 }, async () => {
    const file = join(FOLDER, 'narrower.html');
    kubeseq(['diagram', '-q', 'fixtures/run-nginx-http1/capture.pcap.gz', '-w', file]);
    const { page } = await browser.open(pathToFileURL(file).href, { until: 'list' });
    await page.setViewportSize({ width: 1920, height: HEIGHT });
    await page.locator('details.menu > summary', { hasText: 'Export' }).click();
    await page.setViewportSize({ width: 1280, height: HEIGHT });
    await expect
      .poll(() =>
        page.evaluate(`(() => {
          const { left, right } = document.querySelector('details[open] > fieldset').getBoundingClientRect();
          return left >= 0 && right <= innerWidth;
        })()`),
      )
      .toBe(true);
  });

  it('of the page that opens captures', { timeout: 180_000 }, async () => {
    execFileSync(process.execPath, [join(ROOT, 'scripts/build-page.js')], { stdio: 'ignore' });
    const { page } = await browser.open(pathToFileURL(join(ROOT, 'dist-page/index.html')).href, { until: 'load' });
    await page.locator('#start').waitFor();
    await page.setInputFiles('#chooser', [fixturePath('run-nginx-http1/capture.pcap.gz')]);
    await page.locator('#result:visible').waitFor({ timeout: 60_000 });
    const frame = (await (await page.locator('#frame').elementHandle())?.contentFrame()) as Frame;
    await frame.locator('html[data-ready]').waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      const { seen, faults } = await outside(frame);
      expect(seen).toContain('Objects');
      expect([width, ...faults]).toEqual([width]);
    }
  });
});
