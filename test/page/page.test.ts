// The explorable page as a reader uses it, in a real browser; what it shows is held against the other outputs.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER, COLOUR_RULES, dropHiddenRows, type Opened, openBrowser, seriousFaults } from '../kit/browser.js';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-page-'));
const KEYS = join(FOLDER, 'keys.log');
writeFileSync(KEYS, fixture('deployment-tls/keys.log'));
const DEPLOYMENT = [
  'fixtures/deployment-tls/control-plane.pcap.gz',
  'fixtures/deployment-tls/node-1.pcap.gz',
  '--keylog',
  KEYS,
];
const NGINX = ['fixtures/run-nginx-http1/capture.pcap.gz', '--follow', 'pod/nginx'];

type Line = Record<string, unknown> & { readonly seq: number };

function made(name: string, args: readonly string[]): string {
  const path = join(FOLDER, name);
  const { status, stderr } = kubeseq(['diagram', '-q', ...args, '-w', path]);
  expect([status, stderr]).toEqual([0, '']);
  return pathToFileURL(path).href;
}

const linesOf = (args: readonly string[]): Line[] =>
  kubeseq(['messages', '-q', '-o', 'ndjson', '--bodies', ...args])
    .stdout.split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

const shownSeqs = (page: Page): Promise<number[]> =>
  page.evaluate(`[...document.querySelectorAll('.row:not([hidden])')].map((row) => Number(row.dataset.seq))`);
const row = (page: Page, seq: number) => page.locator(`[data-seq="${seq}"] button`);
const status = (page: Page): Promise<string | null> => page.locator('#status').textContent();
const menu = (page: Page, title: string) =>
  page.locator('details.menu', { has: page.locator('summary', { hasText: title }) });
const choose = async (page: Page, title: string, option: string): Promise<void> => {
  await menu(page, title).locator('summary').click();
  await menu(page, title).locator('label', { hasText: option }).first().click();
  await page.keyboard.press('Escape');
};

describe.skipIf(BROWSER === undefined)('the explorable page', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(FOLDER, { recursive: true, force: true });
  });

  describe('of run-nginx-http1, followed', () => {
    const url = made('nginx.html', NGINX);
    const lines = linesOf([NGINX[0]]);
    const drawn = JSON.parse(kubeseq(['diagram', '-q', '-o', 'json', ...NGINX]).stdout) as {
      messages: Line[];
      participants: { name: string }[];
    };
    const create = lines.find(({ verb, name }) => verb === 'create' && name === 'nginx') as Line;
    const binding = lines.find(({ subresource, kind }) => subresource === 'binding' && kind === 'request') as Line;
    /** The kubelet's delete: the Pod goes, and its last versions may be those of other writes. */
    const removal = lines.findLast(({ verb, resource }) => verb === 'delete' && resource === 'pods') as Line;
    let opened: Opened;
    let page: Page;
    beforeAll(async () => {
      opened = await browser.open(url);
      ({ page } = opened);
    });

    it('opens with the diagram that the other outputs draw, and an element for every message', async () => {
      expect(await shownSeqs(page)).toEqual(drawn.messages.map(({ seq }) => seq));
      const all: number[] = await page.evaluate(
        `[...document.querySelectorAll('[data-seq]')].map((row) => Number(row.dataset.seq))`,
      );
      expect(all).toEqual(lines.map(({ seq }) => seq));
      expect(await status(page)).toMatch(`${drawn.messages.length} of ${lines.length} messages`);
      const heads = await page.locator('#heads [data-p]:visible').allTextContents();
      expect(heads).toEqual(drawn.participants.map(({ name }) => name));
    });

    it('draws each arrow from the lane of its sender to that of its receiver', async () => {
      const heads = new Map<string, number>();
      for (const head of await page.locator('#heads [data-p]:visible').all()) {
        const box = await head.boundingBox();
        heads.set((await head.textContent()) ?? '', (box?.x ?? 0) + (box?.width ?? 0) / 2);
      }
      const arrows: [number, number, number][] = await page.evaluate(`
        [...document.querySelectorAll('.row:not([hidden]) button')].map((button) => {
          const line = getComputedStyle(button, '::before');
          const left = button.getBoundingClientRect().x + parseFloat(line.left);
          return [Number(button.parentElement.dataset.seq), left, left + parseFloat(line.width)];
        })`);
      expect(arrows.length).toBe(drawn.messages.length);
      for (const [seq, left, right] of arrows) {
        const { from, to } = drawn.messages.find((one) => one.seq === seq) as Line;
        const ends = [heads.get(String(from)) ?? -1, heads.get(String(to)) ?? -1].sort((a, b) => a - b);
        expect(Math.abs(left - ends[0]), `message ${seq}`).toBeLessThan(1.5);
        expect(Math.abs(right - ends[1]), `message ${seq}`).toBeLessThan(1.5);
      }
    });

    it('opens an arrow: head, body, frames, filters; Escape closes it', async () => {
      await row(page, create.seq).click();
      const panel = page.locator('#panel');
      const text = (await panel.textContent()) ?? '';
      expect(await panel.locator('h2').textContent()).toBe(create['label']);
      expect(text).toContain(String(create['userAgent']));
      const headers = create['headers'] as [string, string][];
      expect(headers.length).toBeGreaterThan(3);
      for (const [name, value] of headers) expect(text).toContain(`${name}${value}`);
      const [first, last] = create['frames'] as number[];
      expect(first).toBe(last);
      expect(await panel.locator('.filter code').first().textContent()).toMatch(`frame.number == ${first} && ip.addr`);
      expect(JSON.parse((await panel.locator('pre').first().textContent()) ?? '')).toEqual(create['body']);
      expect(await page.evaluate('location.hash')).toBe(`#m${create.seq}`);
      await page.keyboard.press('Escape');
      expect(await panel.isVisible()).toBe(false);
    });

    it('hovering shows what led to an arrow and what came of it, both ways', async () => {
      await row(page, binding.seq).hover();
      const lit = (name: string): Promise<number[]> =>
        page.evaluate(`[...document.querySelectorAll('.row.${name}')].map((row) => Number(row.dataset.seq))`);
      const bySeq = new Map(lines.map((line) => [line.seq, line]));
      const causes: number[] = [];
      for (let one = binding['causedBy']; typeof one === 'number'; one = bySeq.get(one)?.['causedBy']) causes.push(one);
      expect(await lit('here')).toEqual([binding.seq]);
      expect((await lit('cause')).reverse()).toEqual(causes);
      expect(causes).toContain(create.seq);
      const effects = new Set([binding.seq]);
      for (const { seq, causedBy } of lines) if (effects.has(causedBy as number)) effects.add(seq);
      effects.delete(binding.seq);
      expect(await lit('effect')).toEqual([...effects]);
      expect(await page.locator('.way.before').count()).toBeGreaterThan(0);
      await page.locator('#status').hover();
    });

    it('draws steps that are not certain as dotted paths, and what is behind them paler, with a word', async () => {
      const bySeq = new Map(lines.map((line) => [line.seq, line]));
      const certain = ({ cause }: Line): boolean => (cause as { certain: boolean }).certain;
      const isSure = (line: Line): boolean =>
        certain(line) && (line['causedBy'] === removal.seq || isSure(bySeq.get(line['causedBy'] as number) as Line));
      await row(page, removal.seq).hover();
      const effects = await page.evaluate<[number, string, string][]>(`
        [...document.querySelectorAll('.row.effect')].map((row) => [
          Number(row.dataset.seq),
          getComputedStyle(row.querySelector('b'), '::after').content,
          getComputedStyle(row.querySelector('button'), '::before').borderTopColor,
        ])`);
      const unsure = effects.filter(([seq]) => !isSure(bySeq.get(seq) as Line));
      const sure = effects.filter(([seq]) => isSure(bySeq.get(seq) as Line));
      expect(Math.min(unsure.length, sure.length)).toBeGreaterThan(0);
      expect([...new Set(unsure.map(([, word]) => word))]).toEqual(['" perhaps"']);
      expect([...new Set(sure.map(([, word]) => word))]).toEqual(['none']);
      const colours = [unsure, sure].map((some) => [...new Set(some.map(([, , colour]) => colour))]);
      expect(colours.map(({ length }) => length)).toEqual([1, 1]);
      expect(colours[0]).not.toEqual(colours[1]);
      const ways = page.locator('.way.after');
      await expect.poll(() => ways.count()).toBeGreaterThan(0);
      const images = await page.evaluate<[string, string][]>(
        `[...document.querySelectorAll('.way.after')].map((one) => [one.className, getComputedStyle(one).backgroundImage])`,
      );
      expect(new Set(images.map(([name]) => name))).toEqual(new Set(['way after', 'way after perhaps']));
      for (const [name, image] of images) expect(image !== 'none').toBe(name.includes('perhaps'));
      await page.locator('#status').hover();
    });

    it('lists in the details which causes and effects are not certain, and the other possible causes', async () => {
      const othersOf = (line: Line) => (line['cause'] as { others?: number[] } | undefined)?.others ?? [];
      const several = lines.find((line) => othersOf(line).length === 2) as Line;
      const other = await browser.open(`${url}#m${several.seq}`);
      const section = (title: string) => other.page.locator('#panel section', { hasText: title });
      expect(await section('Perhaps because of').locator('.jump').first().textContent()).toMatch(
        `message ${several['causedBy']} perhaps [`,
      );
      const jumps = section('Other possible causes').locator('.jump');
      expect((await jumps.allTextContents()).map((text) => Number(/^message (\d+) /.exec(text)?.[1]))).toEqual(
        othersOf(several),
      );
      await jumps.first().click();
      expect(await other.page.evaluate('location.hash')).toBe(`#m${othersOf(several)[0]}`);
      await other.page.evaluate(`location.hash = 'm${removal.seq}'`);
      await expect.poll(() => other.page.locator('#panel h2').textContent()).toBe(removal['label']);
      const titles = await other.page.locator('#panel h3').allTextContents();
      expect(titles).toContain('Because of');
      expect(titles).not.toContain('Other possible causes');
      expect(titles.find((title) => title.startsWith('Led to'))).toMatch(/^Led to \d+ messages, \d+ of them perhaps$/);
      expect(other.complaints).toEqual([]);
      await other.page.close();
    });

    it('filters by verb, participant and resource, requests with their responses', async () => {
      const exchanges = new Set(drawn.messages.filter(({ verb }) => verb === 'patch').map(({ exchange }) => exchange));
      await choose(page, 'Verbs', 'patch');
      const patched = drawn.messages.filter(({ exchange }) => exchanges.has(exchange)).map(({ seq }) => seq);
      expect(await shownSeqs(page)).toEqual(patched);
      await page.getByText('Reset').click();
      await choose(page, 'Participants', 'kube-scheduler');
      const own = drawn.messages.filter(({ from, to }) => from === 'kube-scheduler' || to === 'kube-scheduler');
      expect(await shownSeqs(page)).toEqual(own.map(({ seq }) => seq));
      expect(await page.locator('#heads [data-p]:visible').allTextContents()).toEqual([
        'kube-apiserver',
        'kube-scheduler',
      ]);
      await page.getByText('Reset').click();
      await choose(page, 'Resources', 'pods');
      expect(await shownSeqs(page)).toEqual(drawn.messages.map(({ seq }) => seq));
      await page.getByText('Reset').click();
    });

    it('finds text in fields, heads and bodies', async () => {
      const everything = `${drawn.messages.length} of`;
      const word = String((binding['body'] as { metadata: { uid: string } }).metadata.uid);
      expect(word).toMatch(/^[0-9a-f-]{36}$/);
      await page.locator('#search').fill(word.toUpperCase());
      await expect.poll(() => status(page)).not.toMatch(everything);
      const found = new Set(
        lines.filter((line) => JSON.stringify(line).includes(word)).map(({ exchange }) => exchange),
      );
      const seqs = await shownSeqs(page);
      expect(seqs).toContain(binding.seq);
      for (const seq of seqs) expect(found.has(lines[seq - 1]['exchange'])).toBe(true);
      await page.keyboard.press('Escape');
      await expect.poll(() => status(page)).toMatch(everything);
    });

    it('unfolds noise: before an arrow, by reason, all of it; and folds it again', async () => {
      const before = await shownSeqs(page);
      const more = page.locator('.row:not([hidden]) time[data-more]').first();
      const count = Number((await more.getAttribute('data-more'))?.slice(1));
      expect(count).toBeGreaterThan(0);
      await more.click({ position: { x: 12, y: 8 } });
      expect((await shownSeqs(page)).length).toBe(before.length + count);
      await page.getByText('Reset').click();
      await choose(page, 'Unfold', 'bookmarks');
      const bookmarks = lines.filter(({ type }) => type === 'BOOKMARK').length;
      expect((await shownSeqs(page)).length).toBe(before.length + bookmarks);
      await page.locator('#chart').focus();
      await page.keyboard.press('u');
      expect((await shownSeqs(page)).length).toBe(lines.length);
      await page.keyboard.press('u');
      expect(await shownSeqs(page)).toEqual(before);
    });

    it('is used by keyboard alone', async () => {
      await page.locator('#chart').focus();
      const focused = (): Promise<number> => page.evaluate('Number(document.activeElement.parentElement.dataset.seq)');
      await page.keyboard.press('Home');
      expect(await focused()).toBe(drawn.messages[0].seq);
      await page.keyboard.press('j');
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe(drawn.messages[2].seq);
      await page.keyboard.press('End');
      expect(await focused()).toBe(drawn.messages[drawn.messages.length - 1].seq);
      await page.keyboard.press('Home');
      await page.keyboard.press('r');
      expect(lines[(await focused()) - 1]['exchange']).toBe(drawn.messages[0]['exchange']);
      await page.keyboard.press('Enter');
      expect(await page.locator('#panel').isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      await row(page, binding.seq).focus();
      await page.keyboard.press('c');
      expect(await focused()).toBe(binding['causedBy']);
      await page.keyboard.press('e');
      expect(lines[(await focused()) - 1]['causedBy']).toBe(binding['causedBy']);
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.id')).toBe('search');
      await page.keyboard.press('Escape');
      await page.locator('#chart').focus();
      await page.keyboard.press('?');
      expect(await page.locator('#help').isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      expect(await page.locator('#help').isVisible()).toBe(false);
      // A button that was clicked has the focus: the keys mean the same.
      await page.getByText('Reset').click();
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.id')).toBe('search');
      await page.keyboard.press('Escape');
    });

    it('opens at the message that the address names', async () => {
      const other = await browser.open(`${url}#m${binding.seq}`);
      expect(await other.page.locator('#panel h2').textContent()).toBe(binding['label']);
      const folded = lines.find(({ type }) => type === 'BOOKMARK') as Line;
      await other.page.evaluate(`location.hash = 'm${folded.seq}'`);
      await expect.poll(() => other.page.locator('#panel h2').textContent()).toMatch('BOOKMARK');
      expect(await shownSeqs(other.page)).toContain(folded.seq);
      await other.page.close();
    });

    it('is light or dark as the reader wants it', async () => {
      const paper = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
      await page.emulateMedia({ colorScheme: 'light' });
      const light = await paper();
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await paper()).not.toBe(light);
      await page.getByText('Theme').click();
      expect(await paper()).toBe(light);
    });

    it('is printed whole, without its controls', async () => {
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('#tools').isVisible()).toBe(false);
      expect(await page.evaluate('document.getElementById("chart").clientHeight > innerHeight')).toBe(true);
      const pdf = await page.pdf({ preferCSSPageSize: true });
      expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(1);
      await page.emulateMedia({ media: 'screen' });
    });

    it.each([
      ['light', null],
      ['dark', COLOUR_RULES],
    ] as const)('axe finds nothing serious: %s, with an arrow opened and a menu', async (scheme, rules) => {
      const other = await browser.open(url);
      await other.page.emulateMedia({ colorScheme: scheme });
      const found = (): Promise<string[]> => seriousFaults(other.page, 'document', rules);
      await dropHiddenRows(other.page);
      if (scheme === 'light') expect(await found()).toEqual([]);
      await row(other.page, create.seq).click();
      await menu(other.page, 'Verbs').locator('summary').click();
      expect(await found()).toEqual([]);
      await other.page.close();
    });

    it('axe would find what is wrong: a button without a name, words that are hardly seen', async () => {
      const other = await browser.open('about:blank', { until: 'load' });
      await other.page.setContent('<button></button><p style="color: #ccc; background: #fff">words</p>');
      const [button, words] = ['button-name: <button></button>', expect.stringMatching(/^color-contrast: <p /)];
      expect(await seriousFaults(other.page)).toEqual(expect.arrayContaining([button, words]));
      expect(await seriousFaults(other.page, 'document', COLOUR_RULES)).toEqual([words]);
      await other.page.close();
    });

    it('logged no errors and requested nothing but itself', () => {
      expect(opened.complaints).toEqual([]);
      expect(opened.requests).toEqual([url]);
    });
  });

  describe('of more than 5,000 messages', () => {
    const args = [...DEPLOYMENT, 'fixtures/errors-http1/capture.pcap.gz'];
    const url = made('large.html', args);
    const lines = linesOf(args);

    it('has an element for each, and switches layers', async () => {
      const { page, complaints } = await browser.open(url);
      expect(lines.length).toBeGreaterThan(5000);
      expect(await page.evaluate('document.querySelectorAll("[data-seq]").length')).toBe(lines.length);
      expect((await shownSeqs(page)).some((seq) => lines[seq - 1]['protocol'] !== 'kubernetes')).toBe(false);
      await choose(page, 'Layers', 'etcd');
      const etcd = (await shownSeqs(page)).filter((seq) => lines[seq - 1]['protocol'] === 'etcd');
      expect(etcd.length).toBeGreaterThan(100);
      expect(await page.locator('#heads [data-p]:visible', { hasText: 'etcd' }).count()).toBe(1);
      await menu(page, 'Layers').locator('summary').click();
      for (const box of await menu(page, 'Layers').locator('input').all()) await box.check();
      await page.keyboard.press('Escape');
      await page.locator('#chart').focus();
      await page.keyboard.press('u');
      expect((await shownSeqs(page)).length).toBe(lines.length);
      await page.evaluate('document.getElementById("chart").scrollTop = document.getElementById("chart").scrollHeight');
      await expect.poll(async () => (await row(page, lines[lines.length - 1].seq).boundingBox())?.y).toBeLessThan(1000);
      expect(complaints).toEqual([]);
      await page.close();
    });
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
    const url = made('plain.html', NGINX);
    const shown = JSON.parse(kubeseq(['diagram', '-q', '-o', 'json', ...NGINX]).stdout) as { messages: Line[] };
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
      const page = await browser.openWithoutScripts(url);
      const labels = await page.locator('.row button').allTextContents();
      expect(labels).toHaveLength(shown.messages.length);
      shown.messages.forEach(({ label }, i) => void expect(labels[i]).toContain(String(label).slice(0, 60)));
      expect(await page.locator('#needs').isVisible()).toBe(true);
      expect(await page.locator('#needs').textContent()).toMatch(/script of this file.*DecompressionStream.*is all/);
      await page.context().close();
    });

    it('does the same in a browser that cannot inflate, with the rows that the script would make', async () => {
      const old = await browser.open(url, { until: 'load', before: 'delete globalThis.DecompressionStream' });
      expect(await old.page.locator('#needs').isVisible()).toBe(true);
      expect(await shownSeqs(old.page)).toEqual(shown.messages.map(({ seq }) => seq));
      expect(old.complaints).toEqual([]);
      const other = await browser.open(url);
      expect(await other.page.locator('#needs').isVisible()).toBe(false);
      expect(await other.page.evaluate(rowsAsWritten)).toEqual(await old.page.evaluate(rowsAsWritten));
      await old.page.close();
      await other.page.close();
    });

    it('is complete in a browser without idle callbacks (Safari 18)', async () => {
      const other = await browser.open(url, { before: 'delete globalThis.requestIdleCallback' });
      expect(await other.page.locator('[data-seq]').count()).toBe(linesOf([NGINX[0]]).length);
      expect(other.complaints).toEqual([]);
      await other.page.close();
    });

    it('reports data that are damaged, and keeps the list', async () => {
      const path = join(FOLDER, 'plain.html');
      const damaged = join(FOLDER, 'damaged.html');
      const html = readFileSync(path, 'utf8');
      const at = html.indexOf('>', html.indexOf('id="kubeseq-rows"')) + 100;
      writeFileSync(damaged, `${html.slice(0, at)}AAAA${html.slice(at + 4)}`);
      const { page } = await browser.open(pathToFileURL(damaged).href, { until: 'load' });
      await expect.poll(() => status(page)).toMatch('cannot be read: the file is damaged');
      expect(await shownSeqs(page)).toEqual(shown.messages.map(({ seq }) => seq));
      await page.close();
    });
  });

  describe('of hostile text', () => {
    const HOSTILE = [
      '</script><script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '"><svg onload=alert(1)>',
      '--><!--',
      "javascript:alert('x')",
      '<a href="https://example.com/">x</a>',
    ];

    it('shows it as text, runs nothing, requests nothing', async () => {
      const text = HOSTILE.join(' ');
      const saved = HOSTILE.flatMap((one, i) => {
        const common = {
          time: `2026-11-21T04:13:3${i}.000000Z`,
          protocol: 'kubernetes',
          exchange: i + 1,
          connection: '192.0.2.10:54254-192.0.2.10:8080',
          stream: null,
          frames: [i + 1, i + 1],
          complete: true,
        };
        const request = {
          seq: 2 * i + 1,
          ...common,
          kind: 'request',
          from: `web ${one}`,
          to: 'kube-apiserver',
          label: `[RESP-CHUNK] ${one}`,
          method: 'GET',
          target: one,
          verb: 'get',
          resource: one,
          name: one,
          userAgent: one,
          headers: [[one, one]],
          body: { [one]: one },
        };
        const response = {
          seq: 2 * i + 2,
          ...common,
          kind: 'response',
          from: 'kube-apiserver',
          to: `web ${one}`,
          label: `[RESP] 200 ${one}`,
          status: 200,
        };
        return [request, response];
      });
      const file = join(FOLDER, '<b>&hostile.ndjson');
      writeFileSync(file, saved.map((one) => `${JSON.stringify(one)}\n`).join(''));
      const url = made('hostile.html', ['--all', file]);
      const { page, complaints, requests } = await browser.open(url);
      expect(await page.locator('h1').textContent()).toBe('<b>&hostile.ndjson');
      for (const [i, one] of HOSTILE.entries()) {
        await row(page, 2 * i + 1).click();
        expect(await page.locator('#panel h2').textContent()).toContain(one);
        expect(await page.locator('#panel').textContent()).toContain(`"${one.replaceAll('"', '\\"')}"`);
        expect(await page.locator('#heads').textContent()).toContain(one);
      }
      await menu(page, 'Export').locator('summary').click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByText('picture.svg', { exact: true }).click(),
      ]);
      const svg = readFileSync(await download.path(), 'utf8');
      expect(new Set([...svg.matchAll(/<\/?(\w+)/g)].map(([, name]) => name))).toEqual(
        new Set(['svg', 'polyline', 'text', 'tspan']),
      );
      expect(svg).toContain('&lt;/script&gt;&lt;script&gt;');
      await page.keyboard.press('Escape');
      await page.locator('#search').fill(text);
      expect(await page.evaluate('document.querySelectorAll("script").length')).toBe(6);
      expect(await page.evaluate('document.querySelectorAll("img, svg, a, iframe, b b").length')).toBe(0);
      expect(complaints).toEqual([]);
      expect(requests).toEqual([url]);
      await page.close();
    });
  });
});
