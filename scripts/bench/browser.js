// Measures the page that opens captures: a capture of 100 MB in Chromium beside the command in the same run, and the memory of the tab.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { CASES, captureOfCase, ROOT } from './cases.js';
import { multiply } from './multiply.js';
import { machine, median, option, table } from './page.js';
import { statusOf } from './process-status.js';
import { run } from './run.js';

const ROUNDS = Number(option('rounds', '3'));
const MEGABYTES = Number(option('size', '100'));
/** Bounds: times the command's time, and MB of the tab's process (its peak of resident memory). */
const SLOWER = 3;
const MEMORY = 500;
/** ms that the frame is watched after it is shown: it makes what its search looks through. */
const SETTLING = 5000;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-browser-'));
const capture = join(folder, 'capture.pcap');
multiply(captureOfCase(CASES[0]), MEGABYTES * 1e6, capture);
execFileSync(process.execPath, [join(ROOT, 'scripts/build-page.js'), folder], { stdio: 'ignore' });
const kubeseq = join(ROOT, 'bin/kubeseq.js');

const rounds = [];
for (let i = 0; i < ROUNDS; i++) {
  const command = await run([process.execPath, kubeseq, 'messages', '-q', '-o', 'ndjson', capture]);
  rounds.push({ command: command.seconds, commandPeak: command.peak ?? Number.NaN, ...(await inBrowser()) });
}
rmSync(folder, { recursive: true });
const of = (/** @type {keyof (typeof rounds)[number]} */ field) => median(rounds.map((one) => one[field]));
const rows = [
  ['`messages -o ndjson`', of('command').toFixed(2), of('commandPeak').toFixed(0)],
  [`the page, all ${of('messages')} messages read`, of('read').toFixed(2), of('readPeak').toFixed(0)],
  ['the page, everything shown', of('shown').toFixed(2), of('peak').toFixed(0)],
  ['the tab and the frame with the chart together', '', of('together').toFixed(0)],
];
process.stdout.write(`${machine('bench:browser')}\n\n${table(['', 'time, s:', 'memory, MB:'], rows)}\n`);
if (of('read') > SLOWER * of('command') || of('peak') > MEMORY) {
  process.stdout.write(`\nbeyond the bounds: ${SLOWER} times the command's time, ${MEMORY} MB\n`);
  process.exitCode = 1;
}

/** The time from choosing the file, and the peak of resident memory of the tab's process, with its worker. */
async function inBrowser() {
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--disable-gpu', ...root],
  });
  const page = await browser.newPage();
  await page.addInitScript(`{
    const Own = globalThis.Worker;
    globalThis.Worker = class extends Own {
      constructor(url) {
        super(url);
        this.addEventListener('message', ({ data }) => { if (data.kind === 'found') { globalThis.foundAt = performance.now(); globalThis.foundMessages = data.found.messages; } });
      }
    };
  }`);
  await page.goto(pathToFileURL(join(folder, 'index.html')).href);
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const tabs = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  const endSampling = sampleTogether(tabs);
  const start = await page.evaluate('performance.now()');
  await page.setInputFiles('#chooser', capture);
  const peakOf = () => Math.max(...tabs.map((pid) => statusOf(pid)('VmHWM')));
  let foundAt = /** @type {number | null} */ (null);
  while (foundAt === null) {
    if (await page.locator('#failure').isVisible())
      throw new Error((await page.locator('#failure').textContent()) ?? '');
    foundAt = await page.evaluate('globalThis.foundAt ?? null');
    // To ask without a pause would take a core from the page.
    await page.waitForTimeout(100);
  }
  const readPeak = peakOf();
  await page.locator('#result').waitFor({ timeout: 120_000 });
  await page.frameLocator('#frame').locator('html[data-ready]').waitFor({ timeout: 120_000 });
  const shownAt = Number(await page.evaluate('performance.now()'));
  const messages = Number(await page.evaluate('globalThis.foundMessages'));
  await page.waitForTimeout(SETTLING);
  const peak = peakOf();
  const together = endSampling();
  await browser.close();
  const [read, shown] = [(foundAt - Number(start)) / 1000, (shownAt - Number(start)) / 1000];
  return { read, shown, readPeak, peak, together, messages };
}

/** Samples the memory of processes together. @param {readonly number[]} pids @returns ends it, and gives the peak in MB. */
function sampleTogether(pids) {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentTogether(pids));
  }, 250);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** MB of the tab and its frame: what they share, such as the program's own file, counts once. @param {readonly number[]} pids */
function residentTogether(pids) {
  const all = pids.map((pid) => {
    const of = statusOf(pid);
    return { own: of('RssAnon'), shared: of('RssFile') + of('RssShmem') };
  });
  // Chromium has another process ready, in which nothing of the page is.
  const [first, second = 0] = all.map(({ own }) => own).sort((a, b) => b - a);
  return first + second + Math.max(...all.map(({ shared }) => shared));
}
