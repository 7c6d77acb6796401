// The critical path on the explorable page, in a real browser, held against what `kubeseq path` prints of the same capture.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES_BLOCK } from '../../src/render/html/html-format.js';
import { BROWSER, dropHiddenRows, openBrowser, seriousFaults } from '../kit/browser.js';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { packedLines, viewIn } from '../kit/page-data.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-page-path-'));
const inputOf = (name: string): string[] => [
  fixturePath(`${name}/capture.pcap.gz`),
  ...['--keylog', fixturePath(`${name}/keys.log.gz`), '-q'],
];
const NGINX = inputOf('run-nginx-tls');

interface Path {
  readonly durationMs: number;
  readonly legs: readonly {
    readonly from: number;
    readonly to: number;
    readonly durationMs: number;
    readonly who: string;
    readonly what: string;
  }[];
}

/** @param status 1: nothing is drawn at first. */
function made(name: string, args: readonly string[], status = 0): string {
  const file = join(FOLDER, name);
  expect(kubeseq(['diagram', ...args, '-w', file])).toMatchObject({ status, stderr: '' });
  return file;
}

const pathsOf = (args: readonly string[]): readonly Path[] =>
  JSON.parse(kubeseq(['path', ...args, '-o', 'json']).stdout) as readonly Path[];

describe('the data of a page with the path of pod/nginx', () => {
  const [path] = pathsOf(['pod/nginx', ...NGINX]);
  const html = readFileSync(made('nginx.html', [...NGINX, '--follow', 'pod/nginx', '--path']), 'utf8');
  const { path: steps } = viewIn(html);

  it('has the steps that `path` prints, whose shares are the whole', () => {
    expect(steps.map(({ seq }) => seq)).toEqual([path.legs[0].from, ...path.legs.map(({ to }) => to)]);
    expect(steps[0].head).toMatch(/^pods default\/nginx: Ready after 1\.4 s$/);
    steps.slice(1).forEach(({ share, took, what }, i) => {
      const { durationMs, who, what: did } = path.legs[i];
      expect(Math.abs((share ?? 0) - (100 * durationMs) / path.durationMs)).toBeLessThanOrEqual(0.05);
      expect(Math.abs(Number.parseFloat(took ?? '') - durationMs)).toBeLessThanOrEqual(0.5);
      expect(what).toBe(`${who} ${did}`);
    });
    expect(steps.reduce((sum, { share = 0 }) => sum + share, 0)).toBeCloseTo(100, 0);
  });

  it('marks its messages in the list without a script, and has the bodies of a page', () => {
    const marked = [...html.matchAll(/data-seq="(\d+)" class="[^"]* onpath"/g)].map(([, seq]) => Number(seq));
    expect(marked).toEqual(steps.map(({ seq }) => seq));
    const plain = readFileSync(made('plain.html', [...NGINX, '--follow', 'pod/nginx']), 'utf8');
    // The order is another: those of what is drawn come first.
    const bodies = (page: string): readonly string[] => packedLines(page, BODIES_BLOCK).sort();
    expect(bodies(html).length).toBeGreaterThan(100);
    expect(bodies(html)).toEqual(bodies(plain));
    expect(viewIn(plain).path).toEqual([]);
    expect(/data-seq="\d+" class="[^"]* onpath"/.test(plain)).toBe(false);
  });
});

describe.skipIf(BROWSER === undefined)('the page', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(FOLDER, { recursive: true, force: true });
  });

  it('opens with the steps as links to their messages, arrows emphasised', async () => {
    const [{ legs }] = pathsOf(['pod/nginx', ...NGINX]);
    const { page, complaints } = await browser.open(pathToFileURL(join(FOLDER, 'nginx.html')).href);
    const steps = page.locator('#panel .step');
    expect(await steps.count()).toBe(legs.length + 1);
    const longest = legs.reduce((a, b) => (a.durationMs >= b.durationMs ? a : b));
    const step = page.locator('#panel .step', { hasText: `message ${longest.to}` });
    expect(await step.textContent()).toContain(`${longest.durationMs.toFixed(0)} ms, `);
    const widths = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.step .share')].map((one) => one.getBoundingClientRect().width)`,
    );
    expect(widths.indexOf(Math.max(...widths))).toBe(legs.indexOf(longest) + 1);
    const strokes = await page.evaluate<[boolean, string][]>(`
      [...document.querySelectorAll('.row:not([hidden])')].map((row) => [
        row.classList.contains('onpath'),
        getComputedStyle(row.querySelector('button'), '::before').borderTopWidth,
      ])`);
    expect(new Set(strokes.filter(([isOn]) => isOn).map(([, width]) => width))).toEqual(new Set(['3px']));
    expect(strokes.filter(([isOn, width]) => !isOn && width === '3px')).toEqual([]);
    await step.click();
    expect(await page.evaluate('location.hash')).toBe(`#m${longest.to}`);
    await page.locator('#tools').getByText('Path', { exact: true }).click();
    expect(await steps.count()).toBe(legs.length + 1);
    await dropHiddenRows(page);
    expect(await seriousFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('has a note at each step, also in a layer that the page does not open with', async () => {
    const args = [...NGINX, '--follow', 'pod/nginx', '--path', '--layers', 'cri'];
    const { page } = await browser.open(pathToFileURL(made('cri.html', args, 1)).href);
    const [{ legs }] = pathsOf(['pod/nginx', ...NGINX]);
    expect(await page.locator('.onpath:not([hidden])').count()).toBe(0);
    await page.locator('#panel .step', { hasText: `message ${legs[0].to}` }).click();
    const note = page.locator(`[data-seq="${legs[0].to}"]:not([hidden]) .note`);
    expect(await note.allTextContents()).toContainEqual(
      expect.stringMatching(/^[\d.]+ ms, \d+ %: kube-apiserver handles create pods, /),
    );
    await page.close();
  });
});
