// Pictures for talks: narrow, with labels beside lifelines, and nothing in them that is not in the diagram they are made of.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { BROWSER, openBrowser } from '../kit/browser.js';
import { kubeseq } from '../kit/command.js';
import { parseMermaid } from '../kit/mermaid.js';

const NGINX = ['fixtures/run-nginx-http1/capture.pcap.gz', '-q', '--follow', 'pod/nginx'];
const README = [...NGINX, '--until', '8s', '--where', 'verb != "get"'];
const FAULT = [
  ...['fixtures/not-starting-tls/control-plane.pcap.gz', 'fixtures/not-starting-tls/node-1.pcap.gz', '-q'],
  ...['--keylog', 'fixtures/not-starting-tls/keys.log.gz', '--follow', 'pod/noimage'],
];
const REFUSED = [
  ...['fixtures/trouble-tls/capture.pcap.gz', '--keylog', 'fixtures/trouble-tls/keys.log.gz', '-q'],
  ...['--follow', 'configmap/orphan'],
];
const LATE = ['fixtures/late-start-tls/capture.pcap.gz', '--keylog', 'fixtures/late-start-tls/keys.log.gz', '-q'];
const SANDBOX = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const folder = mkdtempSync(join(tmpdir(), 'kubeseq-talk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Measures {
  readonly width: number;
  readonly lifelines: readonly { readonly left: number }[];
  readonly labels: readonly { readonly left: number; readonly right: number }[];
}
const MEASURES = `(() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect().toJSON());
  const { width } = document.documentElement.getBoundingClientRect();
  return { width, lifelines: boxes('line.actor-line'), labels: boxes('text.messageText') };
})()`;

const drawn = (args: readonly string[], detail: string): string => kubeseq([...args, '--detail', detail]).stdout;

describe.skipIf(BROWSER === undefined).each([
  ['of README', README],
  ['of a fault', FAULT],
] as const)('the picture %s', (name, args) => {
  it('is narrow, and no label covers a lifeline', { timeout: 120_000 }, async () => {
    const file = join(folder, `${name}.svg`);
    const env = { PUPPETEER_EXECUTABLE_PATH: BROWSER ?? '' };
    expect(kubeseq([...args, '--detail', 'talk', '-w', file, ...SANDBOX], { env }).status).toBe(0);
    const browser = await openBrowser();
    try {
      const { page } = await browser.open(pathToFileURL(file).href, { until: 'load' });
      const { width, lifelines, labels } = await page.evaluate<Measures>(MEASURES);
      expect(lifelines).toHaveLength(4);
      expect(labels.length).toBeGreaterThan(7);
      // A PNG has two pixels for one.
      expect(width).toBeLessThanOrEqual(1200);
      const covered = labels.filter((label) => lifelines.some(({ left }) => label.left < left && left < label.right));
      expect(covered).toEqual([]);
      for (const { right } of labels) expect(right).toBeLessThanOrEqual(width);
    } finally {
      await browser.close();
    }
  });
});

it.each([
  ['of README', README],
  ['of a fault', FAULT],
] as const)('the diagram %s has the arrows and words of --detail low', async (_, args) => {
  const [low, talk] = [drawn(args, 'low'), drawn(args, 'talk')];
  const arrows = (text: string): string[] =>
    text.match(/%% [\d, ]+\n +\S+ \S+ \S+: .*/g)?.map((one) => one.replaceAll('<br>', ' ').replace(/\s+/g, ' ')) ?? [];
  const squeezed = (lines: string[]): string[] => lines.map((line) => line.replaceAll(' ', ''));
  expect(arrows(talk).length).toBeGreaterThan(7);
  expect(squeezed(arrows(talk))).toEqual(squeezed(arrows(low)));
  await parseMermaid(talk);
});

it('has a closing note where something is missing, and says of what is not drawn in comments', () => {
  expect(drawn(README, 'talk')).not.toMatch(/Note over .*(?:complete capture|not drawn)/);
  expect(drawn(README, 'talk')).toMatch(/%% not drawn: \d+ not selected/);
  expect(drawn(README, 'talk')).toContain('%% complete capture: every connection was decoded');
  const refused = drawn(REFUSED, 'talk');
  expect(refused).toMatch(/Note over .*352 connections were refused/);
  expect(refused).not.toMatch(/Note over .*not drawn/);
  expect(refused).toMatch(/%% not drawn: \d+/);
  expect(drawn(LATE, 'talk')).toMatch(/Note over .*missing in the capture: /);
});
