// The page that opens captures, in a real browser: it makes there what the command writes (opened-files.test.ts tries the rest of that without
// a browser), asks for nothing once it is there, works with its server stopped, and can be used by everybody.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outside } from '../kit/boxes.js';
import {
  BROWSER,
  COLOUR_RULES,
  type Opened,
  openBrowser,
  refusals,
  seriousFaults,
  type TestBrowser,
} from '../kit/browser.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-open-page-'));
const EXAMPLE = fixturePath('run-nginx-http1/capture.pcap.gz');
const TLS = fixturePath('exec-logs-portforward-tls/capture.pcap.gz');
const KEYS = fixturePath('exec-logs-portforward-tls/keys.log.gz');

let browser: TestBrowser;
let opened: Opened;
let page: Page;

/** Opens files, as if a reader had chosen them, and waits for what comes of it. */
async function choose(...files: readonly string[]): Promise<void> {
  if (await page.locator('#result').isVisible()) await page.click('#other');
  await page.locator('#start').waitFor();
  await page.setInputFiles('#chooser', [...files]);
  await page.locator('#result:visible, #failure:visible').first().waitFor({ timeout: 60_000 });
}

async function saved(button: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  const path = join(FOLDER, `saved-${button.slice(1)}`);
  await download.saveAs(path);
  return readFileSync(path, 'utf8');
}

async function tab(name: string): Promise<string> {
  await page.click(`#tab-${name}`);
  const text = await page.locator('[role="tabpanel"]:visible pre').textContent();
  await page.click('#tab-explore');
  return text ?? '';
}

async function show(follow: string, namespace: string, path: boolean): Promise<void> {
  const before = await page.locator('#frame').getAttribute('src');
  await page.fill('#follow', follow);
  await page.fill('#namespace', namespace);
  await page.setChecked('#with-path', path);
  await page.click('#wanted [type="submit"]');
  // The page's policy forbids what Playwright waits with.
  await expect.poll(() => page.locator('#frame').getAttribute('src'), { timeout: 15_000 }).not.toBe(before);
}

describe.skipIf(BROWSER === undefined)('the page that opens captures', () => {
  let server: Server;

  beforeAll(async () => {
    execFileSync(process.execPath, [join(ROOT, 'scripts/build-page.js')], { stdio: 'ignore' });
    const html = readFileSync(join(ROOT, 'dist-page/index.html'));
    server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    browser = await openBrowser();
    opened = await browser.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { until: 'load' });
    ({ page } = opened);
    page.setDefaultTimeout(15_000);
    // From here on there is nobody to ask.
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }, 120_000);

  afterAll(async () => {
    const { requests, complaints } = opened;
    await browser.close();
    rmSync(FOLDER, { recursive: true });
    // Of everything that these tests did the page alone was requested; the rest is what it made itself.
    expect(requests.slice(1).filter((url) => !/^(?:blob|data):/.test(url))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('opens the example, and shows the page that the command writes', async () => {
    await page.click('#example');
    await page.frameLocator('#frame').locator('html[data-ready]').waitFor();
    const named = join(FOLDER, 'run-nginx.pcap.gz');
    writeFileSync(named, readFileSync(EXAMPLE));
    expect(await saved('#save-page')).toBe(kubeseq(['diagram', '-q', '-o', 'html', named]).stdout);
    expect(await saved('#save-messages')).toBe(kubeseq(['messages', '-q', '-o', 'ndjson', named]).stdout);
    expect(await tab('summary')).toBe(kubeseq(['summary', '-q', named]).stdout.replaceAll(named, 'run-nginx.pcap.gz'));
  });

  it('has the menus of that page inside its frame, however wide the window is', async () => {
    const frame = (await (await page.locator('#frame').elementHandle())?.contentFrame()) as Frame;
    for (const width of [390, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const { seen, faults } = await outside(frame);
      expect(seen).toContain('Objects');
      expect([width, ...faults]).toEqual([width]);
    }
  });

  it('follows an object, and shows where its time went', async () => {
    await show('pod/nginx', 'default', true);
    const args = ['-q', EXAMPLE, '--follow', 'pod/nginx', '--path'];
    expect(await tab('mermaid')).toBe(kubeseq(['diagram', ...args]).stdout);
    expect(await tab('path')).toBe(kubeseq(['path', 'pod/nginx', '-q', EXAMPLE]).stdout);
    await show('pod/nobody', '', false);
    expect(await page.locator('#remarks').textContent()).toContain('Nothing is about pod/nobody');
    await page.fill('#follow', 'nothing at all');
    await page.click('#wanted [type="submit"]');
    await page.locator('#failure:visible').waitFor();
    expect(await page.locator('#failure').textContent()).toContain('KIND/NAME');
  });

  it('says what it cannot read, and what is missing', async () => {
    const text = join(FOLDER, 'notes.txt');
    writeFileSync(text, 'nothing of interest');
    await choose(text);
    await page.locator('#start').waitFor();
    expect(await page.locator('#failure').textContent()).toContain('notes.txt is no file that kubeseq reads');
    await choose(TLS);
    expect(await page.locator('#remarks').textContent()).toMatch(/Not read: .* choose the key log of the same run/s);
  });

  it('can be cancelled, and used by everybody: axe finds nothing serious, light and dark, on a phone', async () => {
    const everywhere = async (): Promise<void> => {
      for (const [width, colorScheme, rules] of [
        [1280, 'light', null],
        [1280, 'dark', COLOUR_RULES],
        [390, 'light', null],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });
        const faults = await seriousFaults(page, `{ exclude: ['#frame'] }`, rules);
        expect([width, colorScheme, ...faults]).toEqual([width, colorScheme]);
        // Nothing stands out at the side.
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
    };
    if (await page.locator('#result').isVisible()) await page.click('#other');
    await page.setInputFiles('#chooser', fixturePath('running-cluster-tls/capture.pcap.gz'));
    await page.evaluate(`document.getElementById('cancel').click()`);
    await page.locator('#start').waitFor();
    await everywhere();
    await page.click('#example');
    await page.locator('#result').waitFor();
    expect(await page.locator('#title').textContent()).toBe('run-nginx.pcap.gz');
    for (const name of ['mermaid', 'summary', 'path', 'explore']) {
      await page.click(`#tab-${name}`);
      if (name === 'summary' || name === 'path') expect(await seriousFaults(page, `'#result'`)).toEqual([]);
      else await everywhere();
    }
  });

  it('shows what is chosen while it draws something else', async () => {
    await page.fill('#follow', 'pod/nginx');
    await page.evaluate(`document.querySelector('#wanted [type="submit"]').click()`);
    await page.setInputFiles('#chooser', [TLS, KEYS]);
    await page.locator('#reading').waitFor();
    expect(await page.locator('#result').isVisible()).toBe(false);
    await page.locator('#result').waitFor();
    expect(await page.locator('#title').textContent()).toBe('capture.pcap.gz');
    expect(await tab('mermaid')).toBe(kubeseq(['diagram', '-q', TLS, '--keylog', KEYS]).stdout);
  });

  it('lets nothing be requested: its policy refuses it', async () => {
    const failures: (string | undefined)[] = [];
    page.on('requestfailed', (request) => failures.push(request.failure()?.errorText));
    const refused = ['connect-src', 'frame-src', 'img-src', 'require-trusted-types-for', 'style-src-elem'];
    expect(await refusals(page)).toEqual(refused);
    // Chromium lists some of what it refused among the requests, and on the console.
    const listed = opened.requests.splice(1).filter((url) => !/^(?:blob|data):/.test(url));
    expect([...new Set(failures)]).toEqual(['csp']);
    expect(listed).toHaveLength(failures.length);
    const own = opened.complaints
      .splice(0)
      .filter((line) => !/Content Security Policy|policy directive|TrustedScript|TrustedHTML/i.test(line));
    expect(own).toEqual([]);
  });
});
