// The documents of the project, and the tests of their examples, which run in several files: `describeDocuments(1)` and so on. UPDATE=1
// rewrites examples, diagrams and tables of fields.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from './command.js';
import { commandsOf, excerpt, type Fence, fencesOf, outputsOf, refreshed } from './examples.js';
import { parseMermaid } from './mermaid.js';
import { withFieldTables } from './message-fields.js';

export interface Document {
  readonly name: string;
  /** Its text; with UPDATE=1 with the tables that the sources have now. */
  tables(): string;
}

const UPDATES = process.env['UPDATE'] === '1';
const STALE = 'UPDATE=1 npm test rewrites it';
/** Files of tests that the documents are distributed over. */
const PARTS = 4;

export const DOCUMENTS: readonly Document[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...markdownIn('docs'),
].map((name) => ({ name, tables: () => (UPDATES ? withFieldTables(textOf(name)) : textOf(name)) }));

/** Documents by part: the longest first, each to where there are fewest examples until now. */
function partOf(part: number): { readonly name: string; readonly text: string }[] {
  const weighed = DOCUMENTS.map(({ name }) => {
    const text = textOf(name);
    return { name, text, weight: 1 + text.split(/^(?:\$ kubeseq|<!-- kubeseq)/m).length };
  }).sort((one, other) => other.weight - one.weight);
  const parts = Array.from({ length: PARTS }, () => ({ weight: 0, names: [] as string[] }));
  for (const { name, weight } of weighed) {
    const least = parts.reduce((one, other) => (other.weight < one.weight ? other : one));
    least.names.push(name);
    least.weight += weight;
  }
  const { names } = parts[part - 1];
  if (UPDATES) kubeseq(['docs', ...names]);
  return names.map((name) => ({ name, text: current(name) }));
}

function current(name: string): string {
  const text = textOf(name);
  if (!UPDATES) return text;
  const fresh = withFieldTables(refreshed(text));
  if (fresh !== text) writeFileSync(join(ROOT, name), fresh);
  return fresh;
}

function textOf(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

function markdownIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** Tests of the documents of one part of `PARTS`. */
export function describeDocuments(part: number): void {
  const pages = partOf(part);

  describe.each(pages)('$name', ({ name, text }) => {
    const fences = fencesOf(text);
    const place = ({ at }: Fence): string => `line ${at + 1}`;

    it('has fences of known languages only', () => {
      const known = [
        'console',
        'mermaid',
        'sh',
        'sql',
        'js',
        'go',
        'yaml',
        'json',
        'http',
        'text',
        'markdown',
        'plantuml',
      ];
      expect(fences.filter(({ language }) => !known.includes(language)).map(place)).toEqual([]);
    });

    it('links to files that exist', () => {
      // What a fence holds is shown, not followed.
      const prose = text.replace(/^```[\s\S]*?^```/gm, '');
      const links = [...prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, target]) => target);
      expect(links.filter((target) => !existsSync(join(ROOT, dirname(name), target)))).toEqual([]);
    });

    const examples = fences.filter(({ language }) => language === 'console');
    it.each(examples.map((fence) => [place(fence), fence] as const))('%s prints what it shows', (_, fence) => {
      const commands = commandsOf(fence);
      expect(commands.length).toBeGreaterThan(0);
      const outputs = outputsOf(commands);
      for (const [i, { typed, shown }] of commands.entries()) {
        expect(excerpt(outputs[i], shown), `$ ${typed.join('\n')}: ${STALE}`).toEqual(shown);
        if (/\bkubeseq /.test(typed[0]))
          expect(outputs[i].length, `$ ${typed.join('\n')} prints nothing`).toBeGreaterThan(0);
      }
    });

    const diagrams = fences.filter(({ language }) => language === 'mermaid');
    it.each(diagrams.map((fence) => [place(fence), fence] as const))(
      "%s is a diagram that mermaid's own parser reads and GitHub draws",
      async (_, { lines }) => {
        const { messages } = await parseMermaid(lines.join('\n'));
        expect(messages).toHaveLength(lines.filter((line) => /^(?! *%%).*(?:->>|--x)/.test(line)).length);
        expect(lines.join('\n').length).toBeLessThan(40_000);
      },
    );

    const scripts = fences.filter(({ language }) => language === 'js');
    it.each(scripts.map((fence) => [place(fence), fence] as const))(
      '%s runs and prints its last comments',
      (_, fence) => {
        const expected = fence.lines.filter((line) => line.startsWith('//> ')).map((line) => line.slice(4));
        const printed = execFileSync(process.execPath, ['--input-type=module', '-e', fence.lines.join('\n')], {
          cwd: ROOT,
          encoding: 'utf8',
        });
        expect(expected.length).toBeGreaterThan(0);
        expect(printed.trimEnd().split('\n')).toEqual(expected);
      },
    );
  });

  describe('kubeseq docs --check', () => {
    it('holds over these pages', { timeout: 60_000 }, () => {
      const { status, stdout, stderr } = kubeseq(['docs', '--check', '-q', ...pages.map(({ name }) => name)]);
      expect(`${stdout}${stderr}`, STALE).toBe('');
      expect(status).toBe(0);
    });
  });
}
