// A real browser for tests of pages: Debian's chromium, where this machine has it.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Page } from 'playwright-core';

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

export interface HowToOpen {
  /** `list`: the rows can be used; `all`, the default: every row has its element and all data are inflated; `load`: as it is written. */
  readonly until?: 'load' | 'list' | 'all';
  /** JavaScript that runs before the page's own. */
  readonly before?: string;
}

export interface TestBrowser {
  open(url: string, how?: HowToOpen): Promise<Opened>;
  /** In a browser that runs no scripts. */
  openWithoutScripts(url: string): Promise<Page>;
  close(): Promise<void>;
}

/** One browser for a test file, with a profile of its own. */
export async function openBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: BROWSER,
    headless: true,
    args: [...FLAGS, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
  return {
    async openWithoutScripts(url) {
      const plain = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1600, height: 1000 } });
      const page = await plain.newPage();
      await page.goto(url);
      return page;
    },
    async open(url, { until = 'all', before } = {}) {
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
      if (before !== undefined) await page.addInitScript(before);
      await page.goto(url);
      if (until !== 'load') await page.locator(`html[data-ready${until === 'all' ? '="all"' : ''}]`).waitFor();
      return { page, complaints, requests };
    },
    close: () => browser.close(),
  };
}

/**
 * What axe finds serious or critical, each as `rule: element`.
 * @param context what is looked at, as axe takes it.
 * @param rules null: all. What is dark differs in its colours, and in nothing else: `COLOUR_RULES`.
 */
export async function seriousFaults(
  page: Page,
  context = 'document',
  rules: readonly string[] | null = null,
): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(AXE);
  // Nobody asks for what is right, nor where it stands: to find that out takes most of the time.
  const options = { resultTypes: ['violations'], selectors: false, ...(rules === null ? {} : { runOnly: rules }) };
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>(`axe.run(${context}, ${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
}
/** Takes rows away that are hidden: to axe they are nothing, but it walks over thousands of them. For a page that is closed after it. */
export async function dropHiddenRows(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('.row[hidden]').forEach((row) => row.remove())`);
}

/** Tries everything that a page could do to reach somebody, or to run what is no part of it. @returns which rules of its policy refused that. */
export function refusals(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(async () => {
    const refused = new Set();
    addEventListener('securitypolicyviolation', ({ effectiveDirective }) => refused.add(effectiveDirective));
    await fetch('https://kubeseq.test/').catch(() => {});
    navigator.sendBeacon('https://kubeseq.test/', 'x');
    const add = (name, set) => {
      const made = document.createElement(name);
      try { set(made); } catch {}
      document.body.append(made);
      made.remove();
    };
    add('img', (one) => { one.src = 'https://kubeseq.test/x.png'; });
    add('iframe', (one) => { one.src = 'https://kubeseq.test/'; });
    add('style', (one) => { one.textContent = 'b{}'; });
    add('div', (one) => { one.innerHTML = '<b>markup</b>'; });
    try { new WebSocket('wss://kubeseq.test/'); } catch {}
    await new Promise((resolve) => setTimeout(resolve, 300));
    return [...refused].sort();
  })()`);
}

export const COLOUR_RULES: readonly string[] = ['color-contrast', 'link-in-text-block'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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
