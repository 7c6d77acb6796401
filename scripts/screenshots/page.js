// Takes the screenshots of docs/html.md anew: the explorable page of deployment-tls in a real browser. To be run after a
// build, and to be looked at: node scripts/screenshots/page.js

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kubeseq-screenshots-'));
const keys = join(folder, 'keys.log');
const html = join(folder, 'deployment.html');
writeFileSync(keys, gunzipSync(readFileSync(`${root}/fixtures/deployment-tls/keys.log.gz`)));
const captures = ['control-plane', 'node-1'].map((name) => `fixtures/deployment-tls/${name}.pcap.gz`);
const draw = (file, ...options) => {
  const args = ['bin/kubeseq.js', 'diagram', '-q', ...captures, '--keylog', keys, ...options, '-w', file];
  execFileSync(process.execPath, args, { cwd: root });
};
draw(html);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
});

/** @param act what is done with the page before its screenshot is taken. */
async function take(name, colorScheme, act, file = html, viewport = { width: 1440, height: 900 }) {
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(pathToFileURL(file).href);
  await page.locator('html[data-ready="all"]').waitFor();
  await act(page, (text) => page.locator('.row:not([hidden])', { hasText: text }).first());
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${root}/docs/images/${name}.png` });
  await page.close();
}

const toWrite = async (page, row) => {
  await row('[REQ] POST /apis/apps/v1/namespaces/default/deployments').evaluate((one) =>
    one.scrollIntoView({ block: 'start' }),
  );
  await page.locator('#chart').evaluate((chart) => chart.scrollBy(0, -90));
};
await take('html-light', 'light', toWrite);
await take('html-dark', 'dark', async (page, row) => {
  await toWrite(page, row);
  await row('replicasets - web').locator('button').hover();
});
await take('html-opened', 'light', async (_page, row) => {
  await row('/binding').locator('button').click();
});
await take('html-filtered', 'light', async (page) => {
  const layers = page.locator('details.menu', { has: page.locator('summary', { hasText: 'Layers' }) });
  await page.locator('#search').fill('web-64c966cf88-6c5vr');
  await layers.locator('summary').click();
  for (const box of await layers.locator('input').all()) await box.check();
});

const pod = join(folder, 'pod.html');
draw(pod, '--follow', 'pod/web-64c966cf88-6c5vr', '--path');
const toPath = (page) =>
  page
    .locator('.onpath')
    .first()
    .evaluate((one) => one.scrollIntoView());
await take('html-path', 'light', toPath, pod);
await take('html-phone', 'light', (_page, row) => row('/binding').locator('button').click(), html, {
  width: 390,
  height: 844,
});
await browser.close();
rmSync(folder, { recursive: true });
