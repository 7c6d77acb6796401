// A page that has not room for everything says so, and keeps what its reader looks for: problems, the diagram, then the rest.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { problemsIn } from '../../src/diagram/went-wrong.js';
import { explorerData, htmlPage, parseFollow } from '../../src/index.js';
import { MESSAGES_BLOCK } from '../../src/render/html/html-format.js';
import { kubeseq } from '../kit/command.js';
import { packedLines, rowsIn, unpackedPage, viewIn } from '../kit/page-data.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const part = { text: '', sha256: '' };
const page = (shown: ReturnType<typeof explorerData>, bodiesLimit?: number) =>
  htmlPage(shown, { first: 0n, digits: () => 6, title: 'cut', version: '0', script: part, style: part, bodiesLimit });
const headOf = (html: string): string => /<div id="headline"[^>]*>.*?<\/div>/s.exec(html)?.[0] ?? '';

describe('a page over its limit', async () => {
  const seen = await observeWhole('not-starting-tls');
  const options = { follow: parseFollow('pod/oom', 'default') ?? undefined };
  const whole = explorerData(seen, options);
  const problems = problemsIn(seen.messages);
  const shown = explorerData(seen, options, LIMIT);
  const made = page(shown);
  const kept = new Set(shown.entries.map(({ message }) => message));

  it('has something to leave out', () => {
    expect(problems.size).toBeGreaterThan(20);
    expect(whole.sequence.drawn).toBeGreaterThan(5);
    expect(seen.messages.length).toBeGreaterThan(2 * LIMIT);
  });

  it('keeps every problem and the whole diagram, in order, requests with their answers', () => {
    expect(shown.entries.length).toBeLessThanOrEqual(LIMIT);
    expect(shown.entries.length).toBeGreaterThan(LIMIT - 2);
    expect([...problems].filter((message) => !kept.has(message))).toEqual([]);
    const drawn = (one: typeof whole): number[] =>
      one.entries
        .filter(({ folded, layer }) => folded === null && one.layers.has(layer))
        .map(({ message }) => message.seq);
    expect(drawn(shown)).toEqual(drawn(whole));
    const seqs = shown.entries.map(({ message }) => message.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    for (const message of seen.messages)
      if (message.kind === 'response' || message.kind === 'request') {
        const others = seen.messages.filter(({ exchange, kind }) => exchange === message.exchange && kind !== 'event');
        if (kept.has(message)) for (const other of others) if (other.kind !== 'data') expect(kept).toContain(other);
      }
  });

  it('is marked as cut in its head and nowhere as complete', () => {
    const { html, cut } = made;
    const leftOut = seen.messages.length - shown.entries.length;
    expect(cut[0]).toBe(
      `not in this page: ${leftOut} messages over its limit (it holds ${shown.entries.length} of ${seen.messages.length}), none of them a problem or drawn in the diagram; narrow it with --follow, --where or --since`,
    );
    expect(headOf(html)).toContain(cut[0]);
    expect(unpackedPage(html)).not.toContain('complete: every');
    expect(viewIn(html).leftOut).toBe(leftOut);
    const uncut = page(whole);
    expect(uncut.cut).toEqual([]);
    expect(unpackedPage(uncut.html)).not.toContain('not in this page');
  });

  it('drops the bodies of all but problems and the diagram first', () => {
    const lines = packedLines(made.html, MESSAGES_BLOCK);
    const withBody = (line: string): boolean => /"bodyAt":\d+\}$/.test(line);
    shown.entries.forEach(({ message, isProblem, folded, layer }, i) => {
      const isStory = isProblem || (folded === null && shown.layers.has(layer));
      if (message.details?.body() !== undefined && isStory) expect(withBody(lines[i]), message.label).toBe(true);
      if (!isStory)
        expect(/"bodyLeftOut":\d+\}$/.test(lines[i]) || !/"body/.test(lines[i]) || withBody(lines[i])).toBe(true);
    });
    expect(lines.filter((line) => /"bodyLeftOut":\d+\}$/.test(line)).length).toBeGreaterThan(50);
    expect(made.cut[1]).toMatch(/^not in this page: \d+ bodies over its limit/);
  });

  it('reports of bodies alone that they are not there', () => {
    const { html, cut } = page(whole, 100_000);
    expect(cut).toHaveLength(1);
    expect(cut[0]).toMatch(/^not in this page: \d+ bodies over its limit/);
    expect(headOf(html)).toContain(cut[0]);
  });

  it('where not even the story has room shows how much of it is missing', () => {
    const small = explorerData(seen, options, 10);
    expect(small.entries.length).toBeLessThanOrEqual(10);
    expect(small.leftOutOfStory).toBeGreaterThan(0);
    expect(page(small).cut[0]).toContain(`${small.leftOutOfStory} of them a problem or drawn in the diagram`);
  });

  it('marks no request as failed because its response is not in the page', () => {
    const requests = explorerData(seen, { selected: ({ kind }) => kind === 'request' });
    const { html } = page(requests);
    const answered = new Set(seen.messages.filter(({ kind }) => kind === 'response').map(({ exchange }) => exchange));
    const view = viewIn(html);
    const rows = rowsIn(view);
    const failed = view.rows.map(([seq]) => seq).filter((_, i) => /^row request.* failed/.test(rows[i].className));
    expect(rows.length).toBe(requests.entries.length);
    const unasked = failed.filter((seq) => !problems.has(seen.messages[seq - 1]));
    expect(unasked.filter((seq) => answered.has(seen.messages[seq - 1].exchange))).toEqual([]);
  });
});

describe('the command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-cut-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reports on standard error that the page is cut', () => {
    const [saved, out] = [join(folder, 'saved.ndjson'), join(folder, 'page.html')];
    const lines = kubeseq(['export', '-q', 'fixtures/run-nginx-http1/capture.pcap.gz']).stdout.split('\n');
    const at = lines.findIndex((line) => /"verb":"create",.*"resource":"pods",.*"name":"nginx",/.test(line));
    const creation = JSON.parse(lines[at]) as { body: { spec: { containers: object[] } } };
    const { spec } = creation.body;
    spec.containers = new Array<object>(25_000).fill(spec.containers[0]);
    lines[at] = JSON.stringify(creation);
    expect(lines[at].length).toBeGreaterThan(1024 * 1024);
    writeFileSync(saved, lines.join('\n'));
    const { status, stderr } = kubeseq(['diagram', saved, '-w', out]);
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/not in this page: 1 body over its limit; messages --bodies/),
    ]);
    expect(headOf(readFileSync(out, 'utf8'))).toContain('1 body over its limit');
    expect(kubeseq(['diagram', '-q', saved, '-w', out]).stderr).toBe('');
  });
});

/** Messages of the fixture's page. */
const LIMIT = 1000;
