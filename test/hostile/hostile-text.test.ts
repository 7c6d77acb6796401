// Hostile text through every field into every output. Others judge: a terminal, an HTML parser, a reader of CSV, what CI systems take for
// commands. What they see must be what was put in, and nothing that does something.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { parse as parseCsv } from 'csv-parse/sync';
import { marked } from 'marked';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { HOSTILE } from '../kit/hostile.js';
import { EVIL, FOLDER, HARMLESS, OUTPUTS, ofFormats, outputOf, saidOf, shownOf, UNSEEN } from '../kit/hostile-files.js';
import type { Output } from '../kit/outputs.js';

/** Those of packages stand in package-outputs.test.ts. */
const ALL = OUTPUTS.filter(({ needs }) => needs === undefined);
const of = (...formats: string[]): [string, Output][] => ofFormats(ALL, ...formats);
const NDJSON = outputOf('messages', '-o', 'ndjson');
const LINES = shownOf(NDJSON)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly object?: { readonly name?: string } });

describe('the hostile capture', () => {
  it('has certificates with such names, and what is reported of them is read', () => {
    const { problems } = JSON.parse(shownOf(outputOf('summary', '-o', 'json'))) as { problems: { what: string }[] };
    const refused = problems.filter(({ what }) => what.includes('the client sends bad_certificate'));
    expect(refused.length).toBe(HOSTILE.length);
    expect(refused.some(({ what }) => what.includes('ünïcödé 漢字 🤖'))).toBe(true);
  });

  it('is read, and its strings come out as they were put in; none becomes the name of a file', () => {
    expect(LINES.length).toBeGreaterThan(500);
    const names = new Set(LINES.map(({ object }) => object?.name));
    expect(HOSTILE.filter((evil) => !names.has(evil))).toEqual([]);
  });

  it('has commands for CI systems, and addresses of IPv6', () => {
    expect(HOSTILE.filter((evil) => evil.split('\n').some(isCommand))).toHaveLength(8);
    expect(shownOf(outputOf('messages', '-o', 'table'))).toContain('::ffff:192.0.2.1');
  });
});

describe('every output', () => {
  // A table holds data for programs: what shows them is `query` and every other output.
  const shown = ALL.filter(({ format, args }) => format !== 'parquet' && !args.includes('-w'));
  it.each(shown.map((one) => [one.name, one] as const))(
    'has no unseen character, no command for CI: %s',
    (_name, one) => {
      const { texts } = saidOf(one);
      expect(Math.max(...texts.map(([, text]) => text.length))).toBeGreaterThan(20);
      for (const [where, text] of texts) {
        // The code of a page has a tab of its own.
        const unseen = UNSEEN.exec(one.format === 'html' ? text.replaceAll('"\t"', '') : text);
        expect([where, unseen?.[0]]).toEqual([where, undefined]);
        // Those that `check -o github` is for.
        const own = /^::error (?:file=[^:,]+expected\.mmd,line=\d+,)?title=[^:]*::/;
        const given = text.split(/\r\n|[\r\n]/).filter(isCommand);
        expect(given.filter((line) => one.format !== 'github' || !own.test(line))).toEqual([]);
        if (one.format === 'github' && where === 'standard output') expect(given).not.toEqual([]);
      }
    },
  );

  it.each(of('text', 'table', 'mermaid', 'markdown', 'csv', 'ndjson', 'github', 'plantuml', 'files'))(
    'does nothing to a terminal, which shows what was printed: %s',
    async (_name, one) => {
      const whole = saidOf(one)
        .texts.slice(0, 2)
        .map(([, text]) => text);
      const lines = whole.join('').replaceAll('\r\n', '\n').split('\n').slice(0, 3000);
      const { rows, did } = await terminal(lines);
      expect(did).toEqual([]);
      expect(rows.map((line) => line.trimEnd())).toEqual(lines.map((line) => line.trimEnd()));
    },
  );

  it.each(of('json', 'ndjson', 'otlp', 'perfetto'))('is JSON: %s', (_name, one) => {
    const text = shownOf(one);
    for (const document of one.format === 'ndjson' ? text.trim().split('\n') : [text]) JSON.parse(document);
    expect(({} as Record<string, unknown>)['label']).toBe(undefined);
  });

  it.each(of('csv'))('has as many rows of CSV as messages, and no formula: %s', (_name, one) => {
    const rows = parseCsv(shownOf(one), { columns: true, relax_column_count: false }) as Record<string, string>[];
    expect(rows.map((row) => row['seq'])).toEqual(LINES.map((_, i) => String(i + 1)));
    expect(rows.flatMap((row) => Object.values(row)).filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
  });

  it.each([...of('html'), ...of('files').filter(([, { command }]) => command === 'docs')])(
    'has the elements and attributes that a browser finds without evil: %s',
    (_name, one) => {
      const html = (text: string): string =>
        one.format === 'html' ? text : marked.parse(text, { async: false, gfm: true });
      const [evil, harmless] = [shownOf(one), shownOf(one, HARMLESS)].map((text) => structure(html(text)));
      expect(evil.size).toBeGreaterThan(10);
      // Evidence of several lines stands in one cell of a page: two of the evil strings give one name.
      expect([...evil].filter((what) => !harmless.has(what) && !(one.format === 'files' && what === 'br'))).toEqual([]);
      expect([...evil].filter((what) => /@on|@srcdoc|iframe|object|embed|base\b|form\b/.test(what))).toEqual([]);
    },
  );

  it('writes what it finds unchanged: an expectation, a page', () => {
    const written = (option: string, name: string): string => {
      const output = ALL.find(({ args }) => args.includes(option));
      const text = saidOf(output!).texts.find(([where]) => where === name)?.[1] ?? '';
      const path = join(mkdtempSync(join(FOLDER, 'again-')), name);
      writeFileSync(path, text);
      return path;
    };
    const expectation = written('--update', 'expected.mmd');
    expect(readFileSync(expectation, 'utf8')).toContain('[REQ] POST /api/v1/namespaces/a/pods - :::class#123;x#125;');
    expect(kubeseq(['check', expectation, EVIL, '-q'])).toMatchObject({ status: 0 });
    expect(kubeseq(['docs', '--check', written('yaml', 'page.md')])).toMatchObject({ status: 0 });
  });
});

/**
 * Whether a CI system takes a line as a command: actions/runner, ActionCommand.cs, with the commands of ActionCommandManager.cs; any of
 * Azure's and TeamCity's; GitLab's sections (lib/gitlab/regex.rb).
 */
function isCommand(line: string): boolean {
  const name = /^\s*::((?:(?!::).)*)::/.exec(line)?.[1].split(' ')[0].toLowerCase();
  if (name !== undefined && GITHUB_COMMANDS.has(name)) return true;
  return /##(?:vso|teamcity)?\[/.test(line) || /section_(?:start|end):\d+:[\w.-]+(?:\[.*\])?\r\u001b\[0K/.test(line);
}
const GITHUB_COMMANDS = new Set([
  ...['add-mask', 'add-matcher', 'add-path', 'debug', 'echo', 'endgroup', 'error', 'group', 'internal-set-repo-path'],
  ...['notice', 'remove-matcher', 'save-state', 'set-env', 'set-output', 'stop-commands', 'warning'],
]);

/** Elements and attributes that a page has, with the scheme where one is an address, or where it leads in a page. */
function structure(page: string): Set<string> {
  const found = new Set<string>();
  const walk = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) {
      found.add(node.tagName);
      for (const { name, value } of node.attrs) {
        const scheme = /^(?:href|src|action)$/.test(name) ? (/^\s*(\w+):/.exec(value)?.[1] ?? '') : '';
        found.add(`${node.tagName}@${name}${scheme === '' ? '' : `=${scheme}:`}`);
      }
    }
    for (const one of 'childNodes' in node ? node.childNodes : []) walk(one);
  };
  walk(parse(page));
  return found;
}

/** What a terminal shows of lines, and what else they made it do. */
async function terminal(lines: readonly string[]): Promise<{ rows: string[]; did: string[] }> {
  const cols = 4 + Math.max(...lines.map((line) => 2 * line.length));
  const screen = new xterm.Terminal({ cols, rows: 10, scrollback: lines.length, allowProposedApi: true });
  const did: string[] = [];
  screen.onTitleChange((title) => did.push(`title ${title}`));
  screen.onBell(() => did.push('bell'));
  screen.onData((data) => did.push(`answers ${JSON.stringify(data)}`));
  await new Promise<void>((resolve) => screen.write(lines.join('\r\n'), resolve));
  const { active } = screen.buffer;
  const rows = lines.map((_, row) => active.getLine(row)?.translateToString(true) ?? '');
  for (let row = 0; row < lines.length; row++) {
    const cell = active.getLine(row)?.getCell(0);
    if (cell !== undefined && (cell.isFgDefault() === false || cell.isInvisible() !== 0))
      did.push(`colours line ${row}`);
  }
  screen.dispose();
  return { rows, did };
}
