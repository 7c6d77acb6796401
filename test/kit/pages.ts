// Pages of docs/ with the tables that the sources hold: too long to be kept, they are printed and stand on the site.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './command.js';
import { constantsOf } from './constants.js';
import { limitTables } from './limits-page.js';
import { textTables } from './shown-tables.js';

/** What stands in the place of each marker, `<!-- made: limits -->`. @param page its text. */
const MADE: Readonly<Record<string, (page: string) => string>> = {
  limits: (page) => limitTables(page, constantsOf()),
  'shown-texts': textTables,
};

/** @param name of a page: `limits`. */
export function pageOf(name: string): string {
  const page = readFileSync(join(ROOT, `docs/${name}.md`), 'utf8');
  return page.replace(`<!-- made: ${name} -->`, () => MADE[name](page));
}
