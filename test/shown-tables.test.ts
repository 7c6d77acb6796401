// Tables of what may be shown, in the documents: as the program has them. UPDATE=1 rewrites them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TEMPLATE_ROWS } from '../src/redaction/templates/rows.js';
import { ROOT } from './command.js';
import { pageOf } from './pages.js';
import { filled, TABLES } from './shown-tables.js';

const SECURITY = join(ROOT, 'docs/security.md');
if (process.env['UPDATE'] === '1') writeFileSync(SECURITY, filled(readFileSync(SECURITY, 'utf8')));

it('docs/security.md has each table, as it is', () => {
  const page = readFileSync(SECURITY, 'utf8');
  for (const name of Object.keys(TABLES)) expect(page).toContain(`<!-- table: ${name} -->`);
  expect(filled(page)).toBe(page);
});

it('the page of shown texts has every template', () => {
  const page = pageOf('shown-texts');
  expect(page).toContain('\n## pkg/kubelet/images/image_manager.go\n\n```text\nPulling image "{image}"\n');
  const shown = page.split('\n').filter((line) => TEMPLATE_ROWS.some(({ template }) => template.startsWith(line)));
  expect(shown.length).toBeGreaterThanOrEqual(TEMPLATE_ROWS.length);
});
