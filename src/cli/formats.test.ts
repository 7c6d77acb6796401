// The table of formats is what users are told of, and what the endings of -w choose.

import { describe, expect, it } from 'vitest';
import { kubeseq } from '../../test/kit/command.js';
import { FORMATS, type Formats, formatByEnding, formatOf, REPORTS } from './formats.js';
import type { ComparedCaptures, Presentation } from './output/results.js';
import * as renderers from './renderers.js';

const TABLES: readonly (readonly [string, Formats<never>])[] = [...Object.entries(FORMATS), ['--report', REPORTS]];

describe.each(TABLES)('formats of %s', (_command, formats) => {
  it('have endings that no other one of the command has', () => {
    const endings = Object.values(formats).flatMap(({ endings = [] }) => endings);
    expect(new Set(endings).size).toBe(endings.length);
    for (const [name, { endings: own = [] }] of Object.entries(formats))
      for (const ending of own) expect(formatByEnding(`folder/NAME${ending.toUpperCase()}`, formats)).toBe(name);
  });
});

it('the longer one of two endings counts, and -o before any', () => {
  expect(formatByEnding('a.json', FORMATS.diagram)).toBe('json');
  expect(formatByEnding('a.otlp.json', FORMATS.diagram)).toBe('otlp');
  expect(formatByEnding('json', FORMATS.diagram)).toBeUndefined();
  expect(formatOf({ output: 'text', write: 'a.json' }, FORMATS.diagram)).toBe('text');
  expect(formatOf({ write: 'a' }, FORMATS.diagram, 'text')).toBe('text');
  expect(formatOf({}, FORMATS.summary)).toBe('text');
  expect(() => formatOf({ output: 'toString' }, FORMATS.summary)).toThrow(
    '-o toString: expected one of text, markdown, json',
  );
});

describe('help, refusal and completion name the rows of the table', () => {
  const script = kubeseq(['completion', 'fish']).stdout;
  // `explain` has one format; `record` and `keys` have no captures to refuse a format for.
  const commands = Object.keys(FORMATS).filter((command) => !['explain', 'record', 'keys'].includes(command));

  it.each(commands)('%s', (command) => {
    const names = Object.keys(FORMATS[command as keyof typeof FORMATS]);
    const help = kubeseq([command, '--help']).stdout.replaceAll(/\s+/g, ' ');
    expect(help).toContain(`(${names.join(', ')})`);
    const { status, stderr } = kubeseq([command, '-o', 'none', ...(command === 'doctor' ? [] : ['a', 'b'])]);
    expect([status, stderr]).toEqual([2, `kubeseq: -o none: expected one of ${names.join(', ')}\n`]);
    const offered = script
      .split('\n')
      .find((line) => line.includes(`from ${command}"`) && line.includes(' -l output '));
    if (command !== 'diagram') expect(offered).toContain(`-a '${names.join(' ')}'`);
  });
});

it.each(['object', 'check', 'path', 'diff', 'top', 'summary'] as const)('%s has text and Markdown', (command) => {
  expect(Object.keys(FORMATS[command])).toEqual(expect.arrayContaining(['text', 'markdown']));
  expect(FORMATS[command]['markdown'].endings).toEqual(['.md']);
});

it('a difference in Markdown is its text in a fence that no line of it ends', async () => {
  const item = { from: 'kubectl', to: 'kube-apiserver', kind: 'request', label: '```\u001b x', requestLabel: '' };
  const finding = {
    ...{ weight: 'only', what: 'only', alike: 1, counts: [0, 1], followers: 0 },
    after: { ...item, where: { seq: 7 } },
  };
  const compared = {
    difference: { findings: [finding], leftOut: [] },
    sides: [{ name: 'a' }, { name: 'b' }],
    isStat: false,
  } as unknown as ComparedCaptures;
  const shown = { diffPaint: renderers.PLAIN_DIFF } as unknown as Presentation;
  const markdown = String(await FORMATS.diff['markdown'].render(renderers, compared, shown));
  const text = String(await FORMATS.diff['text'].render(renderers, compared, shown));
  expect(text).toContain('message 7');
  expect(markdown).toBe(`\`\`\`\`diff\n${text.trimEnd()}\n\`\`\`\`\n`);
  expect(markdown).not.toContain('\u001b');
});
