// A real browser for tests of pages: Debian's chromium, where this machine has it.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of the browser; undefined where there is none: then tests are skipped and say so. */
export const BROWSER = [process.env['CHROMIUM'] ?? '', ...PATHS].find((path) => path !== '' && existsSync(path));

export interface Opened {
  readonly page: Page;
  /** Errors and warnings of the console, uncaught errors, broken rules of the policy. */
  readonly complaints: string[];
  /** Whatever the page asked for, itself included. */
  readonly requests: string[];
}

/** One browser for a test file. */
export async function openBrowser(): Promise<{ open: (url: string) => Promise<Opened>; close: () => Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath: BROWSER,
    headless: true,
    viewport: { width: 1600, height: 1000 },
    args: [...FLAGS, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  return {
    async open(url) {
      const page = await context.newPage();
      const complaints: string[] = [];
      const requests: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('dialog', (dialog) => {
        complaints.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('request', (request) => requests.push(request.url()));
      await page.addInitScript(WATCH);
      await page.goto(url);
      return { page, complaints, requests };
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** ms of each task of the page that took 50 ms or more, since the last time this was asked. */
export function longTasks(page: Page): Promise<number[]> {
  return page.evaluate('globalThis.takeLongTasks()');
}

const WATCH = `{
  let tasks = [];
  const note = (list) => tasks.push(...list.getEntries().map((entry) => entry.duration));
  const observer = new PerformanceObserver(note);
  observer.observe({ type: 'longtask', buffered: true });
  globalThis.takeLongTasks = () => {
    note({ getEntries: () => observer.takeRecords() });
    const taken = tasks;
    tasks = [];
    return taken;
  };
}`;
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
