// What the documents say is held against the program: tables, the quick start. Their examples are those of `documented-*.test.ts`.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NOTICE_CODES } from '../../src/index.js';
import { FIELD_ROWS } from '../../src/kubernetes/messages/fields.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { constantsOf, evaluate } from '../kit/constants.js';
import { DOCUMENTS } from '../kit/documents.js';
import { fencesOf } from '../kit/examples.js';
import { fixture } from '../kit/fixtures.js';
import { type Schema, violations } from '../kit/json-schema.js';
import { valueText } from '../kit/limits-page.js';
import { parseMermaid } from '../kit/mermaid.js';
import { schemaText, withFieldTables } from '../kit/message-fields.js';
import { pageOf } from '../kit/pages.js';

const STALE = 'UPDATE=1 npm test rewrites it';

function page(name: string): string {
  return DOCUMENTS.find((one) => one.name === name)?.tables() ?? '';
}

/** Cells of the rows of all tables, without their heads. */
function rowsOf(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .map((line) => line.slice(2, -2).split(' | '));
}

const plain = (cell: string): string => cell.replaceAll('`', '');

const OPTIONS_PAGE = 'docs/commands/options.md';
const COMMANDS = [...kubeseq(['--help']).stdout.matchAll(/^ {2}(\w+) (?:\[options\]|<)/gm)].map(([, name]) => name);

describe('README.md', () => {
  const fences = fencesOf(page('README.md'));

  it('has a diagram of the four programs that run a Pod', async () => {
    const diagrams = fences.filter(({ language }) => language === 'mermaid');
    expect(diagrams).toHaveLength(1);
    const { actors } = await parseMermaid(diagrams[0].lines.join('\n'));
    expect([...actors.values()]).toEqual(['kubectl', 'kube-apiserver', 'kube-scheduler', 'kubelet (node-1)']);
  });

  it('draws its diagram by the command of the quick start, word for word', () => {
    const command = fences.find(({ language }) => language === 'sh')?.lines.at(-1) ?? '';
    const drawn = execFileSync('sh', ['-c', command.replace('npm', 'npm --silent')], { cwd: ROOT, encoding: 'utf8' });
    const diagram = fences.find(({ language }) => language === 'mermaid');
    expect(
      drawn
        .trimEnd()
        .split('\n')
        .filter((line) => !/^ *%% \d+$/.test(line)),
    ).toEqual(diagram?.lines);
    expect(diagram?.lines.filter((line) => line.includes('->>'))).toHaveLength(12);
  });

  it('has a quick start of two shell blocks, and .ci/run finds them', () => {
    const section = page('README.md')
      .split(/^## Quick start$/m)[1]
      .split(/^## /m)[0];
    const [first, second] = fencesOf(section)
      .filter(({ language }) => language === 'sh')
      .map(({ lines }) => lines.join('\n'));
    expect(first).toBe('npm ci\nnpm start');
    expect(second).toBe('npm test');
    const shown = (block: string): string =>
      execFileSync(join(ROOT, '.ci/run'), ['--show', block], { encoding: 'utf8' }).trimEnd();
    expect([shown('1'), shown('2')]).toEqual([first, second]);
  });

  it('names every command, with its page', () => {
    expect(COMMANDS.length).toBeGreaterThanOrEqual(3);
    expect(linkedIn('README.md', 'Commands').sort()).toEqual([...COMMANDS].sort());
  });

  it('names options that there are', () => {
    expect(optionsIn('README.md').filter((option) => !optionsIn(OPTIONS_PAGE).includes(option))).toEqual([]);
    expect(optionsIn('README.md').length).toBeGreaterThanOrEqual(10);
  });

  it('is read in a few minutes', () => {
    const words = page('README.md')
      .replace(/^```[\s\S]*?^```$/gm, '')
      .split(/\s+/);
    expect(words.length).toBeLessThanOrEqual(700);
  });
});

describe('docs/README.md', () => {
  const [guide] = page('docs/README.md').split(/^## /m);
  const pages = [...guide.matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => `docs/${name}`);

  it('begins with fifteen pages, in the order of a first hour', () => {
    expect(pages).toHaveLength(15);
    expect(pages[0]).toBe('docs/first-hour.md');
  });

  it('leads to every page', () => {
    const listed = [...page('docs/README.md').matchAll(/\]\(([^)]+\.md)\)/g)].map(([, name]) => `docs/${name}`);
    const all = DOCUMENTS.map(({ name }) => name).filter((name) => /^docs\/(?:reference\/)?[\w-]+\.md$/.test(name));
    expect(all.filter((name) => name !== 'docs/README.md' && !listed.includes(name))).toEqual([]);
  });
});

describe('pages under docs/', () => {
  const names = DOCUMENTS.map(({ name }) => name).filter((name) => name.startsWith('docs/'));

  it('are all there', () => expect(names.length).toBeGreaterThan(90));

  it.each(names)('%s has at most 1,500 words of prose', (name) => {
    const prose = page(name)
      .replace(/^ *```[\s\S]*?^ *```$/gm, '')
      .replace(/^ *\|.*$/gm, '')
      .replace(/<!--[\s\S]*?-->/g, '');
    expect(prose.trim().split(/\s+/).length).toBeLessThanOrEqual(1500);
  });
});

describe.each(['README.md', 'docs/commands/README.md'])('%s', (name) => {
  it('describes each command in the words of --help', () => {
    const lines = [...kubeseq(['--help']).stdout.matchAll(/^ {2}(\w+) (?:\[options\]|<).*? {2,}(\S.*)$/gm)];
    const said = lines.map(([, command, text]) => [command, text.replace(/ \([^()]*\)$/, '')]);
    const shown = rowsOf(page(name)).flatMap(([cell, text]) => {
      const command = /^\[`?(\w+)`?\]\([^)]+\.md\)$/.exec(cell)?.[1];
      return command === undefined ? [] : [[command, text]];
    });
    expect(said.map(([command]) => command)).toEqual(COMMANDS);
    expect(Object.fromEntries(shown)).toMatchObject(Object.fromEntries(said));
  });
});

describe('docs/commands/README.md', () => {
  it('has a row with a page for every command of --help', () => {
    expect(linkedIn('docs/commands/README.md')).toEqual(COMMANDS);
  });
});

describe('README.md and docs/commands/options.md', () => {
  const rows = page(OPTIONS_PAGE)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .map((line) => line.slice(2, -2).split(/ (?<!\\)\| /));
  const groups = new Map(rows.filter(([name]) => /^\w+$/.test(name)).map(([name, commands]) => [name, commands]));

  it.each(COMMANDS)('name every option of %s, and no other', (command) => {
    const help = kubeseq([command, '--help']).stdout;
    const options = (help.match(/(?<=^ {2}(?:-\w, )?)--[a-z-]+/gm) ?? []).filter((option) => option !== '--help');
    const named = rows
      .filter(([, of = '']) => of.split(', ').some((one) => (groups.get(one) ?? one).split(', ').includes(command)))
      .flatMap(([cell]) => cell.match(/--[a-z-]+/g) ?? []);
    expect(named.sort()).toEqual(options.sort());
  });
});

/** First cells of a page's tables that link to an existing page (another test follows the links). */
function linkedIn(name: string, heading?: string): string[] {
  const text = heading === undefined ? page(name) : page(name).split(`\n## ${heading}\n`)[1].split(/^## /m)[0];
  return rowsOf(text).flatMap(([cell]) => /^\[`?(\w+)`?\]\([^)]+\.md\)$/.exec(cell)?.[1] ?? []);
}

function optionsIn(name: string): string[] {
  return rowsOf(page(name)).flatMap(([cell]) => (cell.startsWith('`-') ? (cell.match(/--[a-z-]+/g) ?? []) : []));
}

describe('docs/notices.md', () => {
  it('has the table of the program', () => {
    const rows = rowsOf(page('docs/notices.md')).filter(([code]) => code.startsWith('`'));
    const expected = Object.entries(NOTICE_CODES).map(([code, [severity, meaning]]) => [code, severity, meaning]);
    expect(rows.map(([code, severity, meaning]) => [plain(code), severity, meaning])).toEqual(expected);
    expect(rows.filter((row) => (row[3] ?? '').length < 5)).toEqual([]);
  });
});

describe('docs/limits.md', () => {
  const constants = constantsOf();
  const limits = constants.filter(({ limit }) => limit !== null);

  it('has the limits of the sources', () => {
    const rows = rowsOf(pageOf('limits')).filter(([name]) => name.startsWith('`'));
    expect(rows.map(([name]) => plain(name)).sort()).toEqual(limits.map(({ name }) => name).sort());
  });

  it('has every constant that is called a limit', () => {
    const named = constants.filter(
      ({ name }) => /(?:^|_)(?:MAX|LIMITS?)(?:_|\b)/.test(name) && !PROTOCOL_NUMBERS.has(name),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ limit }) => limit === null).map(({ file, name }) => `${file} ${name}`)).toEqual([]);
  });

  it('gives every limit a reason', () => {
    expect(limits.filter(({ limit }) => limit!.why.length < 10 || limit!.why.includes('|'))).toEqual([]);
  });

  it.each([
    ['16 * 1024', 16_384],
    ['1_000_000n', 1_000_000],
    ['16_384 + 2_048', 18_432],
    ['2 ** 30', 1_073_741_824],
    ['5e5', 500_000],
  ])('reads %s', (expression, value) => expect(evaluate(expression)).toBe(value));

  it.each([
    [4096, '', '4,096'],
    [18_437, 'bytes', '18,437 bytes'],
    [16 * 1024 * 1024, 'bytes', '16 MiB'],
    [900_000_000, 'ns', '900 ms'],
    [86_400, 's', '86,400 s'],
  ] as const)('writes %i %s', (value, unit, text) => expect(valueText(value, unit)).toBe(text));
});

/** Numbers of a protocol, named so by its RFC. */
const PROTOCOL_NUMBERS = new Set(['SETTINGS_MAX_FRAME_SIZE', 'MAX_STREAM']);

describe('docs/decrypting.md', () => {
  it('has every reason that summary gives for a connection it could not read', () => {
    const source = readFileSync(join(ROOT, 'src/http/detect.ts'), 'utf8');
    const table = /^const WHY: .*?^\};/ms.exec(source)?.[0] ?? '';
    const reasons = [...table.matchAll(/:\s+'([^']+)',$/gm)].map(([, reason]) => reason);
    reasons.push(
      ...[...source.matchAll(/^const (?:REFUSED|IDLE|WHY_UNKNOWN|WHY_SPDY) = '([^']+)';$/gm)].map(([, one]) => one),
    );
    expect(reasons.length).toBeGreaterThanOrEqual(9);
    const named = new Set(rowsOf(page('docs/decrypting.md')).map(([cell]) => plain(cell)));
    expect(reasons.filter((reason) => !named.has(reason))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  it('lists the folders of src/', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && readdirSync(join(ROOT, 'src', entry.name)).length > 0)
      .map(({ name }) => `${name}/`);
    const listed = rowsOf(page('docs/architecture.md'))
      .map(([cell]) => plain(cell))
      .filter((cell) => /^[a-z-]+\/$/.test(cell));
    expect(listed.sort()).toEqual(folders.sort());
  });

  it('draws the stages that src/pipeline/message-stage.ts joins', () => {
    const imported = [
      ...readFileSync(join(ROOT, 'src/pipeline/message-stage.ts'), 'utf8').matchAll(/from '\.\/(\w+)\//g),
    ];
    const drawnStages = page('docs/architecture.md');
    expect(
      [...new Set(imported.map(([, folder]) => folder))].filter((one) => !drawnStages.includes(`${one}/`)),
    ).toEqual([]);
  });

  it('docs/adr/README.md lists every record', () => {
    const records = readdirSync(join(ROOT, 'docs/adr')).filter((name) => /^\d{4}-.+\.md$/.test(name));
    const listed = [...page('docs/adr/README.md').matchAll(/\]\((\d{4}-[^)]+)\)/g)].map(([, name]) => name);
    expect(records.length).toBeGreaterThan(0);
    expect(listed).toEqual(records.sort());
  });
});

describe('docs/schema/message.schema.json', () => {
  const path = join(ROOT, 'docs/schema/message.schema.json');
  if (process.env['UPDATE'] === '1') writeFileSync(path, schemaText());

  it('is made of the table of fields, as docs/messages.md is', () => {
    expect(readFileSync(path, 'utf8'), STALE).toBe(schemaText());
    expect(page('docs/messages.md'), STALE).toBe(withFieldTables(page('docs/messages.md')));
  });

  it('columns of the CSV are numbered without gaps', () => {
    const columns = FIELD_ROWS.flatMap(([, { csv }]) => csv ?? []).sort((one, other) => one - other);
    expect(columns).toEqual(columns.map((_, i) => i + 1));
  });

  const schema = JSON.parse(readFileSync(path, 'utf8')) as Schema;
  const CAPTURES: readonly (readonly [string, ...string[]])[] = [
    ['fixtures/run-nginx-http1/capture.pcap.gz'],
    ['fixtures/errors-http1/capture.pcap.gz'],
    ['fixtures/run-nginx-tls/capture-with-secrets.pcapng.gz'],
    ['fixtures/late-start-tls/capture.pcap.gz', '--keylog', unpacked('late-start-tls/keys.log')],
  ];
  const all = CAPTURES.map((args) => linesOf(...args));
  const fields = [...new Set(all.flat().flatMap(Object.keys))];
  const wrong = (lines: readonly Line[]): string[] =>
    lines.flatMap((line) => violations(schema, line).map((what) => `seq ${line['seq']} ${what}`)).slice(0, 5);

  it.each(CAPTURES.map(([name], i) => [name, i] as const))('describes every line of %s', (_, i) => {
    expect(all[i].length).toBeGreaterThan(90);
    expect(wrong(all[i])).toEqual([]);
  });

  it('describes every line of several captures', () => {
    const lines = linesOf(CAPTURES[0][0], CAPTURES[1][0]);
    expect(lines.every((line) => typeof line['capture'] === 'string')).toBe(true);
    expect(wrong(lines)).toEqual([]);
  });

  it('has every field of a real line', () => {
    const properties = Object.keys(schema['properties'] as object);
    expect(fields.filter((field) => !properties.includes(field))).toEqual([]);
  });

  const [line] = all[0];
  it.each(schema['required'] as string[])('refuses a line without %s', (field) => {
    const { [field]: _, ...without } = line;
    expect(violations(schema, without)).toEqual([`/: ${field} is missing`]);
  });

  it.each(Object.keys(line))('refuses a line whose %s is of another type', (field) => {
    expect(violations(schema, { ...line, [field]: { no: true } }).length).toBeGreaterThan(0);
  });

  it('allows unknown fields and refuses unknown kinds', () => {
    expect(violations(schema, { ...line, later: 1 })).toEqual([]);
    expect(violations(schema, { ...line, kind: 'answer' })).toHaveLength(1);
    expect(violations(schema, { ...line, frames: [1] })).toHaveLength(1);
    expect(violations(schema, { ...line, object: { kind: 'Pod', owners: [{ kind: 'Node' }] } })).toHaveLength(2);
  });

  it('docs/messages.md explains every field that a line has', () => {
    const words = page('docs/messages.md');
    expect(fields.filter((field) => !words.includes(`\`${field}\``))).toEqual([]);
  });
});

type Line = Record<string, unknown>;

function linesOf(...args: string[]): Line[] {
  return kubeseq(['messages', '-o', 'ndjson', ...args])
    .stdout.split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** Path of a plain copy of a gzipped fixture. */
function unpacked(name: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'kubeseq-')), 'copy');
  writeFileSync(path, fixture(name));
  return path;
}
