// Scrolling through a page of more than 5,000 messages, in a real browser: no task of it takes long.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect } from 'vitest';
import { BROWSER, longTasks, openBrowser } from '../kit/browser.js';
import { kubeseq } from '../kit/command.js';
import { measured } from '../kit/measured.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-page-scroll-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

if (BROWSER !== undefined)
  measured('a page of more than 5,000 messages is scrolled without a task over 100 ms', async () => {
    const file = join(FOLDER, 'large.html');
    const captures = ['deployment-tls/control-plane', 'deployment-tls/node-1', 'errors-http1/capture'];
    const args = [
      ...['diagram', '-q', '--all', '--layers', 'all', '--keylog', 'fixtures/deployment-tls/keys.log.gz'],
      ...captures.map((name) => `fixtures/${name}.pcap.gz`),
    ];
    expect(kubeseq([...args, '-w', file])).toMatchObject({ status: 0, stderr: '' });
    const browser = await openBrowser();
    try {
      const { page } = await browser.open(pathToFileURL(file).href);
      const rows = await page.evaluate<number>(`document.querySelectorAll('.row:not([hidden])').length`);
      expect(rows).toBeGreaterThan(5000);
      await page.waitForTimeout(500);
      await longTasks(page);
      let longest = Number.POSITIVE_INFINITY;
      for (let again = 0; again < 4 && longest > 100; again++) {
        await page.evaluate(SCROLL);
        longest = Math.min(longest, Math.max(0, ...(await longTasks(page))));
      }
      expect(longest).toBeLessThanOrEqual(100);
    } finally {
      await browser.close();
    }
  });

const SCROLL = `(async () => {
  const chart = document.getElementById('chart');
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (let y = 0; y < chart.scrollHeight; y += 800) {
    chart.scrollTop = y;
    await frame();
  }
  chart.scrollTop = chart.scrollHeight;
  await frame();
  await frame();
})()`;
