// SVG and PNG, drawn by @mermaid-js/mermaid-cli in the system's Chromium; skipped where there is none.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JSDOM } from 'jsdom';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from '../kit/command.js';

const CAPTURE = 'fixtures/run-nginx-http1/capture.pcap.gz';
const TWELVE = ['--follow', 'pod/nginx', '--until', '7.4s', '--where', 'verb != "get"', '-q'];
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const SANDBOX = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const folder = mkdtempSync(join(tmpdir(), 'kubeseq-image-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(CHROMIUM === undefined)('with a browser', () => {
  const env = { PUPPETEER_EXECUTABLE_PATH: CHROMIUM ?? '' };

  it('an SVG has every participant and every label as text, and nothing that runs', { timeout: 60_000 }, () => {
    const { status, stdout, stderr } = kubeseq([CAPTURE, ...TWELVE, '-o', 'svg', ...SANDBOX], { env });
    expect([status, stderr]).toEqual([0, '']);
    const { document } = new JSDOM(stdout, { contentType: 'image/svg+xml' }).window;
    const texts = [...document.querySelectorAll('text')].map((one) => one.textContent);
    for (const name of ['kubectl', 'kube-apiserver', 'kube-scheduler', 'kubelet (node-1)'])
      expect(texts.filter((text) => text === name)).toHaveLength(2);
    expect(texts).toContain('[REQ] POST /api/v1/namespaces/default/pods/nginx/binding');
    expect(texts.filter((text) => /^\[REQ\]|^\[RESP/.test(text ?? ''))).toHaveLength(12);
    expect(texts).toContain('12');
    expect(document.querySelectorAll('script, [onload], [onclick], image, a')).toHaveLength(0);
  });

  it('a PNG is one, with room for all', { timeout: 60_000 }, () => {
    const file = join(folder, 'diagram.png');
    expect(kubeseq([CAPTURE, ...TWELVE, '-w', file, ...SANDBOX], { env }).status).toBe(0);
    const bytes = readFileSync(file);
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n');
    expect(bytes.readUInt32BE(16)).toBeGreaterThan(1500);
    expect(bytes.readUInt32BE(20)).toBeGreaterThan(1000);
    expect(bytes.length).toBeGreaterThan(50_000);
  });

  it.skipIf(SANDBOX.length === 0)('root gets a hint at --no-sandbox', { timeout: 60_000 }, () => {
    const file = join(folder, 'none.svg');
    const { status, stderr } = kubeseq([CAPTURE, ...TWELVE, '-w', file], { env });
    expect(stderr).toMatch(/^kubeseq: Chromium has no sandbox here .*; add --no-sandbox\n$/);
    expect(status).toBe(2);
    expect(existsSync(file)).toBe(false);
  });
});

const OTHERS = [
  ['object', ['object', 'pod/nginx', CAPTURE], 'Pod default/nginx'],
  [
    'diff',
    ['diff', CAPTURE, 'fixtures/run-nginx-tls/capture-with-secrets.pcapng.gz', '--follow', 'pod/nginx'],
    'kubectl',
  ],
] as const;

describe.each(OTHERS)('%s', (_, args, name) => {
  it('is PlantUML with the lanes and arrows of its mermaid text', () => {
    const [mermaid, plantuml] = ['mermaid', 'plantuml'].map((format) => kubeseq([...args, '-o', format, '-q']).stdout);
    expect(plantuml).toMatch(/^@startuml\n[\s\S]*\n@enduml\n$/);
    expect(plantuml).toContain(`participant "${name}" as `);
    const arrows = mermaid.match(/ (?:->>|-->>)\S* \w+: /g) ?? [];
    expect(arrows.length).toBeGreaterThan(5);
    expect(plantuml.match(/^\w+ -(?:\[#\w+\])?-?> \w+ : /gm)).toHaveLength(arrows.length);
  });

  it.skipIf(CHROMIUM === undefined)('is drawn as SVG', { timeout: 60_000 }, () => {
    const env = { PUPPETEER_EXECUTABLE_PATH: CHROMIUM ?? '' };
    const { stdout } = kubeseq([...args, '-o', 'svg', '-q', ...SANDBOX], { env });
    const { document } = new JSDOM(stdout, { contentType: 'image/svg+xml' }).window;
    expect([...document.querySelectorAll('text')].map((one) => one.textContent)).toContain(name);
  });

  it('is a picture by the ending of its file', { timeout: 60_000 }, () => {
    const env = { PUPPETEER_EXECUTABLE_PATH: join(folder, 'no-browser') };
    const { status, stderr } = kubeseq([...args, '-q', '-w', join(folder, 'none.png'), '--no-sandbox'], { env });
    expect(stderr).toMatch(/^kubeseq: no browser to draw with; /);
    expect(status).toBe(2);
  });
});

it('without a browser one line reports it', { timeout: 60_000 }, () => {
  const { status, stderr } = kubeseq([CAPTURE, ...TWELVE, '-o', 'svg'], {
    env: { PUPPETEER_EXECUTABLE_PATH: join(folder, 'no-browser') },
  });
  expect(stderr).toMatch(/^kubeseq: no browser to draw with; install Chromium [^\n]*\n$/);
  expect(status).toBe(2);
});

it('without mermaid-cli one line has the command to install it', () => {
  // A copy of the package with what it needs at run time only.
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of Object.keys(dependencies)) {
    const at = join(folder, 'node_modules', name);
    mkdirSync(join(at, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), at);
  }
  const args = [join(folder, 'bin/kubeseq.js'), join(ROOT, CAPTURE), ...TWELVE, '-o', 'svg'];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { PATH: '/nowhere' },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^kubeseq: SVG and PNG need @mermaid-js\/mermaid-cli; npm install [^\n]*\n$/);
  expect(status).toBe(2);
});
