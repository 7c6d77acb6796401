// The explorable page in windows of any width, in light and dark, on paper, in browsers that cannot run it, and with hostile text: nothing covers
// anything, everybody can use it, and its policy lets nothing be requested and nothing else run.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { misplaced, outside } from '../kit/boxes.js';
import {
  BROWSER,
  COLOUR_RULES,
  dropHiddenRows,
  openBrowser,
  refusals,
  seriousFaults,
  type TestBrowser,
} from '../kit/browser.js';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { Reader } from '../kit/reader.js';
import { drawnSeqs, linesOf } from '../kit/shown-page.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-window-'));
const HEIGHT = 900;
const TITLES = ['Participants', 'Objects', 'Namespaces', 'Verbs', 'Resources', 'Layers', 'Unfold', 'Export'];
const inputOf = (name: string, capture: string): string[] => [
  `fixtures/${name}/${capture}.pcap.gz`,
  ...['--keylog', `fixtures/${name}/keys.log.gz`],
];
const INPUT = inputOf('run-nginx-tls', 'capture');
const NGINX = [...INPUT, '--follow', 'pod/nginx', '--path'];

function made(name: string, args: readonly string[]): string {
  const path = join(FOLDER, name);
  const { status, stderr } = kubeseq(['diagram', '-q', ...args, '-w', path]);
  expect([status, stderr]).toEqual([0, '']);
  return pathToFileURL(path).href;
}

describe.skipIf(BROWSER === undefined)('the explorable page', () => {
  let browser: TestBrowser;
  let nginx: string;
  beforeAll(async () => {
    browser = await openBrowser();
    nginx = made('nginx.html', NGINX);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(FOLDER, { recursive: true, force: true });
  });

  it('has nothing that covers anything, and menus inside the window, at every width', async () => {
    const { page } = await browser.open(made('autoscaled.html', inputOf('autoscaled-tls', 'control-plane')), {
      until: 'list',
    });
    for (const [width, isOpened] of [
      [390, false],
      [1280, false],
      [1280, true],
      [1440, true],
      [1600, false],
      [1920, true],
    ] as const) {
      await page.setViewportSize({ width, height: HEIGHT });
      if (isOpened) await page.locator('.row:not([hidden]) > button').nth(1).click();
      expect([width, ...(await misplaced(page))]).toEqual([width]);
      const { seen, faults } = await outside(page);
      expect(seen).toEqual(expect.arrayContaining([...TITLES, 'Help']));
      expect([width, ...faults]).toEqual([width]);
      // Escape closes a menu first, and leaves the details.
      expect(await page.locator('#panel').isVisible()).toBe(isOpened);
      if (isOpened) await page.keyboard.press('Escape');
    }
    // An open menu stays inside when the window gets narrower.
    await new Reader(page).openMenu('Export');
    await page.setViewportSize({ width: 1280, height: HEIGHT });
    await expect
      .poll(() =>
        page.evaluate(`(() => {
          const { left, right } = document.querySelector('details[open] > fieldset').getBoundingClientRect();
          return left >= 0 && right <= innerWidth;
        })()`),
      )
      .toBe(true);
    await page.close();
  });

  it('can be used by everybody: axe finds nothing serious in what it opens, light and dark', async () => {
    const { page, complaints } = await browser.open(`${nginx}#story=pods/nginx`);
    await dropHiddenRows(page);
    const faults = async (context = 'document'): Promise<void> => {
      for (const [colorScheme, rules] of [
        ['light', null],
        ['dark', COLOUR_RULES],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        expect([colorScheme, ...(await seriousFaults(page, context, rules))]).toEqual([colorScheme]);
      }
    };
    // With the steps of the path.
    await faults();
    await page.locator('.row > button').first().click();
    await new Reader(page).openMenu('Chapters');
    await faults();
    await page.keyboard.press('Escape');
    await new Reader(page).tool('Statistics').click();
    await new Reader(page).openMenu('Export');
    await faults(`{ include: [['#bar'], ['#panel']] }`);
    await page.close();
    expect(complaints).toEqual([]);
  });

  it('can be used on a phone: details over the whole of it, the list on demand, and axe finds nothing serious', async () => {
    const { page } = await browser.open(nginx);
    await page.setViewportSize({ width: 390, height: 844 });
    await dropHiddenRows(page);
    await page.keyboard.press('Escape');
    const list = page.locator('#stories');
    const stories = new Reader(page).tool('Stories');
    expect(await list.isVisible()).toBe(false);
    await stories.click();
    expect(await list.isVisible()).toBe(true);
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await list.isVisible()).toBe(false);
    await stories.click();
    await page.locator('#chart').click({ position: { x: 380, y: 500 } });
    expect(await list.isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await stories.click();
    await list.locator('[data-story]').first().click();
    expect(await list.isVisible()).toBe(false);
    await page.locator('.row > button').first().click();
    const box = await page.locator('#panel').boundingBox();
    expect([box?.x, box?.width]).toEqual([0, 390]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await seriousFaults(page)).toEqual([]);
    await page.close();
  });

  it('axe would find what is wrong: a button without a name, words that are hardly seen', async () => {
    const { page } = await browser.open('about:blank', { until: 'load' });
    await page.setContent('<button></button><p style="color: #ccc; background: #fff">words</p>');
    const [button, words] = ['button-name: <button></button>', expect.stringMatching(/^color-contrast: <p /)];
    expect(await seriousFaults(page)).toEqual(expect.arrayContaining([button, words]));
    expect(await seriousFaults(page, 'document', COLOUR_RULES)).toEqual([words]);
    await page.close();
  });

  it('is light or dark as the reader wants it, and is printed whole, without its controls', async () => {
    const { page } = await browser.open(nginx);
    const paper = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await paper();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await paper()).not.toBe(light);
    await new Reader(page).tool('Theme').click();
    expect(await paper()).toBe(light);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('#tools').isVisible()).toBe(false);
    expect(await page.evaluate('document.getElementById("chart").clientHeight > innerHeight')).toBe(true);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(1);
    await page.close();
  });

  it('lets nothing be requested, and nothing become markup or style: its policy refuses it', async () => {
    const { page, requests } = await browser.open(nginx);
    expect(requests).toEqual([nginx]);
    const refused = ['connect-src', 'frame-src', 'img-src', 'require-trusted-types-for', 'style-src-elem'];
    expect(await refusals(page)).toEqual(refused);
    await page.close();
  });

  it('reports where there is nothing to show', async () => {
    const file = join(FOLDER, 'empty.pcap');
    writeFileSync(file, fixture('run-nginx-http1/capture.pcap').subarray(0, 24));
    const { page, complaints } = await browser.open(made('empty.html', [file]));
    expect(await page.locator('#nothing').textContent()).toBe('No messages in the capture.');
    expect(await page.locator('#nothing').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await page.close();
  });

  describe('where its script does not run', () => {
    const rowsAsWritten = `[...document.querySelectorAll('.row:not([hidden])')].map((row) => {
      const copy = row.cloneNode(true);
      copy.removeAttribute('data-gap');
      copy.classList.remove('g1', 'g2', 'g3');
      copy.querySelector('time').removeAttribute('data-more');
      copy.querySelector('button').setAttribute('tabindex', '-1');
      const attributes = (one) => [...one.attributes].map(({ name, value }) => name + '=' + value).sort().join(' ');
      return [copy, ...copy.querySelectorAll('*')].map(attributes).join() + copy.textContent;
    })`;

    it('shows the diagram as a list, and what it needs', async () => {
      const page = await browser.openWithoutScripts(nginx);
      const labels = await page.locator('.row button').allTextContents();
      const said = linesOf(INPUT).map(({ label }) => label.slice(0, 60));
      const seqs = drawnSeqs(NGINX);
      expect(labels).toHaveLength(seqs.length);
      seqs.forEach((seq, i) => void expect(labels[i]).toContain(said[seq - 1]));
      expect(await page.locator('#needs').isVisible()).toBe(true);
      expect(await page.locator('#needs').textContent()).toMatch(/script of this file.*DecompressionStream.*is all/);
      await page.context().close();
    });

    it('does the same in a browser that cannot inflate, with the rows that the script would make', async () => {
      const old = await browser.open(nginx, { until: 'load', before: 'delete globalThis.DecompressionStream' });
      expect(await old.page.locator('#needs').isVisible()).toBe(true);
      expect(old.complaints).toEqual([]);
      // Safari 18 has no idle callbacks, and the page is complete in it.
      const other = await browser.open(nginx, { before: 'delete globalThis.requestIdleCallback' });
      expect(other.complaints).toEqual([]);
      expect(await other.page.locator('#needs').isVisible()).toBe(false);
      const written = await old.page.evaluate<string[]>(rowsAsWritten);
      expect(written.length).toBeGreaterThan(40);
      expect(await other.page.evaluate(rowsAsWritten)).toEqual(written);
      await old.page.close();
      await other.page.close();
    });

    it('reports data that are damaged, and keeps the list', async () => {
      const damaged = join(FOLDER, 'damaged.html');
      const html = readFileSync(join(FOLDER, 'nginx.html'), 'utf8');
      const at = html.indexOf('>', html.indexOf('id="kubeseq-rows"')) + 100;
      writeFileSync(damaged, `${html.slice(0, at)}AAAA${html.slice(at + 4)}`);
      const { page } = await browser.open(pathToFileURL(damaged).href, { until: 'load' });
      await expect
        .poll(() => page.locator('#status').textContent())
        .toMatch('cannot be read: the file is damaged or cut off');
      expect(await new Reader(page).seqs()).toEqual(drawnSeqs(NGINX));
      await page.close();
    });
  });

  it('shows hostile text as text, runs nothing of it, requests nothing', async () => {
    const saved = HOSTILE.flatMap((one, i) => {
      const common = {
        ...{ time: `2026-11-21T04:13:3${i}.000000Z`, protocol: 'kubernetes', exchange: i + 1 },
        ...{ connection: '192.0.2.10:54254-192.0.2.10:8080', stream: null, frames: [i + 1, i + 1], complete: true },
      };
      const [client, server] = [`web ${one}`, 'kube-apiserver'];
      const names = {
        target: one,
        resource: one,
        name: one,
        userAgent: one,
        headers: [[one, one]],
        body: { [one]: one },
      };
      const call = { method: 'GET', verb: 'get', label: `[RESP-CHUNK] ${one}`, ...names };
      return [
        { seq: 2 * i + 1, ...common, kind: 'request', from: client, to: server, ...call },
        {
          seq: 2 * i + 2,
          ...common,
          kind: 'response',
          from: server,
          to: client,
          label: `[RESP] 200 ${one}`,
          status: 200,
        },
      ];
    });
    const file = join(FOLDER, '<b>&hostile.ndjson');
    writeFileSync(file, saved.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const url = made('hostile.html', ['--all', file]);
    const { page, complaints, requests } = await browser.open(url);
    expect(await page.locator('h1').textContent()).toBe('<b>&hostile.ndjson');
    for (const [i, one] of HOSTILE.entries()) {
      await page.locator(`[data-seq="${2 * i + 1}"] button`).click();
      expect(await page.locator('#panel h2').textContent()).toContain(one);
      expect(await page.locator('#panel').textContent()).toContain(`"${one.replaceAll('"', '\\"')}"`);
      expect(await page.locator('#heads').textContent()).toContain(one);
    }
    const svg = (await new Reader(page).saved('picture.svg')).bytes.toString('utf8');
    const names = [...svg.matchAll(/<\/?(\w+)/g)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(['svg', 'polyline', 'text', 'tspan']));
    expect(svg).toContain('&lt;/script&gt;&lt;script&gt;');
    await page.locator('#search').fill(HOSTILE.join(' '));
    expect(await page.evaluate('document.querySelectorAll("script").length')).toBe(6);
    expect(await page.evaluate('document.querySelectorAll("img, svg, a, iframe, b b").length')).toBe(0);
    expect(complaints).toEqual([]);
    expect(requests).toEqual([url]);
    await page.close();
  });
});

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '--><!--',
  "javascript:alert('x')",
  '<a href="https://example.com/">x</a>',
];
