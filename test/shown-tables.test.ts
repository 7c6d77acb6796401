// Tables of what may be shown, in the documents: as the program has them. UPDATE=1 rewrites them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './command.js';
import { filled, TABLES, textsPage } from './shown-tables.js';

const SECURITY = join(ROOT, 'docs/security.md');
const TEXTS = join(ROOT, 'docs/shown-texts.md');
if (process.env['UPDATE'] === '1') {
  writeFileSync(SECURITY, filled(readFileSync(SECURITY, 'utf8')));
  writeFileSync(TEXTS, textsPage());
}

it('docs/security.md has each table, as it is', () => {
  const page = readFileSync(SECURITY, 'utf8');
  for (const name of Object.keys(TABLES)) expect(page).toContain(`<!-- table: ${name} -->`);
  expect(filled(page)).toBe(page);
});

it('docs/shown-texts.md has every template', () => {
  expect(readFileSync(TEXTS, 'utf8')).toBe(textsPage());
});
