// Each fixture is read once, and what kubeseq says of it is a committed text. `UPDATE=1` rewrites the texts: read their diff, which is
// what users will see.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { goldenText } from '../kit/golden.js';
import { observeWhole, WITH_CAPTURES } from '../kit/whole-fixtures.js';

const TEXTS = fileURLToPath(new URL('texts', import.meta.url));

it.each(WITH_CAPTURES)('%s', async (name) => {
  const path = join(TEXTS, `${name}.txt`);
  const text = goldenText(await observeWhole(name));
  if (process.env['UPDATE'] === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(existsSync(path), `no text of ${name}: UPDATE=1 npx vitest run test/golden writes it`).toBe(true);
  expect(text).toBe(readFileSync(path, 'utf8'));
});

it('has no text of a fixture that is gone', () => {
  const texts = readdirSync(TEXTS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.txt'));
  expect(texts.map((name) => name.replace(/\.txt$/, '')).sort()).toEqual(WITH_CAPTURES);
});
