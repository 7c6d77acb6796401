// Reads and writes the sections of src/redaction/words/dictionary.txt, a line each.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DICTIONARY = fileURLToPath(new URL('../../src/redaction/words/dictionary.txt', import.meta.url));

/** @returns the line of a section. @throws if there is no such section. */
export function readSection(heading) {
  return partsOf(heading)[1];
}

export function writeSection(heading, line) {
  const [before, , after] = partsOf(heading);
  writeFileSync(DICTIONARY, before + line + after);
}

function partsOf(heading) {
  const text = readFileSync(DICTIONARY, 'utf8');
  const start = text.indexOf(`\n## ${heading}\n`);
  if (start < 0) throw new Error(`dictionary.txt has no section ${heading}`);
  const from = start + heading.length + 5;
  const to = text.indexOf('\n', from);
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}
