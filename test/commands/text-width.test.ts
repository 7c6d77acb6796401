// Text diagrams fit a terminal: the stories' captures at two widths, judged by a terminal; what is beyond it is cut, never wrapped.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { afterAll, describe, expect, it } from 'vitest';
import { cellsOf, cutToCells, wrapToCells } from '../../src/render/escape/cells.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { exists, fixturePath } from '../kit/fixtures.js';
import { TRIES_ALL } from '../kit/runs.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-text-width-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
const STORIES = join(ROOT, 'docs/stories');
/** Folders of fixtures that a story draws. */
const FIXTURES = [
  ...new Set(
    readdirSync(STORIES).flatMap((page) =>
      [...readFileSync(join(STORIES, page), 'utf8').matchAll(/fixtures\/([\w.-]+)\//g)].map(([, name]) => name),
    ),
  ),
];

function captured(fixture: string): readonly string[] {
  const files = readdirSync(fixturePath(fixture))
    .filter((name) => name.endsWith('.pcap.gz'))
    .slice(0, 2);
  const keys = exists(`${fixture}/keys.log`) ? ['--keylog', `fixtures/${fixture}/keys.log.gz`] : [];
  return [...files.map((name) => `fixtures/${fixture}/${name}`), ...keys];
}

/** Rows that a terminal needs for lines. */
async function rowsOf(lines: readonly string[], cols: number): Promise<number> {
  const screen = new xterm.Terminal({ cols, rows: 10, scrollback: 4 * lines.length + 10, allowProposedApi: true });
  await new Promise<void>((resolve) => screen.write(lines.join('\r\n'), resolve));
  const { baseY, cursorY } = screen.buffer.active;
  screen.dispose();
  return baseY + cursorY + 1;
}

it('there are many stories', () => {
  expect(FIXTURES.length).toBeGreaterThan(10);
});

const DRAWN = FIXTURES.filter((name) => captured(name).some((file) => file.endsWith('.pcap.gz')));

describe.each(DRAWN.map((name, i) => [name, i] as const))('%s', (fixture, i) => {
  it('has no line wider than the terminal', { timeout: 60_000 }, async () => {
    // What is printed of an export is what is printed of its captures, in half the time.
    const saved = join(FOLDER, `${fixture}.ndjson`);
    expect(kubeseq(['export', '-q', ...captured(fixture), '-w', saved])).toMatchObject({ status: 0 });
    const args = ['-o', 'text', '--no-overview', '-q', saved];
    const whole = kubeseq([...args, '--wide'], { env: { COLUMNS: '120' } }).stdout;
    // With RUNS=full both widths; else another one than for the next fixture.
    for (const columns of TRIES_ALL ? [120, 100] : [[120, 100][i % 2]]) {
      const { stdout } = kubeseq(args, { env: { COLUMNS: String(columns) } });
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length).toBeGreaterThan(5);
      expect(await rowsOf(lines, columns)).toBe(lines.length);
      // Each arrow has its message and its frame, as in the whole diagram.
      const numbers = (text: string): string[] =>
        [...text.matchAll(/^ *[\d.]+ +(\d+) +(\d+) {2}/gm)].map(([, seq, frame]) => `${seq} ${frame}`);
      expect(numbers(stdout)).toEqual(numbers(whole));
      expect(numbers(stdout).length).toBeGreaterThan(0);
    }
    if (TRIES_ALL || fixture === FIXTURES[0]) expect(kubeseq(args, { env: { COLUMNS: '' } }).stdout).toBe(whole);
  });
});

it('cells are those of a terminal', async () => {
  for (const text of ['plain', '漢字', 'ünïcödé', 'a\u0301b', '🤖x', 'ｆｕｌｌ', '한글', 'か゚', '→ … ×'])
    expect([text, await rowsOf(['x'.repeat(20 - cellsOf(text)) + text], 20)]).toEqual([text, 1]);
});

it('what is cut keeps its beginning and its end', () => {
  expect(cutToCells('[REQ] POST /api/v1/namespaces/default/pods - nginx', 30)).toBe('[REQ] POST /api/v1/n…s - nginx');
  expect(cellsOf(cutToCells('漢'.repeat(30), 21))).toBeLessThanOrEqual(21);
  expect(wrapToCells('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapToCells('abcdefgh ij', 3)).toEqual(['abc', 'def', 'gh', 'ij']);
  expect(wrapToCells('漢字漢字', 5).every((line) => cellsOf(line) <= 5)).toBe(true);
});

describe('what was mistyped', () => {
  it.each([
    ['summry', 'summary'],
    ['diagrm', 'diagram'],
    ['mesages', 'messages'],
    ['Object', 'object'],
  ])('a command: %s', (typed, meant) => {
    const { status, stderr } = kubeseq([typed, 'capture.pcap']);
    expect([status, stderr]).toEqual([2, `kubeseq: ${typed}: no such command, nor file; did you mean ${meant}?\n`]);
  });

  it('an object: what was created in the capture is named, and a kind by its name', () => {
    const capture = ['fixtures/run-nginx-http1/capture.pcap.gz', '-q'];
    const diagram = kubeseq(['diagram', '--follow', 'pod/wholly-other', capture[0]]);
    expect(diagram.status).toBe(1);
    expect(diagram.stderr).toMatch(
      /no message in the capture is about it; the capture has the creation of: .*pods\/nginx/,
    );
    const object = kubeseq(['object', 'pood/nginx', capture[0]]);
    expect([object.status, object.stderr]).toEqual([1, expect.stringContaining('did you mean pods/nginx?')]);
  });
});
