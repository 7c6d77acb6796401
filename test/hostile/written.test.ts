// What commands write into files of their users — pages, expectations, diagrams, recordings — is held to the same as what
// they print: no planted secret, no character that is not seen, nothing that does something.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JSDOM } from 'jsdom';
import { marked } from 'marked';
import { afterAll, describe, expect, it } from 'vitest';
import { CANARIES, canaryCapture, formsOf } from '../kit/canaries.js';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { HOSTILE, hostileCapture } from '../kit/hostile.js';
import { parseMermaid } from '../kit/mermaid.js';
import { searchable } from '../kit/page-data.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-written-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(FOLDER, name);
  writeFileSync(path, content);
  return path;
}
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

const EVIL = file('evil.pcap', hostileCapture(HOSTILE));
file('harmless.pcap', hostileCapture(HOSTILE.map((_, i) => `harmless${i}`)));
const SECRETS = file('secrets.pcap', canaryCapture());
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const DRAWING = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

const planted = (text: string): string[] =>
  CANARIES.filter((one) => formsOf(one.text).some((form) => text.includes(form))).map(({ carrier }) => carrier);

describe('docs: a page of a hostile capture', () => {
  const written = (name: string): string => {
    const settings = 'all layers=all steps bodies=yaml participants provenance frames';
    const page = file(`${name}.md`, `# Page\n\n<!-- kubeseq capture=${name}.pcap ${settings} -->\n\nMy own words.\n`);
    expect(kubeseq(['docs', page])).toMatchObject({ status: 0, stdout: '' });
    return read(`${name}.md`);
  };
  const evil = written('evil');
  const harmless = written('harmless');

  it('draws the whole story, and keeps what its author wrote', () => {
    expect(evil.length).toBeGreaterThan(100_000);
    expect(evil).toMatch(/^# Page\n/);
    expect(evil).toMatch(/\nMy own words\.\n$/);
  });

  it('has no character that is not seen', () => expect(UNSEEN.exec(evil)?.[0]).toBe(undefined));

  it('has the elements that it has without evil, and leads nowhere else', () => {
    const [found, known] = [evil, harmless].map(elementsOf);
    // Evidence of several lines stands in one cell: two of the evil strings give one name.
    expect([...found].filter((what) => what !== 'br' && !known.has(what))).toEqual([]);
    expect([...found].filter((what) => /^(?:script|iframe|img|svg|object|form)\b|@on/.test(what))).toEqual([]);
  });

  it('has diagrams that mermaid reads, with as many messages as without evil', async () => {
    const counts = await Promise.all(
      [evil, harmless].map(async (page) => {
        const fences = [...page.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
        return (await Promise.all(fences.map(parseMermaid))).map(({ messages }) => messages.length);
      }),
    );
    const sums = counts.map((some) => some.reduce((sum, count) => sum + count, 0));
    expect(sums[0]).toBeGreaterThan(300);
    expect(Math.abs(sums[0] - sums[1])).toBeLessThan(sums[1] * 0.1);
  });

  it('is not changed by writing it again', () => {
    expect(kubeseq(['docs', '--check', join(FOLDER, 'evil.md')]).status).toBe(0);
  });
});

describe('check --update', () => {
  it('takes hostile words from a capture as words', async () => {
    const target = '/api/v1/namespaces/harmless0/pods/harmless0';
    const path = file(
      'evil.mmd',
      `sequenceDiagram\n    participant A as client 192.0.2.1\n    participant B as kube-apiserver\n    A->>B: [REQ] POST ${target} - harmless0\n    B-->>A: [RESP] 409 Conflict, harmless0\n`,
    );
    const { status, stderr } = kubeseq(['check', '--update', path, EVIL]);
    expect(status).toBe(0);
    const text = read('evil.mmd');
    expect(text).toContain('[REQ] POST /api/v1/namespaces/a/pods - :::class#123;x#125;');
    for (const said of [text, stderr]) expect(UNSEEN.exec(said)?.[0]).toBe(undefined);
    const { messages } = await parseMermaid(text);
    expect(messages.length).toBe([...text.matchAll(/-?->>/g)].length);
    expect(kubeseq(['check', path, EVIL, '-q']).status).toBe(0);
  });

  it('writes no secret', () => {
    const path = file(
      'secrets.mmd',
      'sequenceDiagram\n    participant A as kubectl\n    participant B as kube-apiserver\n    A->>B: [REQ] POST /api/v1/namespaces/default/secrets - s2\n    A->>B: [REQ] GET /api/v1/namespaces/default/pods?token=x\n',
    );
    const { stdout, stderr } = kubeseq(['check', '--update', path, SECRETS, '-v']);
    // What is rewritten is said as it was and as it is.
    expect(stderr.match(/^kubeseq: .*secrets\.mmd:\d: kubectl → kube-apiserver: .* becomes /gm)).toHaveLength(2);
    for (const said of [read('secrets.mmd'), stdout, stderr]) expect(planted(said)).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)('an SVG (skipped without a browser)', () => {
  const svg = (capture: string): string => {
    const { status, stdout, stderr } = kubeseq(['diagram', '-o', 'svg', '--all', '-q', ...DRAWING, capture], {
      env: { PUPPETEER_EXECUTABLE_PATH: CHROMIUM ?? '' },
    });
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  };

  it('of a hostile capture has no element or attribute that does something', () => {
    const text = svg(EVIL);
    const { document } = new JSDOM(text, { contentType: 'image/svg+xml' }).window;
    const elements = [...document.querySelectorAll('*')];
    expect(elements.length).toBeGreaterThan(1000);
    const names = new Set(elements.map(({ localName }) => localName));
    for (const name of ['script', 'iframe', 'img', 'image', 'object', 'embed', 'a', 'animate', 'form', 'b', 'i', 'u'])
      expect(names.has(name)).toBe(false);
    const attributes = elements.flatMap((one) => [...one.attributes]);
    expect(attributes.filter(({ name }) => /^on|^srcdoc$/.test(name)).map(({ name }) => name)).toEqual([]);
    const links = attributes.filter(({ name }) => /href$|^src$/.test(name)).map(({ value }) => value);
    expect(links.filter((value) => !value.startsWith('#'))).toEqual([]);
    expect(UNSEEN.exec(text)?.[0]).toBe(undefined);
  }, 120_000);

  it('of planted secrets has none', () => expect(planted(svg(SECRETS))).toEqual([]), 120_000);
});

describe('secrets of TLS', () => {
  const CAPTURE = 'fixtures/clients-tls/capture.pcap.gz';
  const KEYS = file('keys.log', fixture('clients-tls/keys.log'));
  const secrets = read('keys.log')
    .split('\n')
    .map((line) => line.split(' ')[2])
    .filter((secret) => /^[0-9a-f]{64,}$/i.test(secret ?? ''));

  it.each([
    ['messages', '-o', 'ndjson', '--bodies', '--show-secrets'],
    ['export', '--show-secrets'],
    ['diagram', '--all', '--layers', 'all', '-o', 'html', '--show-secrets'],
    ['diagram', '--all', '--layers', 'all', '-o', 'json'],
    ['summary', '--streams', '-o', 'json'],
  ])('are nowhere, not even with --show-secrets: %s %s %s', (...args) => {
    const { status, stdout, stderr } = kubeseq([...args, '-v', CAPTURE, '--keylog', KEYS]);
    expect(status).toBe(0);
    expect(stdout.length).toBeGreaterThan(1000);
    expect(secrets.length).toBeGreaterThan(10);
    for (const text of [searchable(args, stdout), stderr]) {
      const lower = text.toLowerCase();
      expect(
        secrets.filter(
          (secret) =>
            lower.includes(secret) || text.includes(Buffer.from(secret, 'hex').toString('base64').slice(0, 40)),
        ),
      ).toEqual([]);
    }
  });
});

/** Elements and attributes of a page in Markdown, as marked makes it HTML, with where links lead. */
function elementsOf(page: string): Set<string> {
  const { document } = new JSDOM(marked.parse(page, { async: false, gfm: true })).window;
  const found = new Set<string>();
  for (const element of document.querySelectorAll('*')) {
    found.add(element.localName);
    for (const { name, value } of element.attributes)
      found.add(
        `${element.localName}@${name}${/^(?:href|src)$/.test(name) && !value.startsWith('#') ? `=${value}` : ''}`,
      );
  }
  return found;
}

const UNSEEN = /(?![\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u3164\uffa0]/u;
