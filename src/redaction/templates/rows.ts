// Reads the templates of templates.txt, for the matcher and for the documents.

import { dictionary } from '../../core/collections/dictionary.js';
import { textSections } from '../../core/text-table.js';
import type { TemplateRow } from './grammar.js';
import TEMPLATES from './templates.txt?raw';

/** `\s`: a blank at the end of a line. */
const ESCAPED: Readonly<Record<string, string>> = dictionary({ n: '\n', t: '\t', s: ' ' });

export const TEMPLATE_ROWS: readonly TemplateRow[] = textSections(TEMPLATES).flatMap(({ heading, lines }) =>
  lines.map((line) => ({ template: line.replace(/\\(.)/g, (_, one: string) => ESCAPED[one] ?? one), source: heading })),
);
