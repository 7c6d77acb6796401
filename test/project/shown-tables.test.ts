// Tables in the documents, as the program has them: what may be shown, and controllers. UPDATE=1 rewrites them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TEMPLATE_ROWS } from '../../src/redaction/templates/rows.js';
import { ROOT } from '../kit/command.js';
import { pageOf } from '../kit/pages.js';
import { filled, TABLES } from '../kit/shown-tables.js';

const PAGES = ['docs/security.md', 'docs/causes.md'].map((page) => join(ROOT, page));
if (process.env['UPDATE'] === '1') for (const page of PAGES) writeFileSync(page, filled(readFileSync(page, 'utf8')));

it('docs/security.md and docs/causes.md have each table, as it is', () => {
  const pages = PAGES.map((page) => readFileSync(page, 'utf8'));
  for (const name of Object.keys(TABLES)) expect(pages.join('')).toContain(`<!-- table: ${name} -->`);
  expect(pages.map(filled)).toEqual(pages);
});

it('the page of shown texts has every template', () => {
  const page = pageOf('shown-texts');
  expect(page).toContain('\n## pkg/kubelet/images/image_manager.go\n\n```text\nPulling image "{image}"\n');
  const shown = page.split('\n').filter((line) => TEMPLATE_ROWS.some(({ template }) => template.startsWith(line)));
  expect(shown.length).toBeGreaterThanOrEqual(TEMPLATE_ROWS.length);
});
