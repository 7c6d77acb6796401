import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { dictionary } from './dictionary.js';

const SRC = fileURLToPath(new URL('../..', import.meta.url));

it('has its rows and no property of objects', () => {
  const table: Readonly<Record<string, string>> = dictionary({ a: 'b' });
  expect(table['a']).toBe('b');
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) expect(table[name]).toBe(undefined);
});

it('every table in the sources that is looked up by a text is one', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('cli/'),
  );
  const plain = files.flatMap((name) =>
    [
      ...readFileSync(`${SRC}/${name}`, 'utf8').matchAll(
        /^(?:export )?const (\w+): (?:Readonly<)?Record<string, .*> = \{/gm,
      ),
    ].map(([, table]) => `${name} ${table}`),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(plain).toEqual([]);
});
