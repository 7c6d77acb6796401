// docs/reliability.md is about commands that exist, with a date each.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../kit/command.js';

const PAGE = readFileSync(join(ROOT, 'docs/reliability.md'), 'utf8');
const ROWS = PAGE.split('\n')
  .filter((line) => /^\| (?!---|claim|bomb)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '))
  .filter((cells) => cells.length === 4);
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

it('has claims', () => expect(ROWS.length).toBeGreaterThan(15));

it.each(ROWS)('%s', (_claim, figure, command, date) => {
  expect(figure.length).toBeGreaterThan(3);
  expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
  const words = command.replaceAll('`', '').split(' ');
  const script = /^npm run (\S+)/.exec(command.replaceAll('`', ''))?.[1];
  const paths = words.filter((word) => /^(?:src|test)\//.test(word));
  expect(script === undefined ? paths.length > 0 : scripts[script] !== undefined).toBe(true);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
