// What the page that opens captures makes of files, without a browser: what it shows is what the command writes, and what it cannot read it says.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sortFiles } from '../../src/opener/chosen-files.js';
import { type ReadingResult, readCaptures } from '../../src/opener/read-captures.js';
import { linesOf, viewOf } from '../../src/opener/views.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { fixture, fixturePath } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-opened-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
const NGINX = fixturePath('run-nginx-http1/capture.pcap.gz');
const [TLS, KEYS] = ['capture.pcap.gz', 'keys.log.gz'].map((name) => fixturePath(`exec-logs-portforward-tls/${name}`));

const partOf = (name: string) => {
  const text = readFileSync(join(ROOT, 'dist/page', name), 'utf8');
  return { text, sha256: '' };
};
const PARTS = { script: partOf('page.js'), style: partOf('style.css') };

async function opened(...files: readonly string[]): Promise<ReadingResult> {
  const chosen = files.map((file) => ({ name: basename(file), blob: new Blob([readFileSync(file)]) }));
  return readCaptures(await sortFiles(chosen), () => {});
}

async function shown({ kept }: ReadingResult, follow = '', namespace = '', path = false) {
  const view = await viewOf(kept, { follow, namespace, path }, PARTS);
  // The hashes of its parts are the page's own.
  return { ...view, html: (await view.html.text()).replace(/'sha256-'/g, "'sha256-…'") };
}

const printed = (...args: readonly string[]): string => kubeseq([...args, '-q']).stdout;
const page = (...args: readonly string[]): string =>
  printed('diagram', '-o', 'html', ...args).replace(/'sha256-[^']+'/g, "'sha256-…'");
const messages = async ({ kept }: ReadingResult): Promise<string> => (await linesOf(kept)).text();

describe('what was opened', () => {
  it('is shown as the command does it: page, diagram, summary, messages', async () => {
    const result = await opened(NGINX);
    const view = await shown(result);
    expect(view.html).toBe(page(NGINX));
    expect(view.mermaid).toBe(printed('diagram', NGINX));
    expect(result.found.summary).toBe(printed('summary', NGINX).replaceAll(NGINX, basename(NGINX)));
    expect(await messages(result)).toBe(printed('messages', '-o', 'ndjson', NGINX));
    expect([view.path, view.remarks, result.found.remarks]).toEqual(['', [], []]);
    expect(result.found.objects).toContainEqual({ name: 'pods/nginx', namespace: 'default' });
  });

  it('is followed as the command does it, with the critical path', async () => {
    const result = await opened(NGINX);
    const view = await shown(result, 'pod/nginx', 'default', true);
    expect(view.mermaid).toBe(printed('diagram', NGINX, '--follow', 'pod/nginx', '--path'));
    expect(view.html).toBe(page(NGINX, '--follow', 'pod/nginx', '--path'));
    expect(view.path).toBe(printed('path', 'pod/nginx', NGINX));
    expect((await shown(result, 'pod/nobody', 'shop')).remarks).toEqual(['Nothing is about pod/nobody in shop.']);
    await expect(shown(result, 'nothing at all')).rejects.toThrow(/KIND\/NAME/);
  });

  it('is decrypted with a key log, and without it says what is missing', async () => {
    const result = await opened(TLS, KEYS);
    const args = [TLS, '--keylog', KEYS];
    expect((await shown(result)).html).toBe(page(...args));
    expect(await messages(result)).toBe(printed('messages', ...args, '-o', 'ndjson'));
    const { found } = await opened(TLS);
    expect(found.remarks.join(' ')).toMatch(/^Not read: .* choose the key log of the same run/s);
    const others = await opened(TLS, fixturePath('run-nginx-tls/keys.log.gz'));
    expect(others.found.remarks.join(' ')).toContain('it must be of this very run');
  });

  it('may be an audit log or a table', async () => {
    const [audit, table] = ['audit.jsonl', 'story.parquet'].map((name) => join(FOLDER, name));
    writeFileSync(audit, fixture('run-nginx-http1/audit.jsonl'));
    kubeseq(['messages', '-q', '-w', table, NGINX]);
    for (const file of [audit, table])
      expect(await messages(await opened(file))).toBe(printed('messages', '-o', 'ndjson', file));
  });

  it('is refused in a sentence where it cannot be read', async () => {
    const [text, empty, diagram] = ['notes.txt', 'empty.pcap', 'story.mmd'].map((name) => join(FOLDER, name));
    writeFileSync(text, 'nothing of interest');
    writeFileSync(empty, '');
    writeFileSync(diagram, 'sequenceDiagram\n  A->>B: x\n');
    for (const [file, words] of [
      [text, 'notes.txt is no file that kubeseq reads'],
      [empty, 'empty.pcap is empty'],
      [diagram, 'story.mmd is a diagram'],
      [KEYS, 'That is a key log alone'],
    ] as const)
      await expect(opened(file)).rejects.toThrow(words);
  });
});
