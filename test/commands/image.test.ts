// SVG and PNG, drawn by @mermaid-js/mermaid-cli in the system's Chromium; skipped where there is none.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JSDOM } from 'jsdom';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';

const CAPTURE = 'fixtures/run-nginx-http1/capture.pcap.gz';
const OTHER = 'fixtures/run-nginx-tls/capture-with-secrets.pcapng.gz';
const TWELVE = ['--follow', 'pod/nginx', '--until', '7.4s', '--where', 'verb != "get"', '-q'];
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const SANDBOX = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const folder = mkdtempSync(join(tmpdir(), 'kubeseq-image-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(CHROMIUM === undefined)('with a browser', { timeout: 60_000 }, () => {
  const env = { PUPPETEER_EXECUTABLE_PATH: CHROMIUM ?? '' };

  it('an SVG has every participant and every label as text, and nothing that runs', () => {
    const { status, stdout, stderr } = kubeseq([CAPTURE, ...TWELVE, '-o', 'svg', ...SANDBOX], { env });
    expect([status, stderr]).toEqual([0, '']);
    const { document } = new JSDOM(stdout, { contentType: 'image/svg+xml' }).window;
    const texts = [...document.querySelectorAll('text')].map((one) => one.textContent ?? '');
    for (const name of ['kubectl', 'kube-apiserver', 'kube-scheduler', 'kubelet (node-1)'])
      expect(texts.filter((text) => text === name)).toHaveLength(2);
    expect(texts).toContain('[REQ] POST /api/v1/namespaces/default/pods/nginx/binding');
    expect(texts.filter((text) => /^\[REQ\]|^\[RESP/.test(text))).toHaveLength(12);
    expect(texts).toContain('12');
    expect(document.querySelectorAll('script, [onload], [onclick], image, a')).toHaveLength(0);
  });

  it('a PNG is one, with room for all', () => {
    const file = join(folder, 'diagram.png');
    expect(kubeseq([CAPTURE, ...TWELVE, '-w', file, ...SANDBOX], { env }).status).toBe(0);
    const bytes = readFileSync(file);
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n');
    expect(bytes.readUInt32BE(16)).toBeGreaterThan(1500);
    expect(bytes.readUInt32BE(20)).toBeGreaterThan(1000);
    expect(bytes.length).toBeGreaterThan(50_000);
  });

  it.skipIf(SANDBOX.length === 0)('root gets a hint at --no-sandbox', () => {
    const file = join(folder, 'none.svg');
    const { status, stderr } = kubeseq([CAPTURE, ...TWELVE, '-w', file], { env });
    expect(stderr).toMatch(/^kubeseq: Chromium has no sandbox here .*; add --no-sandbox\n$/);
    expect(status).toBe(2);
    expect(existsSync(file)).toBe(false);
  });
});

it.each([
  [CAPTURE, ...TWELVE, '-o', 'svg'],
  ['object', 'pod/nginx', CAPTURE, '-q', '-w', 'none.png'],
  ['diff', CAPTURE, OTHER, '--follow', 'pod/nginx', '-q', '-o', 'svg'],
])('without a browser one line reports it: %s', { timeout: 60_000 }, (...args) => {
  const env = { PUPPETEER_EXECUTABLE_PATH: join(folder, 'no-browser') };
  const { status, stderr } = kubeseq([...args, '--no-sandbox'], { env });
  expect(stderr).toMatch(/^kubeseq: no browser to draw with; install Chromium [^\n]*\n$/);
  expect(status).toBe(2);
});
