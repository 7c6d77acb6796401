// Shows as a unified diff what would be written into a file.

import { createTwoFilesPatch } from 'diff';
import { escapeTerminal } from '../../index.js';

export function patchOf(name: string, before: string, after: string): string {
  // Tabs stay: they end the names of a unified diff, and pages may have them.
  return createTwoFilesPatch(name, name, before, after, 'as it is', 'as it should be').replace(
    /[^\n\t]+/g,
    escapeTerminal,
  );
}
