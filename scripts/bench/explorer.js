// Measures the HTML page in a browser: deployment-tls as it is, and copies of it with 50,000 messages, drawn as usual and with every
// message as an arrow. Copies have numbers, times and uids of their own, so that bodies are not the same text again.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { ROOT } from './cases.js';
import { machine, median, option, publish, table, thousands } from './page.js';

const ROUNDS = Number(option('rounds', '3'));
const MESSAGES = Number(option('messages', '50000'));
/** Bounds of 50,000 messages: ms until the list is usable, and of the longest task while it is scrolled. */
const OPENS_IN = 2000;
const TASK = 100;

const WATCH = `{
  globalThis.readyAt = {};
  const ready = () => {
    const { ready } = document.documentElement.dataset;
    if (ready !== undefined) globalThis.readyAt[ready] ??= performance.now();
  };
  new MutationObserver(ready).observe(document, { subtree: true, attributeFilter: ['data-ready'] });
}`;
/** Chooses the next layer or fold that is not shown. @returns whether there was one. */
const UNFOLD = `(() => {
  for (const menu of document.querySelectorAll('details.menu')) {
    const box = menu.querySelector('input:not(:checked)');
    if (box === null || !/^(Layers|Unfold)/.test(menu.querySelector('summary').textContent)) continue;
    box.click();
    return true;
  }
  return false;
})()`;
/** At the beginning, in the middle and at the end: a whole page of 50,000 arrows has 3,000 such steps. */
const SCROLL = `(async () => {
  const chart = document.getElementById('chart');
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (const part of [0, 0.5, 1]) {
    const start = Math.max(0, part * chart.scrollHeight - part * 100 * 800);
    for (let step = 0; step < 100; step++) {
      chart.scrollTop = start + step * 800;
      await frame();
    }
  }
})()`;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-page-'));
const keys = join(folder, 'keys.log');
writeFileSync(keys, gunzipSync(readFileSync(join(ROOT, 'fixtures/deployment-tls/keys.log.gz'))));
const captures = ['control-plane', 'node-1'].map((name) => `fixtures/deployment-tls/${name}.pcap.gz`);
const lines = kubeseq(['export', '-q', ...captures, '--keylog', keys])
  .toString()
  .split('\n')
  .filter((line) => line !== '');
const copies = join(folder, 'copies.ndjson');
writeFileSync(copies, `${copiesOf(lines, MESSAGES).join('\n')}\n`);

const pages = [
  { name: 'deployment-tls', input: [...captures, '--keylog', keys], bounds: false },
  { name: 'deployment-tls, `--all --layers all`', input: ['--all', '--layers', 'all', ...captures, '--keylog', keys] },
  { name: 'copies of it', input: [copies], bounds: true },
  { name: 'copies of it, `--all --layers all`', input: ['--all', '--layers', 'all', copies], bounds: true },
];
const head = machine('bench:page', ['chromium']);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
});
const rows = [];
for (const { name, input, bounds = false } of pages) {
  const path = join(folder, 'page.html');
  kubeseq(['diagram', '-q', ...input, '-w', path]);
  const rounds = [];
  for (let i = 0; i < ROUNDS; i++) {
    rounds.push(await measured(pathToFileURL(path).href));
    process.stderr.write(`${name}: ${JSON.stringify(rounds[i])}\n`);
  }
  const of = (/** @type {string} */ what) => median(rounds.map((round) => round[what]));
  const [open, scroll] = [of('open'), of('scroll')];
  const verdict = (/** @type {number} */ value, /** @type {number} */ most) =>
    bounds ? `; at most ${thousands(most)}: ${value <= most ? 'met' : '**missed**'}` : '';
  rows.push([
    name,
    thousands(rounds[0].messages),
    thousands(rounds[0].drawn),
    (statSync(path).size / 1e6).toFixed(2),
    `${thousands(open)}${verdict(open, OPENS_IN)}`,
    thousands(of('opening')),
    thousands(of('all')),
    thousands(of('behind')),
    thousands(of('unfold')),
    `${thousands(scroll)}${verdict(scroll, TASK)}`,
  ]);
}
await browser.close();
rmSync(folder, { recursive: true });
const columns = ['page', 'messages:', 'arrows:', 'MB:', 'usable after, ms', 'longest task until then:'];
const more = [
  'all data read after, ms:',
  'longest task until then:',
  'longest of unfolding:',
  'longest while scrolled',
];
publish(`${head}\nMedians of ${ROUNDS}.\n\n${table([...columns, ...more], rows)}`, 'docs/performance.md', 'page');

function kubeseq(/** @type {readonly string[]} */ args) {
  return execFileSync(process.execPath, ['bin/kubeseq.js', ...args], { cwd: ROOT, maxBuffer: 2 ** 30 });
}

/** Opens the page, unfolds everything, and scrolls through it. */
async function measured(/** @type {string} */ url) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  await page.addInitScript(WATCH);
  const ready = (/** @type {string} */ state) => page.evaluate(`globalThis.readyAt[${JSON.stringify(state)}]`);
  const opening = await longestTask(page, async () => {
    await page.goto(url);
    await readyFor(page, 'list');
  });
  const behind = await longestTask(page, () => readyFor(page, 'all'));
  const drawn = await page.evaluate('document.querySelectorAll(".row:not([hidden])").length');
  const messages = await page.evaluate('document.querySelectorAll("[data-seq]").length');
  const unfold = await longestTask(page, async () => {
    while (await page.evaluate(UNFOLD)) await page.waitForTimeout(100);
    await page.waitForTimeout(1000);
  });
  const scroll = await longestTask(page, () => page.evaluate(SCROLL));
  const [open, all] = [await ready('list'), await ready('all')];
  await page.close();
  return { open, all, opening, behind, unfold, scroll, drawn, messages };
}

/** Asks now and then: a locator of Playwright would look through all elements again and again, which is a long task itself. */
async function readyFor(/** @type {import('playwright-core').Page} */ page, /** @type {string} */ state) {
  while ((await page.evaluate(`globalThis.readyAt[${JSON.stringify(state)}]`)) === undefined)
    await page.waitForTimeout(200);
}

/** ms of a processor that the longest task of the page took while something was done. */
async function longestTask(
  /** @type {import('playwright-core').Page} */ page,
  /** @type {() => Promise<unknown>} */ act,
) {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  return Math.max(...traceEvents.filter(({ name }) => name === 'RunTask').map(({ tdur = 0 }) => tdur / 1000));
}

/** Messages of an export again and again, as other messages of a later time, until there are as many as wanted. */
function copiesOf(/** @type {readonly string[]} */ exported, /** @type {number} */ wanted) {
  const [first, ...rest] = exported;
  const messages = rest.filter((line) => line.includes('"seq":'));
  const others = rest.filter((line) => !line.includes('"seq":'));
  const out = [first];
  for (let copy = 0; out.length <= wanted; copy++)
    for (const line of messages.slice(0, wanted + 1 - out.length)) out.push(moved(line, copy));
  return [...out, ...others];
}

function moved(/** @type {string} */ line, /** @type {number} */ copy) {
  const code = (copy + 1).toString(16).padStart(8, '0');
  return line
    .replace(/"(seq|exchange|causedBy)":(\d+)/g, (_, name, number) => `"${name}":${Number(number) + copy * 100_000}`)
    .replace(/"(time|started)":"([^"]+?)(\.\d+Z)"/g, (_, name, second, fraction) => {
      const later = new Date(Date.parse(`${second}Z`) + copy * 3_600_000).toISOString().slice(0, 19);
      return `"${name}":"${later}${fraction}"`;
    })
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g, `${code}$1`);
}
