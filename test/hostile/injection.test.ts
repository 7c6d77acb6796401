// Hostile text through every field into every output. Others judge: mermaid's parser, an HTML and XML parser, a terminal, a
// reader of CSV. What they see must be what was put in, and nothing that does something.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { parse as parseCsv } from 'csv-parse/sync';
import { JSDOM } from 'jsdom';
import { describe, expect, it } from 'vitest';
import { kubeseq, type Ran } from '../kit/command.js';
import { HOSTILE, hostileCapture } from '../kit/hostile.js';
import { parseMermaid } from '../kit/mermaid.js';
import { type Output, outputs } from '../kit/outputs.js';
import { unpackedPage } from '../kit/page-data.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-injection-'));
const CAPTURE = file('hostile.pcap', hostileCapture(HOSTILE));
const HARMLESS = file('harmless.pcap', hostileCapture(HOSTILE.map((_, i) => `harmless${i}`)));
const EXPECTATION = file(
  'expected.mmd',
  'sequenceDiagram\n    participant A as kubectl\n    participant B as kube-apiserver\n    A->>B: [REQ] POST /api/v1/nowhere\n',
);
const SUBJECT = { object: 'pod/end', namespace: 'end', seq: 1, expectation: EXPECTATION, other: HARMLESS };
const OUTPUTS = outputs(HARMLESS, SUBJECT);
const of = (...formats: string[]): [string, Output][] =>
  OUTPUTS.filter(({ format }) => formats.includes(format)).map((one) => [one.args.join(' '), one]);

function file(name: string, content: string | Uint8Array): string {
  const path = join(FOLDER, name);
  writeFileSync(path, content);
  return path;
}

const seen = new Map<string, Ran>();
function printed({ args, behind = [] }: Pick<Output, 'args'> & Partial<Output>, capture = CAPTURE): Ran {
  const command = [...args, '-v', capture, ...behind];
  const key = command.join(' ');
  const ran = seen.get(key) ?? kubeseq(command);
  seen.set(key, ran);
  return ran;
}
const diagram = (...args: string[]): string => printed({ args: ['diagram', '-o', ...args] }).stdout;

interface Line {
  readonly label: string;
  readonly name?: string;
  readonly object?: { readonly name?: string };
}
const linesOf = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const LINES = linesOf(kubeseq(['messages', '-o', 'ndjson', CAPTURE]).stdout);
/** As a diagram may show it: what nobody sees is shown as U+FFFD, layout does not count. */
const shown = (text: string): string => text.replaceAll(UNSEEN, '\ufffd').replaceAll(/\s+/g, '');

describe('the hostile capture', () => {
  it('has certificates with such names, and what is reported of them is read', () => {
    const { problems } = JSON.parse(kubeseq(['summary', '-o', 'json', CAPTURE]).stdout) as {
      problems: { what: string }[];
    };
    const refused = problems.filter(({ what }) => what.includes('the client sends bad_certificate'));
    expect(refused.length).toBe(HOSTILE.length);
    expect(refused.some(({ what }) => what.includes('ünïcödé 漢字 🤖'))).toBe(true);
  });

  it('is read, and its strings come out as they were put in', () => {
    expect(LINES.length).toBeGreaterThan(500);
    const names = new Set(LINES.map(({ object }) => object?.name));
    expect(HOSTILE.filter((evil) => !names.has(evil))).toEqual([]);
  });

  it('becomes no file name, whatever it is', () => {
    expect(LINES.some(({ object }) => object?.name === '../../etc/passwd')).toBe(true);
    expect(printed(of('text')[0][1]).stdout).not.toContain('\u001b');
  });
});

describe('no output has a character that is not seen', () => {
  // A table holds data for programs: what shows them is `query` and every other output.
  const shownOutputs = OUTPUTS.filter(({ format }) => format !== 'parquet');
  it.each(shownOutputs.map((one) => [one.args.join(' '), one] as const))('%s', (_name, one) => {
    const { stdout, stderr } = printed(one);
    expect(stdout.length).toBeGreaterThan(20);
    // The code of a page has a tab of its own.
    for (const text of [one.format === 'html' ? unpackedPage(stdout).replaceAll('"\t"', '') : stdout, stderr])
      expect(UNSEEN_BUT_LAYOUT.exec(text)?.[0]).toBe(undefined);
  });
});

describe("mermaid's own parser", () => {
  // An overview has words of its own on its arrows: test/commands/overview.test.ts parses it.
  const isOverview = ({ format, args }: Output): boolean => format === 'mermaid' && args.length === 3;
  it.each(of('mermaid', 'markdown').filter(([, one]) => one.command === 'diagram' && !isOverview(one)))(
    'finds the messages that were written: %s',
    async (_name, one) => {
      const { stdout } = printed(one);
      const all =
        one.format === 'mermaid' ? [stdout] : [...stdout.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)].map((m) => m[1]);
      // A long story begins with an overview, whose arrows stand in its parts once more.
      const fences = all.length > 1 ? all.slice(1) : all;
      const parsed = (await Promise.all(fences.map(parseMermaid))).flatMap(({ messages }) => messages);
      const options = one.args.slice(3);
      const { messages } = JSON.parse(diagram('json', ...options)) as {
        messages: Line[];
      };
      expect(parsed).toHaveLength(messages.length);
      // A label of more than 120 characters is cut in its middle.
      const wrong = messages.filter(
        ({ label }, i) => [...label].length <= 100 && shown(parsed[i].text) !== shown(label),
      );
      expect(wrong.map(({ label }) => label)).toEqual([]);
      if (one.args.includes('--all')) expect(messages.length).toBeGreaterThan(300);
    },
  );

  it.each(of('mermaid').filter(([, one]) => one.command === 'object'))(
    'reads each arrow of: %s',
    async (_name, one) => {
      const { stdout } = printed(one);
      const arrows = stdout.split('\n').filter((line) => /^ {4}P\d+ (?:->>|-x) O: /.test(line));
      expect((await parseMermaid(stdout)).messages).toHaveLength(arrows.length);
    },
  );

  it('finds participants only, no directive', async () => {
    const { actors } = await parseMermaid(diagram('mermaid', '--all', '--layers', 'all'));
    const { participants } = JSON.parse(diagram('json', '--all', '--layers', 'all')) as {
      participants: { name: string }[];
    };
    expect([...actors.values()].map(shown)).toEqual(participants.map(({ name }) => shown(name)));
  });

  it('sees fences that nothing closes but their end', () => {
    const args = ['diagram', '-o', 'markdown', '--all', '--layers', 'all'];
    const fences = printed({ args }).stdout.match(/^ {0,3}(?:`{3,}|~{3,}).*$/gm) ?? [];
    expect(fences.length).toBeGreaterThan(1);
    // Every other one opens a diagram, and the next one closes it.
    expect(fences.filter((_, i) => i % 2 === 0).every((line) => line === '```mermaid')).toBe(true);
    expect(fences.filter((_, i) => i % 2 === 1).every((line) => line === '```')).toBe(true);
    expect(fences.length % 2).toBe(0);
  });
});

describe('a terminal', () => {
  it.each(of('text', 'table', 'mermaid', 'markdown', 'csv', 'ndjson', 'github', 'plantuml'))(
    'shows what was printed and does nothing: %s',
    async (_name, one) => {
      const { stdout, stderr } = printed(one);
      const lines = `${stdout}${stderr}`.replaceAll('\r\n', '\n').split('\n').slice(0, 3000);
      const { rows, did } = await terminal(lines);
      expect(did).toEqual([]);
      expect(rows.map((line) => line.trimEnd())).toEqual(lines.map((line) => line.trimEnd()));
    },
  );
});

describe('a CI system', () => {
  const printedOutputs = OUTPUTS.filter(({ format }) => format !== 'parquet');
  it.each(printedOutputs.map((one) => [one.args.join(' '), one] as const))(
    'is given no command by: %s',
    (_name, one) => {
      const { stdout, stderr } = printed(one);
      const given = `${stdout}\n${stderr}`.split(/\r\n|[\r\n]/).filter(isCommand);
      // Those that `check -o github` is for.
      const own = /^::error (?:file=[^:,]+expected\.mmd,line=\d+,)?title=[^:]*::/;
      expect(given.filter((line) => one.format !== 'github' || !own.test(line))).toEqual([]);
      if (one.format === 'github') expect(given).not.toEqual([]);
    },
  );

  it('is given each of them by a program without an escape', () => {
    expect(HOSTILE.filter((evil) => evil.split('\n').some(isCommand))).toEqual([
      '::error file=x::evil',
      '::add-mask::evil',
      ' ::Set-Output name=x::evil',
      '##vso[task.setvariable variable=x]evil',
      'a ##[set-output name=x]evil',
      '###[add-mask]evil',
      "##teamcity[setParameter name='x' value='evil']",
      'section_start:1:x\r\u001b[0Kevil',
    ]);
  });

  it('has addresses of IPv6 as they are', () => {
    const { stdout } = printed(of('table')[0][1]);
    expect(stdout).toContain('::ffff:192.0.2.1');
  });
});

describe('a reader of CSV', () => {
  it.each(of('csv'))('finds as many rows as messages, no formula: %s', (_name, one) => {
    const rows = parseCsv(printed(one).stdout, { columns: true, relax_column_count: false }) as Record<
      string,
      string
    >[];
    expect(rows.length).toBe(LINES.length);
    expect(rows.flatMap((row) => Object.values(row)).filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    expect(rows.map((row) => row['seq'])).toEqual(LINES.map((_, i) => String(i + 1)));
  });
});

describe('a browser', () => {
  const pages = of('html', 'svg', 'junit');
  it.skipIf(pages.length === 0).each(pages.length === 0 ? [['none', OUTPUTS[0]] as [string, Output]] : pages)(
    'finds the same elements and attributes as without evil: %s',
    (_name, one) => {
      const evil = structure(printed(one).stdout, one.format);
      const harmless = structure(printed(one, HARMLESS).stdout, one.format);
      expect([...evil].filter((what) => !harmless.has(what))).toEqual([]);
      expect([...evil].filter((what) => /@on|@srcdoc|iframe|object|embed|base|form\b/.test(what))).toEqual([]);
      // Not even if somebody put the packed data into the page as they are.
      if (one.format === 'html') expect(structure(unpackedPage(printed(one).stdout), one.format)).toEqual(evil);
    },
  );
});

describe('JSON', () => {
  it.each(of('json', 'ndjson'))('is JSON: %s', (_name, one) => {
    const { stdout } = printed(one);
    for (const document of one.format === 'ndjson' ? stdout.trim().split('\n') : [stdout]) JSON.parse(document);
    expect(({} as Record<string, unknown>)['label']).toBe(undefined);
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

/** Elements and attributes that a page has, with the scheme where one is an address. */
function structure(page: string, format: string): Set<string> {
  const { window } = new JSDOM(page, { contentType: format === 'html' ? 'text/html' : 'application/xml' });
  const found = new Set<string>();
  for (const element of window.document.querySelectorAll('*')) {
    found.add(element.localName);
    for (const { name, value } of element.attributes) {
      const scheme = /^(?:href|src|action|xlink:href)$/.test(name) ? (/^\s*(\w+):/.exec(value)?.[1] ?? '') : '';
      found.add(`${element.localName}@${name}${scheme === '' ? '' : `=${scheme}:`}`);
    }
  }
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

/** Unicode's own classes: controls, format characters, separators, lone surrogates; and fillers. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u3164\uffa0]/gu;
const UNSEEN_BUT_LAYOUT = /(?![\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u3164\uffa0]/u;
